#include "reproduce/ruby_counts.h"

#include <algorithm>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::reproduce {
namespace {

std::int64_t divisors_up_to(std::int64_t number, std::int64_t limit) {
  std::int64_t count = 0;
  for (std::int64_t divisor = 1; divisor <= std::min(number, limit); ++divisor) {
    count += number % divisor == 0 ? 1 : 0;
  }
  return count;
}

// --- the generator ----------------------------------------------------------

// The factors the generator tries, as flags by factor: divisors of the size and,
// to cover what remainders make possible, of n * ceil(size / n) * size for every
// bound n. Where bounds stop at 9 some T1 are not among them, and their mappings
// are missing: 17 for size 4096.
std::vector<bool> candidate_factors(std::int64_t size, std::int64_t largest_bound) {
  std::vector<bool> candidates(static_cast<std::size_t>(size) + 1, false);
  for (std::int64_t factor = 1; factor <= size; ++factor) {
    bool found = size % factor == 0;
    for (std::int64_t n = 1; n <= largest_bound && !found; ++n) {
      found = n * ceil_div(size, n) * size % factor == 0;
    }
    candidates[static_cast<std::size_t>(factor)] = found;
  }
  return candidates;
}

// floor(sqrt(size) + 1.5) without a square root: t is at most that if
// t - 1.5 <= sqrt(size).
std::int64_t large_factor(std::int64_t size) {
  std::int64_t t = 2;
  while ((2 * t - 1) * (2 * t - 1) <= 4 * size) ++t;
  return t;
}

struct Factors {
  std::int64_t t1, s, t0;
};

// The generator makes three lists and joins them: T0 free, S large, T1 large, the
// others small. It takes the threshold itself for both small and large, so that a
// mapping with such an S or T1 is in two lists, and counts twice.
int lists_with(const Factors& factors, std::int64_t threshold) {
  const auto [t1, s, t0] = factors;
  const bool t0_free = s <= threshold && t1 <= threshold;
  const bool s_large = s >= threshold && t0 <= threshold && t1 <= threshold;
  const bool t1_large = t1 >= threshold && t0 <= threshold && s <= threshold;
  return (t0_free ? 1 : 0) + (s_large ? 1 : 0) + (t1_large ? 1 : 0);
}

// The generator drops combinations early by this. No mapping of the definition
// fails: it has size - 1 >= (T1 - 1) * S * T0, or (S - 1) * T0 if T1 is 1. All it
// does is to limit the S that generated_mappings() lets pass besides.
bool passes_product_test(const Factors& factors, std::int64_t size) {
  const auto at_least = [](std::int64_t bound) { return std::max<std::int64_t>(bound - 1, 1); };
  return at_least(factors.t1) * at_least(factors.s) * at_least(factors.t0) <= size;
}

}  // namespace

// For every T0 the S that divide what remains outside of it, or all up to it; T1
// is then the rest, rounded up. A larger S would run like the largest of these.
std::int64_t distinct_mappings(std::int64_t size, const RubySpace& space) {
  std::int64_t count = 0;
  for (std::int64_t t0 = 1; t0 <= std::min(size, space.temporal_limit); ++t0) {
    if (!space.temporal_remainder && size % t0 != 0) continue;
    const std::int64_t outside = ceil_div(size, t0);
    count += space.spatial_remainder ? std::min(outside, space.spatial_limit)
                                     : divisors_up_to(outside, space.spatial_limit);
  }
  return count;
}

std::int64_t innermost_imperfect_mappings(std::int64_t size, const RubySpace& space) {
  RubySpace innermost_perfect = space;
  innermost_perfect.temporal_remainder = false;
  return distinct_mappings(size, space) - distinct_mappings(size, innermost_perfect);
}

// The generator tries every remainder with every triple of factors. Given the
// factors, the remainders less one are the digits of size - 1 in a number system
// with these bases, so at most one choice fits and it is enough to go through T0
// and S. An S above what remains outside of T0 passes with the latter as its
// remainder. Being entered once it then runs exactly like a smaller S, which is
// counted again: 70 times for Ruby at size 64.
std::int64_t generated_mappings(std::int64_t size, const RubySpace& space) {
  const std::int64_t spatial_bound =
      space.spatial_remainder ? std::min(size, space.spatial_limit) : size;
  const std::int64_t threshold = large_factor(size);
  std::int64_t largest_bound = space.spatial_remainder ? spatial_bound : 0;
  if (space.temporal_remainder) largest_bound = size;
  const std::vector<bool> candidates = candidate_factors(size, largest_bound);
  const auto is_candidate = [&](std::int64_t f) { return candidates[static_cast<std::size_t>(f)]; };

  std::int64_t count = 0;
  for (std::int64_t t0 = 1; t0 <= size; ++t0) {
    if (!is_candidate(t0) || (!space.temporal_remainder && size % t0 != 0)) continue;
    const std::int64_t outside = ceil_div(size, t0);
    for (std::int64_t s = 1; s <= spatial_bound; ++s) {
      if (!is_candidate(s) || (!space.spatial_remainder && outside % s != 0)) continue;
      const Factors factors{ceil_div(outside, s), s, t0};
      if (!is_candidate(factors.t1) || !passes_product_test(factors, size)) continue;
      count += lists_with(factors, threshold);
    }
  }
  return count;
}

}  // namespace tilewright::reproduce
