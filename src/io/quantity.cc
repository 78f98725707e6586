#include "quantity.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "decimal.h"
#include "values.h"

namespace tilewright::io {

namespace {

// A unit is factor * 10^tens of what the library counts in.
struct Unit {
  std::string_view name;
  int tens = 0;
  std::int64_t factor = 1;
  bool is_alias = false;  // accepted, but not proposed
};

// A kind of quantity, in the words of the complaints about it.
struct Quantity {
  std::string_view noun;  // "an energy"
  std::string_view form;
  std::string_view example_unit;
  std::span<const Unit> units;
  bool may_be_fraction = false;  // such as "3/8 words/cycle"
};

constexpr std::array kEnergyUnits = {Unit{"fJ", -3}, Unit{"pJ", 0}, Unit{"nJ", 3}, Unit{"uJ", 6}};
constexpr std::array kPowerUnits = {Unit{"fJ/cycle", -3}, Unit{"pJ/cycle", 0}, Unit{"nJ/cycle", 3},
                                    Unit{"uJ/cycle", 6}};
constexpr std::array kAreaUnits = {Unit{"um2", 0}, Unit{"mm2", 6}};
constexpr std::array kWordUnits = {Unit{"words"}, Unit{"word", 0, 1, true}};
constexpr std::array kWidthUnits = {Unit{"bits"}, Unit{"bit", 0, 1, true}};
constexpr std::array kBandwidthUnits = {Unit{"words/cycle"}, Unit{"word/cycle", 0, 1, true}};

// In bits; words are marked by a factor of 0.
constexpr std::int64_t kKibi = 1024;
constexpr std::array kCapacityUnits = {Unit{"bits", 0, 1},
                                       Unit{"Kibit", 0, kKibi},
                                       Unit{"Mibit", 0, kKibi* kKibi},
                                       Unit{"Gibit", 0, kKibi* kKibi* kKibi},
                                       Unit{"B", 0, 8},
                                       Unit{"KiB", 0, 8 * kKibi},
                                       Unit{"MiB", 0, 8 * kKibi* kKibi},
                                       Unit{"GiB", 0, 8 * kKibi* kKibi* kKibi},
                                       Unit{"kB", 0, 8'000},
                                       Unit{"KB", 0, 8'000, true},
                                       Unit{"MB", 0, 8'000'000},
                                       Unit{"GB", 0, 8'000'000'000},
                                       Unit{"words", 0, 0},
                                       Unit{"bit", 0, 1, true},
                                       Unit{"word", 0, 0, true}};

constexpr Quantity kEnergy = {"an energy", kEnergyForm, "pJ", kEnergyUnits};
constexpr Quantity kPower = {"an energy per cycle", kPowerForm, "pJ/cycle", kPowerUnits};
constexpr Quantity kArea = {"an area", kAreaForm, "um2", kAreaUnits};
constexpr Quantity kWords = {"a number of words", kWordsForm, "words", kWordUnits};
constexpr Quantity kWidth = {"a width", kWidthForm, "bits", kWidthUnits};
constexpr Quantity kBandwidth = {"a bandwidth", kBandwidthForm, "words/cycle", kBandwidthUnits,
                                 /*may_be_fraction=*/true};
constexpr Quantity kCapacity = {"a size", kCapacityForm, "B", kCapacityUnits};

struct Measure {
  Decimal number;
  std::optional<Decimal> below;  // the line of a fraction
  Unit unit;
};

std::string unit_hint(const Quantity& quantity) {
  std::vector<std::string> names;
  for (const Unit& unit : quantity.units) {
    if (!unit.is_alias) names.emplace_back(unit.name);
  }
  return fmt::format("{} {}", names.size() > 1 ? "units are" : "the unit is", join(names, ", "));
}

// Finds the unit that the text after the number names.
std::optional<Unit> read_unit(Context& context, const Node& node, std::string_view number,
                              std::string_view name, const Quantity& quantity) {
  if (name.empty()) {
    context.complain(node, fmt::format("\"{}\" has no unit", abbreviated(node.text)),
                     fmt::format("write {} such as \"{} {}\"", quantity.noun,
                                 abbreviated(std::string(number)), quantity.example_unit));
    return std::nullopt;
  }
  for (const Unit& unit : quantity.units) {
    if (unit.name == name) return unit;
  }
  context.complain(node, fmt::format("\"{}\" is not {}", abbreviated(node.text), quantity.noun),
                   unit_hint(quantity));
  return std::nullopt;
}

std::optional<Decimal> read_number(Context& context, const Node& node, std::string_view& rest,
                                   const Quantity& quantity) {
  const bool negative = !rest.empty() && rest.front() == '-';
  auto number = take_decimal(rest);
  if (!number) {
    context.complain(node,
                     negative
                         ? fmt::format("\"{}\" is negative", abbreviated(node.text))
                         : fmt::format("\"{}\" is not {}", abbreviated(node.text), quantity.noun),
                     fmt::format("write {}", quantity.form));
  }
  return number;
}

// The number below the line of "3/8 words/cycle"; nothing in "3/cycle".
std::optional<Decimal> take_denominator(std::string_view& rest) {
  if (rest.empty() || rest.front() != '/') return std::nullopt;
  std::string_view after = rest.substr(1);
  auto number = take_decimal(after);
  if (number) rest = after;
  return number;
}

std::optional<Measure> read_measure(Context& context, const Node& node, const Quantity& quantity) {
  if (!context.expect_scalar(node, quantity.form)) return std::nullopt;
  const std::string_view text = trimmed(node.text);
  std::string_view rest = text;
  const auto number = read_number(context, node, rest, quantity);
  if (!number) return std::nullopt;
  const auto below = quantity.may_be_fraction ? take_denominator(rest) : std::nullopt;
  const std::string_view written = text.substr(0, text.size() - rest.size());
  const auto unit = read_unit(context, node, written, trimmed(rest), quantity);
  if (!unit) return std::nullopt;
  return Measure{*number, below, *unit};
}

std::optional<double> read_double(Context& context, const Node& node, const Quantity& quantity) {
  const auto measure = read_measure(context, node, quantity);
  if (!measure) return std::nullopt;
  const auto value = to_double(measure->number, measure->unit.tens);
  if (!value) {
    context.complain(node,
                     fmt::format("\"{}\" is outside the range of numbers", abbreviated(node.text)),
                     fmt::format("write {}", quantity.form));
  }
  return value;
}

// A whole number of at least 1, in units of which one is `factor`.
std::optional<std::int64_t> read_whole(Context& context, const Node& node, const Measure& measure,
                                       std::int64_t factor, std::string_view counted) {
  const auto value = to_whole_number(measure.number, factor);
  if (value && *value >= 1) return value;
  context.complain(node, fmt::format("\"{}\" is not a whole number of {} from 1 to 2^60",
                                     abbreviated(node.text), counted));
  return std::nullopt;
}

std::optional<Rational> fraction(const Decimal& above, const std::optional<Decimal>& below) {
  if (!below) return to_rational(above);
  const auto numerator = to_whole_number(above, 1);
  const auto denominator = to_whole_number(*below, 1);
  if (!numerator || !denominator) return std::nullopt;
  return Rational{*numerator, *denominator};
}

}  // namespace

std::optional<double> read_energy_pj(Context& context, const Node& node) {
  return read_double(context, node, kEnergy);
}

std::optional<double> read_power_pj_per_cycle(Context& context, const Node& node) {
  return read_double(context, node, kPower);
}

std::optional<double> read_area_um2(Context& context, const Node& node) {
  return read_double(context, node, kArea);
}

std::optional<Capacity> read_capacity(Context& context, const Node& node) {
  if (node.is_scalar() && trimmed(node.text) == "unlimited") return Capacity{};
  const auto measure = read_measure(context, node, kCapacity);
  if (!measure) return std::nullopt;
  const bool in_words = measure->unit.factor == 0;
  const auto amount = read_whole(context, node, *measure, in_words ? 1 : measure->unit.factor,
                                 in_words ? "words" : "bits");
  if (!amount) return std::nullopt;
  return Capacity{in_words ? Capacity::Unit::Words : Capacity::Unit::Bits, *amount};
}

std::optional<std::int64_t> read_words(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kWords);
  return measure ? read_whole(context, node, *measure, 1, "words") : std::nullopt;
}

std::optional<std::int64_t> read_width_bits(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kWidth);
  return measure ? read_whole(context, node, *measure, 1, "bits") : std::nullopt;
}

std::optional<Rational> read_bandwidth(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kBandwidth);
  if (!measure) return std::nullopt;
  const auto value = fraction(measure->number, measure->below);
  if (!value) {
    context.complain(node, fmt::format("\"{}\" cannot be kept exactly", abbreviated(node.text)),
                     "write up to 18 digits, or a fraction such as \"1/3 words/cycle\"");
    return std::nullopt;
  }
  if (value->numerator < 1 || value->denominator < 1) {
    context.complain(node,
                     fmt::format("a bandwidth of \"{}\" lets nothing pass", abbreviated(node.text)),
                     "write one above 0, or leave the key out for no limit");
    return std::nullopt;
  }
  return value;
}

ShareText share_in(std::string_view text) {
  std::string_view rest = trimmed(text);
  auto number = take_decimal(rest);
  const auto below = number ? take_denominator(rest) : std::nullopt;
  const bool percent = number && !below && trimmed(rest) == "%";
  if (!number || (!percent && !rest.empty())) return {};
  if (percent) number->exponent -= 2;
  return {true, fraction(*number, below)};
}

std::optional<Rational> read_share(Context& context, const Node& node) {
  if (!context.expect_scalar(node, kShareForm)) return std::nullopt;
  const auto [is_share, value] = share_in(node.text);
  if (!is_share) {
    context.complain(node, fmt::format("\"{}\" is not a share", abbreviated(node.text)),
                     fmt::format("write {}", kShareForm));
  } else if (!value) {
    context.complain(node, fmt::format("\"{}\" cannot be kept exactly", abbreviated(node.text)),
                     "write up to 18 digits, or a fraction such as \"1/3\"");
  }
  return value;
}

std::string energy_text(double pj) { return decimal_text(pj) + " pJ"; }
std::string power_text(double pj_per_cycle) { return decimal_text(pj_per_cycle) + " pJ/cycle"; }
std::string area_text(double um2) { return decimal_text(um2) + " um2"; }
std::string width_text(std::int64_t bits) { return fmt::format("{} bits", bits); }
std::string words_text(std::int64_t words) { return fmt::format("{} words", words); }
std::string bandwidth_text(Rational words_per_cycle) {
  return to_string(words_per_cycle) + " words/cycle";
}

}  // namespace tilewright::io
