// The digits of a mapping: strides of the slots, the digits of the last index,
// the moving loop of a link. Everything is counted one dimension at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/exact.h"

namespace tilewright::certificate {

// What becomes of a slot's digit in a count: every value counts, or it is 0,
// or its values are told apart later (the branches of a fan-out).
enum class Digit { Counted, Zero, Kept };

// A temporal loop with more than one iteration.
struct Loop {
  int slot = -1;
  int dim = -1;
};

class Nest {
 public:
  Nest(const Problem& problem, const Mapping& mapping);

  const Problem& problem() const { return *problem_; }
  const Mapping& mapping() const { return *mapping_; }
  std::int64_t size(int dim) const { return problem_->workload().dims[at(dim)].size; }
  std::int64_t bound(int slot, int dim) const { return mapping_->bound(slot, DimId{dim}); }
  // Indices per step of a slot's digit, and what a tile from the slot inwards
  // extends over.
  std::int64_t stride(int slot, int dim) const {
    return strides_[at(slot * problem_->dim_count() + dim)];
  }
  std::int64_t extent(int slot, int dim) const {
    return slot == problem_->slot_count() ? 1 : stride(slot, dim) * bound(slot, dim);
  }
  bool is_temporal(int slot) const { return problem_->slots()[at(slot)].is_temporal(); }

  // The innermost loop outside a slot in one of these dimensions; slot -1 if
  // there is none.
  Loop innermost_loop(int slot, std::uint32_t dims) const;
  // True if the loop of a temporal slot stands outside another loop.
  bool is_outside(int slot, int dim, const Loop& loop) const;

  // Combinations of the counted digits of the slots before `end` that occur,
  // all other digits being 0.
  template <typename Counted>
  std::int64_t combinations(int dim, int end, Counted counted) const;

 private:
  const Problem* problem_;
  const Mapping* mapping_;
  std::vector<std::int64_t> strides_;  // [slot][dim]
};

// Digits name an index below the size if, read from the outside, they are not
// beyond those of the last index. From the inside out: of all combinations so
// far, `within` are not beyond.
template <typename Counted>
std::int64_t Nest::combinations(int dim, int end, Counted counted) const {
  Count all = 1;
  Count within = 1;
  const std::int64_t last = size(dim) - 1;
  for (int s = end; s-- > 0;) {
    const std::int64_t b = bound(s, dim);
    if (b == 1) continue;
    const std::int64_t digit = last / stride(s, dim) % b;
    if (counted(s)) {
      within += digit * all;
      all *= b;
    } else if (digit > 0) {
      within = all;
    }
  }
  return narrow(within);
}

}  // namespace tilewright::certificate
