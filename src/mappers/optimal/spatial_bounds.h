// The bounds of all spatial slots: how far each fan-out unrolls each dimension, and how
// that can be split over its axes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

class SpatialBounds {
 public:
  SpatialBounds(int fanouts, int dims, bool is_set = false)
      : dims_(dims),
        more_(is_set ? fanouts * dims : 0),
        unrolled_(at(is_set ? 3 * more_ : fanouts * dims), 1),
        splits_(at(fanouts)) {}

  std::int64_t unrolled(int fanout, int dim) const { return unrolled_[at(fanout * dims_ + dim)]; }
  void set_unrolled(int fanout, int dim, std::int64_t bound) {
    unrolled_[at(fanout * dims_ + dim)] = bound;
  }

  // In a set of bounds: the first and the last that there are.
  std::int64_t first(int fanout, int dim) const {
    return unrolled_[at(more_ + fanout * dims_ + dim)];
  }
  std::int64_t last(int fanout, int dim) const {
    return unrolled_[at(2 * more_ + fanout * dims_ + dim)];
  }
  bool is_set() const { return more_ > 0; }
  void set_range(int fanout, int dim, std::int64_t first, std::int64_t last) {
    unrolled_[at(more_ + fanout * dims_ + dim)] = first;
    unrolled_[at(2 * more_ + fanout * dims_ + dim)] = last;
  }

  // Bounds along the x axis; y has the rest. What a mapping costs does not depend on the
  // split. Where bounds must divide, one of them is as good as all; otherwise it depends on
  // the loops inside which of them are legal.
  const std::vector<PerDim>& splits(int fanout) const { return splits_[at(fanout)]; }
  void set_splits(int fanout, std::vector<PerDim> along_x) {
    splits_[at(fanout)] = std::move(along_x);
  }

 private:
  int dims_;
  int more_;  // bounds, of a set
  // By fan-out and dimension: those that count, and of a set the first and the last.
  std::vector<std::int64_t> unrolled_;
  std::vector<std::vector<PerDim>> splits_;  // by fan-out
};

// Whether a split of a bound is legal with so many iterations left; x is inside.
inline bool is_legal_split(std::int64_t unrolled, std::int64_t along_x, std::int64_t left) {
  return along_x <= left && unrolled / along_x <= ceil_div(left, along_x);
}

// Whether a fan-out can unroll a dimension so far, with some number of iterations left from
// `fewest` to `most`.
inline bool may_unroll(const SolverTables& solver, const SpatialBounds& spatial, int fanout,
                       int dim, std::int64_t fewest, std::int64_t most) {
  const std::int64_t unrolled = spatial.unrolled(fanout, dim);
  if (!solver.may_leave_remainder(solver.fanout(fanout).slot)) {
    return most - most % unrolled >= fewest;
  }
  // What is legal with few iterations is legal with more.
  const std::vector<PerDim>& splits = spatial.splits(fanout);
  return std::any_of(splits.begin(), splits.end(), [&](const PerDim& along_x) {
    return is_legal_split(unrolled, along_x[at(dim)], most);
  });
}

}  // namespace tilewright::optimal
