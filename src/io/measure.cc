#include "measure.h"

#include <fmt/format.h>

#include "expression.h"
#include "values.h"

namespace tilewright::io {

namespace {

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
  const bool goes_on = name.find_first_of("*+") != std::string_view::npos;
  context.complain(
      node, fmt::format("\"{}\" is not {}", abbreviated(node.text), quantity.noun),
      goes_on ? "write the unit at the end, such as \"2 * 16 B\"" : unit_hint(quantity));
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

// The number that a text begins with, taken off it.
struct Number {
  std::optional<Decimal> plain;
  std::optional<Fraction> value;
  std::optional<Rational> terms = {};
};

std::optional<Number> read_plain(Context& context, const Node& node, std::string_view& rest,
                                 const Quantity& quantity) {
  auto number = read_number(context, node, rest, quantity);
  if (!number) return std::nullopt;
  const auto value = to_fraction(*number);
  const auto below = quantity.may_be_fraction ? take_denominator(rest) : std::nullopt;
  if (!below) return Number{std::move(number), value};
  const auto divisor = to_fraction(*below);
  // What is divided by zero lets nothing pass; its reader says so.
  if (below->is_zero()) return Number{std::nullopt, Fraction{}};
  Number fraction{std::nullopt, value && divisor ? quotient(*value, *divisor) : std::nullopt};
  const auto above = to_whole_number(*number, 1);
  const auto under = to_whole_number(*below, 1);
  if (above && under) fraction.terms = Rational{*above, *under};
  return fraction;
}

std::optional<Number> read_computed(Context& context, const Node& node, std::string_view& rest) {
  const Arithmetic found = evaluate_arithmetic(rest, *context.around().variables);
  const auto offset = static_cast<std::size_t>(rest.data() - node.text.data());
  if (!found.value) {
    complain_about(context, node, offset, found);
    return std::nullopt;
  }
  if (found.value->above < 0) {
    context.complain(node, fmt::format("\"{}\" is negative", abbreviated(node.text)));
    return std::nullopt;
  }
  rest.remove_prefix(found.length);
  return Number{std::nullopt, found.value};
}

}  // namespace

std::optional<Measure> read_measure(Context& context, const Node& node, const Quantity& quantity) {
  if (!context.expect_scalar(node, quantity.form)) return std::nullopt;
  return read_measure(context, node, trimmed(node.text), quantity);
}

std::optional<Measure> read_measure(Context& context, const Node& node, std::string_view part,
                                    const Quantity& quantity) {
  std::string_view rest = part;
  const Variables* variables = context.around().variables;
  const bool computed = variables != nullptr && starts_with_arithmetic(rest, *variables);
  const auto number =
      computed ? read_computed(context, node, rest) : read_plain(context, node, rest, quantity);
  if (!number) return std::nullopt;
  const std::string_view written = part.substr(0, part.size() - rest.size());
  const auto unit = read_unit(context, node, trimmed(written), trimmed(rest), quantity);
  if (!unit) return std::nullopt;
  return Measure{number->plain, number->value, number->terms, *unit};
}

std::optional<Fraction> in_own_unit(const Measure& measure) {
  const auto scaled =
      measure.value ? product(*measure.value, {measure.unit.factor, 1}) : std::nullopt;
  return scaled ? product(*scaled, ten_to(measure.unit.tens)) : std::nullopt;
}

std::optional<double> converted(Context& context, const Node& node, const Measure& measure,
                                const std::optional<Fraction>& times, const Quantity& quantity) {
  const auto own = in_own_unit(measure);
  const auto scaled = own && times ? product(*own, *times) : std::nullopt;
  const auto value = scaled ? to_rounded_double(*scaled) : std::nullopt;
  if (!value) {
    context.complain(node, fmt::format("\"{}\" cannot be converted", abbreviated(node.text)),
                     fmt::format("write up to 18 digits, as in {}", quantity.form));
  }
  return value;
}

std::optional<double> as_double(Context& context, const Node& node, const Measure& measure,
                                const Quantity& quantity) {
  if (!measure.plain) return converted(context, node, measure, Fraction{1, 1}, quantity);
  const auto value = to_double(*measure.plain, measure.unit.tens);
  if (!value) {
    context.complain(node,
                     fmt::format("\"{}\" is outside the range of numbers", abbreviated(node.text)),
                     fmt::format("write {}", quantity.form));
  }
  return value;
}

std::optional<std::int64_t> read_whole(Context& context, const Node& node, const Measure& measure,
                                       std::int64_t factor, std::string_view counted) {
  const auto scaled = measure.value ? product(*measure.value, {factor, 1}) : std::nullopt;
  const auto value = measure.plain ? to_whole_number(*measure.plain, factor)
                     : scaled      ? to_whole_number(*scaled)
                                   : std::nullopt;
  if (value && *value >= 1) return value;
  context.complain(node, fmt::format("\"{}\" is not a whole number of {} from 1 to 2^60",
                                     abbreviated(node.text), counted));
  return std::nullopt;
}

}  // namespace tilewright::io
