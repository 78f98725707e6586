// Quantities that a clock or the width of a word converts: what happens per second, and what
// is said of bits.
#include <fmt/format.h>

#include <array>

#include "measure.h"
#include "quantity.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr std::array kClockUnits = {Unit{"Hz", 0}, Unit{"kHz", 3}, Unit{"MHz", 6}, Unit{"GHz", 9}};

// An energy of a memory may be that of a whole access, or of so many bits.
constexpr std::array kAccessUnits = {Unit{"fJ", -3},
                                     Unit{"pJ", 0},
                                     Unit{"nJ", 3},
                                     Unit{"uJ", 6},
                                     Unit{"fJ/bit", -3, 1, false, false, true},
                                     Unit{"pJ/bit", 0, 1, false, false, true},
                                     Unit{"nJ/bit", 3, 1, true, false, true}};

// In pJ per cycle, or in pW.
constexpr std::array kPowerUnits = {Unit{"fJ/cycle", -3},          Unit{"pJ/cycle", 0},
                                    Unit{"nJ/cycle", 3},           Unit{"uJ/cycle", 6},
                                    Unit{"nW", 3, 1, false, true}, Unit{"uW", 6, 1, false, true},
                                    Unit{"mW", 9, 1, false, true}, Unit{"W", 12, 1, false, true}};

// In words per cycle, or in bits.
constexpr std::array kBandwidthUnits = {
    Unit{"words/cycle"},
    Unit{"bits/cycle", 0, 1, false, false, true},
    Unit{"B/cycle", 0, 8, false, false, true},
    Unit{"kB/s", 3, 8, true, true, true},
    Unit{"MB/s", 6, 8, false, true, true},
    Unit{"GB/s", 9, 8, false, true, true},
    Unit{"TB/s", 12, 8, false, true, true},
    Unit{"MiB/s", 0, 8 * kKibi* kKibi, true, true, true},
    Unit{"GiB/s", 0, 8 * kKibi* kKibi* kKibi, false, true, true},
    Unit{"Mbit/s", 6, 1, true, true, true},
    Unit{"Gbit/s", 9, 1, false, true, true},
    Unit{"word/cycle", 0, 1, true},
    Unit{"bit/cycle", 0, 1, true, false, true},
    Unit{"KiB/cycle", 0, 8 * kKibi, true, false, true}};

constexpr Quantity kClock = {"a frequency", kClockForm, "MHz", kClockUnits};
constexpr Quantity kAccessEnergy = {"an energy", kEnergyForm, "pJ", kAccessUnits};
constexpr Quantity kPower = {"an energy per cycle", kPowerForm, "pJ/cycle", kPowerUnits};
constexpr Quantity kBandwidth = {"a bandwidth", kBandwidthForm, "words/cycle", kBandwidthUnits,
                                 /*may_be_fraction=*/true};
constexpr std::array kBitUnits = {Unit{"bits"}, Unit{"bit", 0, 1, true}, Unit{"B", 0, 8}};
constexpr Quantity kBits = {"a number of bits", kPerBitsForm, "bits", kBitUnits};

// What is multiplied by to come from seconds to cycles.
std::optional<Fraction> seconds_per_cycle(Context& context, const Node& node) {
  const auto& clock = context.around().clock_hz;
  if (clock.value) return Fraction{1, *clock.value};
  if (!clock.unreadable) {
    context.complain(
        node,
        fmt::format("\"{}\" is said of seconds, and no clock is given", abbreviated(node.text)),
        "add \"clock: 800 MHz\" or the like to the architecture");
  }
  return std::nullopt;
}

// The bits of a word.
std::optional<Fraction> bits_per_word(Context& context, const Node& node) {
  const auto& word = context.around().word_bits;
  if (word.value) return Fraction{*word.value, 1};
  if (!word.unreadable) {
    context.complain(node,
                     fmt::format("\"{}\" is said of bits, and no width of a word is given",
                                 abbreviated(node.text)),
                     "add \"word: 8 bits\" or the like to the memory");
  }
  return std::nullopt;
}

// "2 pJ per 16 bits" has an amount of bits behind the word; others have not.
struct PerBits {
  std::string_view energy;
  std::string_view bits;  // empty without the word
};

PerBits apart(std::string_view text) {
  constexpr std::string_view kPer = " per ";
  const std::size_t cut = text.find(kPer);
  if (cut == std::string_view::npos) return {text, {}};
  return {trimmed(text.substr(0, cut)), trimmed(text.substr(cut + kPer.size()))};
}

// The share of an access's energy that its text speaks of, turned round: accesses of a whole
// block per amount of bits.
std::optional<Fraction> amounts_per_access(Context& context, const Node& node,
                                           std::string_view bits) {
  std::optional<std::int64_t> amount = 1;
  if (!bits.empty() && bits != "bit") {
    const auto measure = read_measure(context, node, bits, kBits);
    if (!measure) return std::nullopt;
    amount = read_whole(context, node, *measure, measure->unit.factor, "bits");
  }
  const auto word = amount ? bits_per_word(context, node) : std::nullopt;
  if (!word) return std::nullopt;
  const auto access = product(*word, {context.around().block_words, 1});
  return access ? quotient(*access, {*amount, 1}) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> read_clock_hz(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kClock);
  if (!measure) return std::nullopt;
  constexpr std::int64_t kMost = 1'000'000'000'000;
  const auto own = in_own_unit(*measure);
  const auto hertz = own ? to_whole_number(*own) : std::nullopt;
  if (hertz && *hertz >= 1 && *hertz <= kMost) return hertz;
  context.complain(node,
                   fmt::format("\"{}\" is not a whole number of hertz from 1 Hz to 1000 GHz",
                               abbreviated(node.text)),
                   fmt::format("write {}", kClockForm));
  return std::nullopt;
}

bool is_energy_of_bits(std::string_view text) {
  return !apart(trimmed(text)).bits.empty() || text.find("/bit") != std::string_view::npos;
}

std::optional<double> read_access_energy_pj(Context& context, const Node& node) {
  if (!context.expect_scalar(node, kEnergyForm)) return std::nullopt;
  const PerBits text = apart(trimmed(node.text));
  if (!text.bits.empty()) {
    const auto measure = read_measure(context, node, text.energy, kAccessEnergy);
    if (!measure) return std::nullopt;
    if (measure->unit.of_bits) {
      context.complain(node, fmt::format("\"{}\" says twice of what it is", abbreviated(node.text)),
                       fmt::format("write {}", kPerBitsForm));
      return std::nullopt;
    }
    const auto times = amounts_per_access(context, node, text.bits);
    return times ? converted(context, node, *measure, times, kAccessEnergy) : std::nullopt;
  }
  const auto measure = read_measure(context, node, kAccessEnergy);
  if (!measure) return std::nullopt;
  if (!measure->unit.of_bits) return as_double(context, node, *measure, kAccessEnergy);
  const auto times = amounts_per_access(context, node, "bit");
  return times ? converted(context, node, *measure, times, kAccessEnergy) : std::nullopt;
}

std::optional<double> read_power_pj_per_cycle(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kPower);
  if (!measure) return std::nullopt;
  if (!measure->unit.per_second) return as_double(context, node, *measure, kPower);
  const auto times = seconds_per_cycle(context, node);
  return times ? converted(context, node, *measure, times, kPower) : std::nullopt;
}

std::optional<Rational> read_bandwidth(Context& context, const Node& node) {
  const auto measure = read_measure(context, node, kBandwidth);
  if (!measure) return std::nullopt;
  auto value = in_own_unit(*measure);
  if (value && measure->unit.of_bits) {
    const auto word = bits_per_word(context, node);
    if (!word) return std::nullopt;
    value = quotient(*value, *word);
  }
  if (value && measure->unit.per_second) {
    const auto seconds = seconds_per_cycle(context, node);
    if (!seconds) return std::nullopt;
    value = product(*value, *seconds);
  }
  const bool as_written = measure->terms && !measure->unit.of_bits && !measure->unit.per_second;
  const auto exact = as_written ? measure->terms : value ? to_rational(*value) : std::nullopt;
  if (!exact) {
    context.complain(node, fmt::format("\"{}\" cannot be kept exactly", abbreviated(node.text)),
                     "write up to 18 digits, or a fraction such as \"1/3 words/cycle\"");
    return std::nullopt;
  }
  if (exact->numerator < 1) {
    context.complain(node,
                     fmt::format("a bandwidth of \"{}\" lets nothing pass", abbreviated(node.text)),
                     "write one above 0, or leave the key out for no limit");
    return std::nullopt;
  }
  return exact;
}

std::string power_text(double pj_per_cycle) { return decimal_text(pj_per_cycle) + " pJ/cycle"; }
std::string bandwidth_text(Rational words_per_cycle) {
  return to_string(words_per_cycle) + " words/cycle";
}

std::string clock_text(std::int64_t hz) {
  constexpr std::array<const char*, 3> kLarger = {"kHz", "MHz", "GHz"};
  const char* unit = "Hz";
  for (const char* larger : kLarger) {
    if (hz % 1000 != 0) break;
    hz /= 1000;
    unit = larger;
  }
  return fmt::format("{} {}", hz, unit);
}

}  // namespace tilewright::io
