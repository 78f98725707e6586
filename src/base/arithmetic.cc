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
  const Int128 cycles = (scaled + per_cycle.numerator - 1) / per_cycle.numerator;
  return cycles > kNever ? kNever : static_cast<std::int64_t>(cycles);
}

}  // namespace tilewright
