#include "fusion/fronts_leaf.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace tilewright::fusion {

namespace {

double elements(const FlatProblem& flat, int tensor) {
  return static_cast<double>(flat.tensor[at(tensor)].words(flat.size));
}

}  // namespace

LeafNests::LeafNests(const NestTable& table, std::uint32_t shared)
    : table_(table), lattice_(table.stack().sizes(), shared) {
  const NestStack& stack = table.stack();
  const FlatProblem& flat = stack.flat();
  must_stream_ = ((1U << flat.tensors) - 1) & ~stack.kept(stack.shared());
  macs_ = static_cast<double>(flat.macs);
  outputs_ = elements(flat, stack.output());
  for (int d = 0; d < flat.dims; ++d) {
    std::uint32_t still = 0;
    for (int t = 0; t < flat.tensors; ++t) {
      if (contains(stack.irrelevant(t), d)) still |= 1U << t;
    }
    still_by_dim_.push_back(still);
  }
  const int output = stack.output();
  const int keeper = contains(must_stream_, output) ? 0 : stack.shared();
  first_pj_ = outputs_ * (stack.prices(keeper, flat.memories, output).outside_pj -
                          flat.prices[at(keeper)].update_pj[at(output)]);
}

double LeafNests::inside_pj(const Run& run, std::size_t row) const {
  const NestTable::Row& of = table_.rows()[row];
  double pj = of.pj[run.tile];
  if (pj == std::numeric_limits<double>::infinity()) return pj;
  // Runs that are open inside the shared memory go on here, if this run is for their tensors.
  for (const int t : members(of.runs.open)) {
    pj += of.runs.word_pj[at(t)] * table_.per_word(t, run.ended[at(t)]);
  }
  return pj * macs_ - outputs_ * of.runs.first_pj - first_pj_;
}

double LeafNests::streamed_pj(int tensor, double per_mac) const {
  const NestStack& stack = table_.stack();
  const LinkPrices prices = stack.prices(0, stack.shared(), tensor);
  double pj = macs_ * per_mac * (prices.outside_pj + prices.inside_pj);
  if (tensor != stack.output()) return pj;
  const double update = stack.flat().prices[0].update_pj[at(tensor)];
  return pj - outputs_ * (prices.outside_pj - update + prices.inside_pj);
}

template <class Point>
LeafFronts<Point>::LeafFronts(const NestTable& table, std::uint32_t shared, const LeafTimes* times)
    : LeafNests(table, shared), times_(times) {
  fronts_.resize(std::size_t{1} << table.stack().flat().tensors);
  for (std::uint32_t streamed = 0; streamed < fronts_.size(); ++streamed) {
    if ((must_stream_ & ~streamed) == 0) fronts_[streamed].resize(lattice_.size());
  }
  for (std::size_t tile = 0; tile < table.lattice().size(); ++tile) try_tile(tile);
  sweep();
}

// Leaves out rows that another one beats even if its own runs end here and those of the row
// never do.
template <class Point>
void LeafFronts<Point>::choose_rows(std::size_t tile) {
  rows_.clear();
  const auto least = [&](const NestTable::Row& row) {
    return row.pj[tile] * macs_ - outputs_ * row.runs.first_pj;
  };
  const auto most = [&](const NestTable::Row& row) {
    double pj = 0;
    for (const int t : members(row.runs.open)) {
      pj += row.runs.word_pj[at(t)] * table_.per_word(t, tile);
    }
    return least(row) + pj * macs_;
  };
  const std::vector<NestTable::Row>& rows = table_.rows();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].pj[tile] == std::numeric_limits<double>::infinity()) continue;
    const bool beaten = std::any_of(rows_.begin(), rows_.end(), [&](std::size_t other) {
      return rows[other].runs.parallel >= rows[r].runs.parallel &&
             most(rows[other]) <= least(rows[r]);
    });
    if (beaten) continue;
    std::erase_if(rows_, [&](std::size_t other) {
      return rows[r].runs.parallel >= rows[other].runs.parallel &&
             most(rows[r]) <= least(rows[other]);
    });
    rows_.push_back(r);
  }
}

template <class Point>
void LeafFronts<Point>::try_tile(std::size_t tile) {
  const FlatProblem& flat = table_.stack().flat();
  Run run;
  run.tile = tile;
  run.extents = table_.lattice().extents(tile);
  run.ended.assign(at(flat.tensors), tile);
  choose_rows(tile);
  if (rows_.empty()) return;
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
template <class Point>
void LeafFronts<Point>::go_on(const Run& run) {
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

// The nests inside that count are those that no other beats in energy and multipliers at work.
template <class Point>
void LeafFronts<Point>::try_run(const Run& run) {
  std::vector<Inside>& best = inside_;
  best.clear();
  for (const std::size_t r : rows_) {
    const Inside one{inside_pj(run, r), table_.rows()[r].runs.parallel, r};
    const auto beats = [](const Inside& a, const Inside& b) {
      return a.pj <= b.pj && a.parallel >= b.parallel;
    };
    if (std::any_of(best.begin(), best.end(), [&](const Inside& b) { return beats(b, one); })) {
      continue;
    }
    std::erase_if(best, [&](const Inside& b) { return beats(one, b); });
    best.push_back(one);
  }
  for (const Inside& inside : best) add_streamed(run, inside);
}

template <class Point>
void LeafFronts<Point>::add_streamed(const Run& run, const Inside& inside) {
  const NestStack& stack = table_.stack();
  const std::size_t where = lattice_.index_of(run.extents);
  const PerDim tile = table_.lattice().extents(run.tile);
  std::array<double, kMaxTensors> added{}, words{};
  std::array<std::int64_t, kMaxTensors> room{};
  for (int t = 0; t < stack.flat().tensors; ++t) {
    if (contains(must_stream_, t)) continue;
    words[at(t)] = macs_ * table_.per_word(t, run.ended[at(t)]);
    added[at(t)] = streamed_pj(t, table_.per_word(t, run.ended[at(t)]));
    room[at(t)] = stack.flat().tensor[at(t)].words(tile) * stack.element_room(t);
  }
  bool noted = false;
  for (std::uint32_t streamed = 0; streamed < fronts_.size(); ++streamed) {
    if (fronts_[streamed].empty()) continue;
    Point point;
    point.pj = inside.pj;
    for (const int t : members(streamed)) {
      point.pj += added[at(t)];
      point.room += room[at(t)];
    }
    if constexpr (std::is_same_v<Point, TimedNest>) {
      point.time.cycles = times_->least_cycles(inside.parallel);
      for (const int t : members(streamed)) times_->stream(point.time, t, words[at(t)]);
    }
    FrontOf<Point>& front = fronts_[streamed][where];
    if (point.room > stack.capacity() || !front.wants(point)) continue;
    if (!noted) {
      nests_.push_back(
          {static_cast<std::uint32_t>(inside.row), static_cast<std::uint32_t>(run.tile), run.dims});
      noted = true;
    }
    point.origin = static_cast<std::uint32_t>(nests_.size()) - 1;
    front.add(point);
  }
}

// Loops around a nest whose runs have ended change nothing, so it serves all multiples.
template <class Point>
void LeafFronts<Point>::sweep() {
  std::vector<ExtentLattice::Step> steps;
  for (std::size_t i = 0; i < lattice_.size(); ++i) {
    lattice_.steps_from(i, steps);
    for (auto& fronts : fronts_) {
      if (fronts.empty()) continue;
      for (const ExtentLattice::Step& step : steps) fronts[step.to].merge(fronts[i]);
    }
  }
}

Mapping LeafNests::nest(std::uint32_t origin, const PerDim& extents, const Problem& problem) const {
  const Nest& nest = nests_[origin];
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

template class LeafFronts<FrontPoint>;
template class LeafFronts<TimedNest>;

}  // namespace tilewright::fusion
