// Decimal numbers as written, before they become a double or a fraction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/base.h"

namespace tilewright::io {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// digits * 10^exponent, without leading or trailing zeros; zero has no digits.
struct Decimal {
  std::string digits;
  int exponent = 0;

  bool is_zero() const { return digits.empty(); }
};

// Takes a decimal such as 64, 0.5 or 1.2e-3 off the front of the text; nothing
// if the text does not start with one.
std::optional<Decimal> take_decimal(std::string_view& text);

// The double nearest to decimal * 10^tens; nothing if out of range.
std::optional<double> to_double(const Decimal& decimal, int tens);

// decimal * factor, if that is a whole number of at most kCountLimit.
std::optional<std::int64_t> to_whole_number(const Decimal& decimal, std::int64_t factor);

// The fraction in lowest terms; nothing if the terms are too large.
std::optional<Rational> to_rational(const Decimal& decimal);

// Reads back to an equal double.
std::string decimal_text(double value);

}  // namespace tilewright::io
