// What the branches of fan-outs need of a window, each on its own.
#include <algorithm>

#include "mappers/optimal/branch_count.h"
#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

bool Subproblem::has_whole_tiles(const Window& window, int fanout) const {
  if (solver_->is_perfect() || has_remainders_in_time(*solver_) || solver_->boxes) return false;
  for (int i = 0; i < window.dim_count(); ++i) {
    for (int f = fanout + 1; f < solver_->fanout_count; ++f) {
      if (spatial_->last(f, window.dim(i)) > 1) return false;
    }
  }
  return window.dim_count() == 2;
}

// Branches outside a memory that have an index of a dimension, at least. Of a set the split over
// axes is not known. Whole tiles are as many as divide the dimension.
std::int64_t Subproblem::used_branches(int memory, int dim) const {
  constexpr std::int64_t kMostTried = 1024;
  if (solver_->is_perfect()) return unrolled_outside(memory, dim);
  std::int64_t all = 1;
  int fanout = -1;     // that unrolls the dimension
  bool single = true;  // no other one does
  for (int f = 0; f < solver_->fanout_count; ++f) {
    if (f < fanouts_outside(memory)) all = times(all, spatial_->first(f, dim));
    if (spatial_->last(f, dim) == 1) continue;
    single = fanout < 0;
    fanout = f;
  }
  if (all == 1) return 1;
  const std::int64_t least =
      spatial_->is_set() ? all - all / 2 + 1 : least_branches_[at(memory)][at(dim)];
  if (!single || has_remainders_in_time(*solver_)) return least;
  std::int64_t tiles = least;
  while (tiles < std::min(all, least + kMostTried) && solver_->size(dim) % tiles != 0) ++tiles;
  return tiles;
}

// What passes of the words of a fan-out's branches, at least, with the last bounds of a set.
Rational Subproblem::least_share(const Window& window, int fanout) const {
  const auto last = [&](int dim) { return spatial_->last(fanout, dim); };
  BranchCount used;
  for (int i = 0; i < 2; ++i) used.add(last(window.dim(i)), solver_->size(window.dim(i)));
  if (used.product == used.most) return {1, 1};
  const bool whole = solver_->is_perfect() || has_whole_tiles(window, fanout);
  return whole ? share_of_whole_tiles(*solver_, window, last)
               : used.different_starts(!moves_evenly(window));
}

// With indices in sets of A and B, an instance needs A + B - 1 different sums at least. Over all
// branches, a and b in the two dimensions, that is b D_a + a D_b - a b; no less if they are more.
Int128 Subproblem::least_of_branches(const Link& link, int kind, std::size_t number) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const Window& window = tensor.windows[number];
  const std::int64_t whole = tensor.window_elements[number];
  const bool unknown = solver_->boxes || solver_->unsettled || tensor.shares_halos;
  if (unknown || window.dim_count() != 2) return whole;
  const std::int64_t a = used_branches(link.child, window.dim(0));
  const std::int64_t b = used_branches(link.child, window.dim(1));
  if (a == 1 && b == 1) return whole;
  const Int128 all = Int128{b} * solver_->size(window.dim(0)) +
                     Int128{a} * solver_->size(window.dim(1)) - Int128{a} * b;
  Int128 words = std::min(all, kWideLimit);
  for (int f = shared_from(link, kind); f < link.end_fanout && words > whole; ++f) {
    if (!shares(f, tensor.output)) continue;
    const Rational part = least_share(window, f);
    words = part_of(words, part.numerator, part.denominator);
  }
  return std::max<Int128>(whole, words);
}

}  // namespace tilewright::optimal
