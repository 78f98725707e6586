// Loops of flat groups whose first piece is shorter than the others.
#include <algorithm>
#include <set>

#include "fusion/flat_group.h"
#include "tilewright/base.h"

namespace tilewright::fusion {

namespace {

// Lengths of pieces: equal ones, the shortest for each number of pieces, and these rounded up to
// multiples of small powers of two, which nests divide well.
std::set<std::int64_t> lengths_of(std::int64_t size) {
  constexpr std::int64_t kLongestStep = 64;
  std::set<std::int64_t> lengths;
  for (std::int64_t length = size - 1; length >= 1;) {
    for (std::int64_t step = 1; step <= kLongestStep; step *= 2) {
      const std::int64_t rounded = ceil_div(length, step) * step;
      if (rounded < size) lengths.insert(rounded);
    }
    if (size % length == 0) lengths.insert(length);
    // The shortest pieces of which there are more.
    const std::int64_t count = ceil_div(size, length) + 1;
    if (count > size) break;
    length = std::min(length - 1, ceil_div(size, count));
  }
  return lengths;
}

}  // namespace

FlatGroup FlatGroupSearch::search_remainders(FlatGroup from, const Deadline& deadline) {
  best_ = std::move(from);
  grows_ = false;
  try {
    FlatCandidates candidates(task_);
    const std::size_t dims = last_dims().size();
    FlatCuts cuts = best_.plan ? cuts_of_best() : FlatCuts(dims);
    std::size_t without_gain = 0;
    for (std::size_t d = 0; without_gain < dims; d = (d + 1) % dims) {
      const double before = best_.pj;
      cut_otherwise(cuts, d, candidates);
      look_into_all(candidates, deadline);
      without_gain = best_.pj < before ? 0 : without_gain + 1;
      if (best_.pj < before) cuts = cuts_of_best();
    }
  } catch (const Expired&) {
    open_.clear();
  }
  best_.bound_pj = 0;
  return best_;
}

void FlatGroupSearch::cut_otherwise(const FlatCuts& cuts, std::size_t dim,
                                    const FlatCandidates& candidates) {
  const Dimension& of = last_dims()[dim];
  std::vector<FlatCut> others = {{}};
  for (const std::int64_t length : lengths_of(of.size)) {
    const FlatCut cut{ceil_div(of.size, length), of.size % length == 0 ? 0 : length};
    if (candidates.may_have({of.name, cut.count, cut.tile})) others.push_back(cut);
  }
  for (const FlatCut& other : others) {
    if (other == cuts[dim]) continue;
    FlatCuts changed = cuts;
    changed[dim] = other;
    open({0, 0, std::move(changed)});
  }
}

FlatCuts FlatGroupSearch::cuts_of_best() const {
  FlatCuts cuts(last_dims().size());
  for (const SharedLoop& loop : best_.plan->groups.front().loops) {
    const auto dim = task_.cascade.einsums.back().workload.find_dim(loop.dim);
    cuts[at(*dim)] = {loop.count, loop.tile};
  }
  return cuts;
}

}  // namespace tilewright::fusion
