#include <limits>

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

std::int64_t cycles_for(std::int64_t words, Rational per_cycle) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  if (words <= 0) return 0;
  if (per_cycle.numerator <= 0) return kNever;
  const Int128 scaled = Int128{words} * per_cycle.denominator;
  const Int128 cycles = (scaled + per_cycle.numerator - 1) / per_cycle.numerator;
  return cycles > kNever ? kNever : static_cast<std::int64_t>(cycles);
}

}  // namespace tilewright
