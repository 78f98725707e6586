// Counting the mappings of one dimension over the three loops of Ruby's Table I,
// from outside to inside: T1 (DRAM), S (processing elements), T0 (scratchpad).
//
// A loop of bound P has a remainder if the last time it is entered it runs R < P
// times. With equation 5 of the paper, L' = L * P + R - 1, and n = L + 1 a loop
// makes n' = (n - 1) * P + R iterations out of n. Read from the inside, a bound P
// needs ceil(n' / P) iterations outside of it and R follows.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::reproduce {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// T1 never has a remainder: nothing outside of it would make one time the last.
struct RubySpace {
  bool spatial_remainder = false;   // of S
  bool temporal_remainder = false;  // of T0
  std::int64_t spatial_limit = kUnlimited;
  std::int64_t temporal_limit = kUnlimited;  // of T0
};

// The mappings of the definition, each once. `size` is 1 or more, here and below.
std::int64_t distinct_mappings(std::int64_t size, const RubySpace& space);

// Those of them in which T0 has a remainder.
std::int64_t innermost_imperfect_mappings(std::int64_t size, const RubySpace& space);

// The length of the list that Timeloop's generator of imperfect factors makes
// (ResidualFactors in its src/util/numeric.cpp), with what it lists twice. One
// test of the public version is left out, which came after the paper: that a loop
// entered once, for one iteration, has bound 1. `space.spatial_limit` holds only
// where S may have a remainder; the generator knows no limit of other loops, so
// `space.temporal_limit` must be kUnlimited.
std::int64_t generated_mappings(std::int64_t size, const RubySpace& space);

// --- Table I, entry by entry ---------------------------------------------------

// How many mappings a mapspace has for one dimension over DRAM, 9 processing
// elements and their scratchpads.
struct RubyCount {
  std::string mapspace;   // as the table names it
  std::int64_t size = 0;  // of the dimension
  std::int64_t printed = 0;
  std::int64_t recomputed = 0;  // by `rule`, which the paper does not state: it was inferred
  std::string_view rule;
  // Every mapping of the definition once.
  std::int64_t distinct = 0;            // on at most 9 processing elements
  std::int64_t distinct_unbounded = 0;  // on any number of them
};

// The 20 entries, row by row.
std::vector<RubyCount> ruby_counts();

}  // namespace tilewright::reproduce
