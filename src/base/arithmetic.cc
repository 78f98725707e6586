#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "tilewright/base.h"

namespace tilewright {

std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& factors) {
  // A zero makes the product zero however large the other factors are.
  for (const std::int64_t factor : factors) {
    if (factor == 0) return 0;
  }
  Int128 product = 1;
  for (const std::int64_t factor : factors) {
    product *= factor;
    if (product > kCountLimit || product < -Int128{kCountLimit}) return std::nullopt;
  }
  return static_cast<std::int64_t>(product);
}

std::string to_string(Rational value) {
  constexpr int kMaxPlaces = 18;  // 10^18 is the last power of ten below kCountLimit
  if (value.denominator == 1) return fmt::format("{}", value.numerator);
  const bool lowest = value.denominator > 0 && std::gcd(value.numerator, value.denominator) == 1;
  std::int64_t scale = 1;
  for (int places = 1; lowest && places <= kMaxPlaces; ++places) {
    scale *= 10;
    if (scale % value.denominator != 0) continue;
    const Int128 scaled = Int128{value.numerator} * (scale / value.denominator);
    if (scaled > kCountLimit) break;
    const auto shown = static_cast<std::int64_t>(scaled);
    return fmt::format("{}.{:0{}}", shown / scale, shown % scale, places);
  }
  return fmt::format("{}/{}", value.numerator, value.denominator);
}

std::int64_t cycles_for(std::int64_t words, Rational per_cycle) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  if (words <= 0) return 0;
  if (per_cycle.numerator <= 0) return kNever;
  const Int128 scaled = Int128{words} * per_cycle.denominator;
  const Int128 cycles = ceil_div(scaled, per_cycle.numerator);
  return cycles > kNever ? kNever : static_cast<std::int64_t>(cycles);
}

// Words are taken apart, so that no product has more bits than there are: so many times the
// numerator, and a rest.
Int128 wide_cycles_for(Int128 words, Rational per_cycle) {
  if (words <= 0) return 0;
  if (per_cycle.numerator <= 0) return kWideLimit;
  const Int128 scaled = wide_product(words, per_cycle.denominator);
  if (are_narrow(scaled, per_cycle.numerator)) {
    return ceil_div(static_cast<std::int64_t>(scaled), per_cycle.numerator);
  }
  const Int128 rest = words % per_cycle.numerator * per_cycle.denominator;
  const Int128 cycles = wide_product(words / per_cycle.numerator, per_cycle.denominator) +
                        ceil_div(rest, per_cycle.numerator);
  return cycles < kWideLimit ? cycles : kWideLimit;
}

std::string duration_text(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.{}f} ms", 1e3 * seconds, seconds < 0.00995 ? 1 : 0);
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  constexpr double kYear = 365.25 * kDay;
  if (seconds < kHour) {
    const auto whole = std::llround(seconds);
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  if (seconds < 2 * kDay) return fmt::format("{:.1f} h", seconds / kHour);
  if (seconds < 2 * kYear) return fmt::format("{:.0f} days", seconds / kDay);
  return fmt::format("{:.3g} years", seconds / kYear);
}

}  // namespace tilewright
