#include "fusion/fronts_leaf.h"

#include <algorithm>
#include <limits>

namespace tilewright::fusion {

namespace {

double elements(const FlatProblem& flat, int tensor) {
  return static_cast<double>(flat.tensor[at(tensor)].words(flat.size));
}

}  // namespace

LeafFronts::LeafFronts(const NestTable& table, std::uint32_t shared)
    : table_(table), lattice_(table.stack().sizes(), shared) {
  const NestStack& stack = table.stack();
  const FlatProblem& flat = stack.flat();
  must_stream_ = ((1U << flat.tensors) - 1) & ~stack.kept(stack.shared());
  macs_ = static_cast<double>(flat.macs);
  outputs_ = elements(flat, stack.output());
  fronts_.resize(std::size_t{1} << flat.tensors);
  for (std::uint32_t streamed = 0; streamed < fronts_.size(); ++streamed) {
    if ((must_stream_ & ~streamed) == 0) fronts_[streamed].resize(lattice_.size());
  }
  for (int d = 0; d < flat.dims; ++d) {
    std::uint32_t still = 0;
    for (int t = 0; t < flat.tensors; ++t) {
      if (contains(stack.irrelevant(t), d)) still |= 1U << t;
    }
    still_by_dim_.push_back(still);
  }
  for (std::size_t tile = 0; tile < table.lattice().size(); ++tile) try_tile(tile);
  sweep();
}

void LeafFronts::try_tile(std::size_t tile) {
  const FlatProblem& flat = table_.stack().flat();
  Run run;
  run.tile = tile;
  run.extents = table_.lattice().extents(tile);
  run.ended.assign(at(flat.tensors), tile);
  try_run(run);
  std::vector<std::uint32_t> tried;
  for (const std::uint32_t still : still_by_dim_) {
    if (still == 0 || contains(tried, still)) continue;
    tried.push_back(still);
    run.still = still;
    go_on(run);
  }
}

// Makes the run longer by loops that move none of its tensors, in one dimension after the other.
void LeafFronts::go_on(const Run& run) {
  std::vector<std::size_t> longer;
  const std::size_t from = table_.lattice().index_of(run.extents);
  const std::uint32_t used = [&] {
    std::uint32_t dims = 0;
    for (std::uint64_t rest = run.dims; rest != 0; rest >>= 5U) dims |= 1U << ((rest & 31U) - 1U);
    return dims;
  }();
  for (int d = 0; d < table_.stack().flat().dims; ++d) {
    const std::uint32_t still = run.still & still_by_dim_[at(d)];
    if (still == 0 || contains(used, d)) continue;
    // Runs of the same tensors have their dimensions in rising order.
    const bool shrinks = still != run.still;
    if (!shrinks && run.dims != 0 && static_cast<int>((run.dims & 31U) - 1U) > d &&
        still_by_dim_[(run.dims & 31U) - 1U] == still_by_dim_[at(d)]) {
      continue;
    }
    table_.lattice().multiples_along(from, d, longer);
    for (const std::size_t to : longer) {
      Run next = run;
      next.still = still;
      next.extents = table_.lattice().extents(to);
      next.dims = (run.dims << 5U) | static_cast<std::uint64_t>(d + 1);
      for (const int t : members(still)) next.ended[at(t)] = to;
      try_run(next);
      go_on(next);
    }
  }
}

void LeafFronts::try_run(const Run& run) {
  // Runs that are open inside the shared memory go on here, if this run is for their tensors.
  for (std::size_t r = 0; r < table_.rows().size(); ++r) {
    const NestTable::Row& row = table_.rows()[r];
    double pj = row.pj[run.tile];
    if (pj == std::numeric_limits<double>::infinity()) continue;
    for (const int t : members(row.runs.open)) {
      pj += row.runs.word_pj[at(t)] * table_.per_word(t, run.ended[at(t)]);
    }
    const NestStack& stack = table_.stack();
    const int output = stack.output();
    const int keeper = contains(must_stream_, output) ? 0 : stack.shared();
    const double reread = stack.prices(keeper, stack.flat().memories, output).outside_pj -
                          stack.flat().prices[at(keeper)].update_pj[at(output)];
    add_streamed(run, r, pj * macs_ - outputs_ * (row.runs.first_pj + reread));
  }
}

double LeafFronts::streamed_pj(int tensor, double per_mac) const {
  const NestStack& stack = table_.stack();
  const LinkPrices prices = stack.prices(0, stack.shared(), tensor);
  double pj = macs_ * per_mac * (prices.outside_pj + prices.inside_pj);
  if (tensor != stack.output()) return pj;
  const double update = stack.flat().prices[0].update_pj[at(tensor)];
  return pj - outputs_ * (prices.outside_pj - update + prices.inside_pj);
}

void LeafFronts::add_streamed(const Run& run, std::size_t row, double pj) {
  const NestStack& stack = table_.stack();
  const std::size_t where = lattice_.index_of(run.extents);
  const PerDim tile = table_.lattice().extents(run.tile);
  std::array<double, kMaxTensors> added{};
  std::array<std::int64_t, kMaxTensors> room{};
  for (int t = 0; t < stack.flat().tensors; ++t) {
    if (contains(must_stream_, t)) continue;
    added[at(t)] = streamed_pj(t, table_.per_word(t, run.ended[at(t)]));
    room[at(t)] = stack.flat().tensor[at(t)].words(tile) * stack.element_room(t);
  }
  std::uint32_t number = 0;
  for (std::uint32_t streamed = 0; streamed < fronts_.size(); ++streamed) {
    if (fronts_[streamed].empty()) continue;
    double total = pj;
    std::int64_t words = 0;
    for (const int t : members(streamed)) {
      total += added[at(t)];
      words += room[at(t)];
    }
    Front& front = fronts_[streamed][where];
    if (words > stack.capacity() || !front.wants(words, total)) continue;
    if (number == 0) {
      nests_.push_back(
          {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(run.tile), run.dims});
      number = static_cast<std::uint32_t>(nests_.size());
    }
    front.add({words, total, number - 1});
  }
}

// Loops around a nest whose runs have ended change nothing, so it serves all multiples.
void LeafFronts::sweep() {
  std::vector<ExtentLattice::Step> steps;
  for (std::size_t i = 0; i < lattice_.size(); ++i) {
    lattice_.steps_from(i, steps);
    for (auto& fronts : fronts_) {
      if (fronts.empty()) continue;
      for (const ExtentLattice::Step& step : steps) fronts[step.to].merge(fronts[i]);
    }
  }
}

Mapping LeafFronts::nest(const FrontPoint& point, const PerDim& extents,
                         const Problem& problem) const {
  const Nest& nest = nests_[point.origin];
  const NestStack& stack = table_.stack();
  Mapping mapping(problem);
  table_.write_nest(nest.row, nest.tile, mapping);
  const PerDim tile = table_.lattice().extents(nest.tile);
  std::vector<DimId> run, order;
  for (std::uint64_t rest = nest.run; rest != 0; rest >>= 5U) {
    run.push_back(DimId{static_cast<int>(rest & 31U) - 1});
  }
  for (int d = 0; d < stack.flat().dims; ++d) {
    mapping.set_bound(stack.flat().memory[0].slot, DimId{d}, extents[at(d)] / tile[at(d)]);
    if (!contains(run, DimId{d})) order.push_back(DimId{d});
  }
  append(order, run);
  mapping.set_order(MemoryId{0}, order);
  return mapping;
}

}  // namespace tilewright::fusion
