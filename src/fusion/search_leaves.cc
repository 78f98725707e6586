#include "fusion/search_leaves.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace tilewright::fusion {

namespace {

class PortLeafTimes : public LeafTimes {
 public:
  PortLeafTimes(const CascadeFacts& facts, const PortTimes& times, int einsum)
      : facts_(facts), times_(times), einsum_(einsum) {}

  double least_cycles(double parallel) const override {
    return times_.least_cycles(einsum_, parallel);
  }
  void stream(OpenTime& open, int tensor, double words) const override {
    times_.add_words(open, facts_.words_of({einsum_, tensor}, words));
  }

 private:
  const CascadeFacts& facts_;
  const PortTimes& times_;
  int einsum_;
};

double most_parallel(const NestTable& table) {
  double most = 0;
  for (const NestTable::Row& row : table.rows()) {
    const bool exists = std::any_of(row.pj.begin(), row.pj.end(), [](double pj) {
      return pj != std::numeric_limits<double>::infinity();
    });
    if (exists) most = std::max(most, row.runs.parallel);
  }
  return most;
}

// Nests with everything resident.
template <class Nest>
class Residents : public LeafInterest<Nest> {
 public:
  explicit Residents(std::uint32_t must_stream) : must_stream_(must_stream) {}

  bool streams(std::uint32_t tensors) const override { return tensors == must_stream_; }

 private:
  std::uint32_t must_stream_;
};

// What an einsum takes with everything resident.
template <class Nest>
Total floor_of(const CascadeFacts& facts, const NestTables& nests, int einsum) {
  const NestTable& table = *nests.tables[at(einsum)];
  const LeafTimes* times = nests.times[at(einsum)].get();
  const LeafNests leaf(table, 0);
  Total floor{0, times->least_cycles(most_parallel(table))};
  if (const auto pj = leaf.least_inside_pj()) {
    floor.pj = *pj;
  } else {
    const Residents<Nest> residents(leaf.must_stream());
    const LeafFronts<Nest> fronts(table, 0, times, &residents);
    floor.pj = std::numeric_limits<double>::infinity();
    for (const Nest& nest : fronts.front(leaf.must_stream(), 0).points()) {
      floor.pj = std::min(floor.pj, nest.pj);
    }
  }
  floor.pj += facts.fixed_pj(einsum);
  return floor;
}

// The nests of an einsum that a plan may have which is as good as the one to beat.
template <class Point>
class UsefulNests : public LeafInterest<NestOf<Point>> {
 public:
  UsefulNests(const CascadeFacts& facts, const TreeBounds& bounds, const NestTables& nests,
              const LeafAim& aim, const Total& floor, int einsum)
      : bounds_(bounds), times_(*nests.times[at(einsum)]), fixed_pj_(facts.fixed_pj(einsum)) {
    const RunFacts& run = facts.run(einsum, einsum);
    const std::uint32_t all = (1U << facts.stack(einsum).flat().tensors) - 1;
    for (std::uint32_t streamed = 0; streamed <= all; ++streamed) {
      std::uint32_t unplaced = 0;
      for (std::size_t b = 0; b < run.tensors.size(); ++b) {
        if (!contains(streamed, run.tensors[b].tensor)) unplaced |= 1U << b;
      }
      rest_.push_back(bounds.rest(run, einsum, unplaced));
    }
    least_pj_ = floor.pj;
    if (aim.kind == LeafAim::Kind::Alone) only_ = all;
    if (aim.kind == LeafAim::Kind::Fastest) {
      least_parallel_ = most_parallel(*nests.tables[at(einsum)]);
    }
  }

  bool streams(std::uint32_t tensors) const override { return !only_ || tensors == *only_; }
  bool works(double parallel) const override {
    if (parallel < least_parallel_) return false;
    return bounds_.pays(Total{least_pj_, times_.least_cycles(parallel)} + rest_.front());
  }
  bool pays(const NestOf<Point>& nest, std::uint32_t streamed) const override {
    Total least = total_of(to_point(nest));
    least.pj += fixed_pj_;
    return bounds_.pays(least + rest_[streamed]);
  }

 private:
  const TreeBounds& bounds_;
  const LeafTimes& times_;
  double fixed_pj_, least_pj_ = 0;
  double least_parallel_ = 0;
  std::optional<std::uint32_t> only_;
  std::vector<Total> rest_;  // of a plan, by streamed tensors
};

}  // namespace

NestTables::NestTables(const CascadeFacts& facts, const PortTimes& port_times, bool timed,
                       Evenness evenness, const Deadline& deadline) {
  for (int e = 0; e < facts.einsums(); ++e) {
    deadline.check();
    tables.push_back(std::make_unique<NestTable>(
        facts.stack(e), timed ? std::optional(1.0) : std::nullopt, evenness));
    times.push_back(std::make_unique<PortLeafTimes>(facts, port_times, e));
  }
}

template <class Point>
LeafSet<Point>::LeafSet(const CascadeFacts& facts, const PortTimes& port_times,
                        const NestTables& nests, const LeafAim& aim, const Deadline& deadline) {
  for (int e = 0; e < facts.einsums(); ++e) {
    floors.push_back(floor_of<NestOf<Point>>(facts, nests, e));
  }
  const bool alone = aim.kind == LeafAim::Kind::Alone;
  const TreeBounds bounds(facts, port_times, aim.goal, floors, aim.to_beat, alone);
  for (int e = 0; e < facts.einsums(); ++e) {
    deadline.check();
    const UsefulNests<Point> useful(facts, bounds, nests, aim, floors[at(e)], e);
    fronts.push_back(std::make_unique<LeafFronts<NestOf<Point>>>(
        *nests.tables[at(e)], alone ? 0 : facts.leaf_dims(e), nests.times[at(e)].get(), &useful));
  }
}

template struct LeafSet<FrontPoint>;
template struct LeafSet<TimedPoint>;

}  // namespace tilewright::fusion
