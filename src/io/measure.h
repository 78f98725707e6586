// A number and its unit, as the readers of quantities share it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "context.h"
#include "fraction.h"

namespace tilewright::io {

inline constexpr std::int64_t kKibi = 1024;

// A unit is factor * 10^tens of what the library counts in.
struct Unit {
  std::string_view name;
  int tens = 0;
  std::int64_t factor = 1;
  bool is_alias = false;    // accepted, but not proposed
  bool per_second = false;  // rather than per cycle
  bool of_bits = false;     // rather than of words
};

// A kind of quantity, in the words of the complaints about it.
struct Quantity {
  std::string_view noun;  // "an energy"
  std::string_view form;
  std::string_view example_unit;
  std::span<const Unit> units;
  bool may_be_fraction = false;  // such as "3/8 words/cycle"
};

struct Measure {
  std::optional<Decimal> plain;   // the number as written, unless it was computed
  std::optional<Fraction> value;  // nothing if it is too long to be kept exactly
  std::optional<Rational> terms;  // of a fraction of whole numbers, as they are written
  Unit unit;
};

// Nothing after a complaint. With variables around (see Surroundings), the number may be
// arithmetic.
std::optional<Measure> read_measure(Context& context, const Node& node, const Quantity& quantity);
// The same of a part of the node's text, which complaints call by the whole of it.
std::optional<Measure> read_measure(Context& context, const Node& node, std::string_view part,
                                    const Quantity& quantity);

// A whole number of at least 1, in units of which one is `factor`.
std::optional<std::int64_t> read_whole(Context& context, const Node& node, const Measure& measure,
                                       std::int64_t factor, std::string_view counted);
// In the unit that the library counts in: a plain decimal as the double nearest to it.
std::optional<double> as_double(Context& context, const Node& node, const Measure& measure,
                                const Quantity& quantity);
// The same times something, rounded to kComputedDigits digits.
std::optional<double> converted(Context& context, const Node& node, const Measure& measure,
                                const std::optional<Fraction>& times, const Quantity& quantity);

// The value in the unit that the library counts in, as exact as it was written.
std::optional<Fraction> in_own_unit(const Measure& measure);

}  // namespace tilewright::io
