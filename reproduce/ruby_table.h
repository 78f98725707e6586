// Table I of Ruby, entry by entry.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::reproduce {

// How many mappings a mapspace has for one dimension over DRAM, 9 processing
// elements and their scratchpads.
struct RubyCount {
  std::string_view mapspace;  // as the table names it
  std::int64_t size = 0;      // of the dimension
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
