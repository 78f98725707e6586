// The branches of a fan-out, and what passes of their words.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mappers/optimal/subproblem.h"
#include "mappers/optimal/window_starts.h"

namespace tilewright::optimal {

// As many words as `part` of `all` equal shares have, rounded up.
inline Int128 part_of(Int128 words, std::int64_t part, std::int64_t all) {
  if (are_narrow(words, part)) return ceil_div(words * part, all);
  return words / all * part + (words % all * part + all - 1) / all;  // without a larger product
}

// The branches of a fan-out that have something of a window.
struct BranchCount {
  std::int64_t product = 1, most = 1, starts = 1;
  int dims = 0;  // that are unrolled

  void add(std::int64_t branches, std::int64_t size) {
    const std::int64_t used = std::min(branches, size);
    dims += used > 1 ? 1 : 0;
    product *= used;
    most = std::max(most, used);
    starts += used - 1;
  }

  // The share of their words that passes with remainders, at least; less with more branches.
  Rational different_starts(bool uneven) const {
    if (product == most) return {1, 1};
    if (dims > 2 || uneven) return {1, product / most};
    return {starts - 1, product - 1};
  }
};

// The same if each of the branches has a whole tile or nothing: branches_of(dimension) are so many.
template <typename BranchesOf>
Rational share_of_whole_tiles(const SolverTables& solver, const Window& window,
                              BranchesOf branches_of) {
  UnrolledDims dims;
  for (int i = 0; i < window.dim_count(); ++i) {
    const std::int64_t size = solver.size(window.dim(i));
    dims[at(i)] = {std::min<std::int64_t>(branches_of(window.dim(i)), size), size, size, true,
                   true};
  }
  return least_share_of_starts(window, dims);
}

}  // namespace tilewright::optimal
