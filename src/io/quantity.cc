#include "quantity.h"

#include <fmt/format.h>

#include <array>

#include "expression.h"
#include "measure.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr std::array kEnergyUnits = {Unit{"fJ", -3}, Unit{"pJ", 0}, Unit{"nJ", 3}, Unit{"uJ", 6}};
constexpr std::array kVoltUnits = {Unit{"mV", -3}, Unit{"V", 0}};
constexpr std::array kAreaUnits = {Unit{"um2", 0}, Unit{"mm2", 6}};
constexpr std::array kWordUnits = {Unit{"words"}, Unit{"word", 0, 1, true}};
constexpr std::array kWidthUnits = {Unit{"bits"}, Unit{"bit", 0, 1, true}};

// In bits; words are marked by a factor of 0.
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
constexpr std::array kRowUnits = {Unit{"rows"}, Unit{"row", 0, 1, true}};
constexpr std::array kBankUnits = {Unit{"banks"}, Unit{"bank", 0, 1, true}};

constexpr Quantity kEnergy = {"an energy", kEnergyForm, "pJ", kEnergyUnits};
constexpr std::array kLengthUnits = {Unit{"mm"}, Unit{"um", -3}};
constexpr Quantity kLength = {"a length", kLengthForm, "mm", kLengthUnits};
constexpr Quantity kVolts = {"a voltage", kVoltsForm, "V", kVoltUnits};
constexpr Quantity kArea = {"an area", kAreaForm, "um2", kAreaUnits};
constexpr Quantity kWords = {"a number of words", kWordsForm, "words", kWordUnits};
constexpr Quantity kWidth = {"a width", kWidthForm, "bits", kWidthUnits};
constexpr Quantity kCapacity = {"a size", kCapacityForm, "B", kCapacityUnits};
constexpr Quantity kRows = {"a number of rows", kArrayForm, "rows", kRowUnits};
constexpr Quantity kBanks = {"a number of banks", kArrayForm, "banks", kBankUnits};

std::optional<Rational> share_of(const Decimal& above, const std::optional<Decimal>& below) {
  if (!below) return to_rational(above);
  const auto numerator = to_whole_number(above, 1);
  const auto denominator = to_whole_number(*below, 1);
  if (!numerator || !denominator) return std::nullopt;
  return Rational{*numerator, *denominator};
}

std::optional<Capacity> capacity_in(Context& context, const Node& node, const Measure& measure) {
  const bool in_words = measure.unit.factor == 0;
  const auto amount = read_whole(context, node, measure, in_words ? 1 : measure.unit.factor,
                                 in_words ? "words" : "bits");
  if (!amount) return std::nullopt;
  return Capacity{in_words ? Capacity::Unit::Words : Capacity::Unit::Bits, *amount};
}

// "1024 rows x 64 bits x 4 banks" has three parts.
std::vector<std::string_view> array_parts(std::string_view text) {
  constexpr std::string_view kBetween = " x ";
  std::vector<std::string_view> parts;
  for (std::size_t cut = 0; (cut = text.find(kBetween)) != std::string_view::npos;) {
    parts.push_back(trimmed(text.substr(0, cut)));
    text.remove_prefix(cut + kBetween.size());
  }
  parts.push_back(trimmed(text));
  return parts;
}

// A memory as it is built: rows, their width, and banks.
std::optional<Capacity> read_array(Context& context, const Node& node,
                                   const std::vector<std::string_view>& parts) {
  const auto rows = read_measure(context, node, parts[0], kRows);
  const auto width = read_measure(context, node, parts[1], kCapacity);
  if (!rows || !width) return std::nullopt;
  const auto row_count = read_whole(context, node, *rows, 1, "rows");
  const auto of_row = capacity_in(context, node, *width);
  std::optional<std::int64_t> bank_count = 1;
  if (parts.size() > 2) {
    const auto banks = read_measure(context, node, parts[2], kBanks);
    bank_count = banks ? read_whole(context, node, *banks, 1, "banks") : std::nullopt;
  }
  if (!row_count || !of_row || !bank_count) return std::nullopt;
  const auto all = checked_product({*row_count, of_row->amount, *bank_count});
  if (!all) {
    context.complain(node, fmt::format("\"{}\" is more than 2^60", abbreviated(node.text)));
    return std::nullopt;
  }
  return Capacity{of_row->unit, *all};
}

}  // namespace

std::optional<double> read_energy_pj(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kEnergy);
  return measure ? as_double(context, node, *measure, kEnergy) : std::nullopt;
}

std::optional<double> read_volts(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kVolts);
  return measure ? as_double(context, node, *measure, kVolts) : std::nullopt;
}

std::optional<double> read_length_mm(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kLength);
  return measure ? as_double(context, node, *measure, kLength) : std::nullopt;
}

std::optional<double> read_area_um2(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kArea);
  return measure ? as_double(context, node, *measure, kArea) : std::nullopt;
}

std::optional<Capacity> read_capacity(Context& context, const Node& node) {
  if (node.is_scalar() && trimmed(node.text) == "unlimited") return Capacity{};
  if (node.is_scalar()) {
    const auto parts = array_parts(node.text);
    if (parts.size() > 3) {
      context.complain(node,
                       fmt::format("\"{}\" has {} factors", abbreviated(node.text), parts.size()),
                       fmt::format("write {}", kArrayForm));
      return std::nullopt;
    }
    if (parts.size() > 1) return read_array(context, node, parts);
  }
  const auto measure = read_measure(context, node, kCapacity);
  return measure ? capacity_in(context, node, *measure) : std::nullopt;
}

std::optional<std::int64_t> read_words(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kWords);
  return measure ? read_whole(context, node, *measure, 1, "words") : std::nullopt;
}

std::optional<std::int64_t> read_width_bits(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kWidth);
  return measure ? read_whole(context, node, *measure, 1, "bits") : std::nullopt;
}

ShareText share_in(std::string_view text) {
  std::string_view rest = trimmed(text);
  auto number = take_decimal(rest);
  std::optional<Decimal> below;
  if (number && rest.starts_with('/')) {
    std::string_view after = rest.substr(1);
    below = take_decimal(after);
    if (below) rest = after;
  }
  const bool percent = number && !below && trimmed(rest) == "%";
  if (!number || (!percent && !rest.empty())) return {};
  if (percent) number->exponent -= 2;
  return {true, share_of(*number, below)};
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

std::string length_text(double mm) { return decimal_text(mm) + " mm"; }
std::string energy_text(double pj) { return decimal_text(pj) + " pJ"; }
std::string area_text(double um2) { return decimal_text(um2) + " um2"; }
std::string width_text(std::int64_t bits) { return fmt::format("{} bits", bits); }
std::string words_text(std::int64_t words) { return fmt::format("{} words", words); }

}  // namespace tilewright::io
