// The private nests of all einsums of a cascade.
#include <algorithm>
#include <type_traits>

#include "fusion/search_tree.h"

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

}  // namespace

template <class Point>
LeafSet<Point>::LeafSet(const CascadeFacts& facts, const Deadline& deadline,
                        const PortTimes& port_times) {
  constexpr bool kTimed = std::is_same_v<Point, TimedPoint>;
  for (int e = 0; e < facts.einsums(); ++e) {
    deadline.check();
    tables.push_back(
        std::make_unique<NestTable>(facts.stack(e), kTimed ? std::optional(1.0) : std::nullopt));
    times.push_back(std::make_unique<PortLeafTimes>(facts, port_times, e));
    fronts.push_back(std::make_unique<LeafFronts<NestOf<Point>>>(*tables.back(), facts.leaf_dims(e),
                                                                 times.back().get()));
    fixed_pj.push_back(facts.fixed_pj(e));
  }
}

template <class Point>
std::vector<Total> LeafSet<Point>::floors() const {
  std::vector<Total> floors;
  for (std::size_t e = 0; e < fronts.size(); ++e) {
    const auto& all = fronts[e]->front(fronts[e]->must_stream(), fronts[e]->lattice().last());
    Total floor;
    for (const auto& nest : all.points()) {
      const Total one = total_of(to_point(nest));
      const bool first = &nest == &all.points().front();
      floor.pj = first ? one.pj : std::min(floor.pj, one.pj);
      floor.cycles = first ? one.cycles : std::min(floor.cycles, one.cycles);
    }
    floor.pj += fixed_pj[e];
    floors.push_back(floor);
  }
  return floors;
}

template struct LeafSet<FrontPoint>;
template struct LeafSet<TimedPoint>;

}  // namespace tilewright::fusion
