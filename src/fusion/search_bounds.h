// What a plan takes at least, given a part of it; and which parts are therefore of no use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fusion/fronts.h"
#include "fusion/search_runs.h"
#include "fusion/search_times.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

// What a plan, or a part of one, takes.
struct Total {
  double pj = 0, cycles = 0;

  friend Total operator+(Total a, const Total& b) { return a += b; }
  Total& operator+=(const Total& more) {
    pj += more.pj;
    cycles += more.cycles;
    return *this;
  }
};
// What plans are compared by: a product of powers of energy and cycles, or energy and a price of
// each cycle.
struct Goal {
  Objective objective = Objective::Energy;
  double cycle_pj = 0;  // above 0 it counts in place of the objective

  bool is_timed() const { return objective.cycles > 0 || cycle_pj > 0; }
};
inline Goal goal_of(const FuseOptions& options) { return {options.objective, options.cycle_pj}; }
// Where nothing takes energy, cycles alone tell plans apart.
FuseOptions options_on(const Architecture& arch, FuseOptions options);
double value_of(const Goal& goal, const Total& total);
// If two values are equal, the one with less energy is better.
bool is_better(const Goal& goal, const Total& a, const Total& b);

// What is known of a point.
inline Total total_of(const FrontPoint& point) { return {point.pj, 0}; }
Total total_of(const TimedPoint& point);

// What einsums take at least, loads included, in groups that share another memory.
struct OtherFloors {
  std::vector<Total> by_einsum = {};  // empty: there is no other memory

  // The same for a part of the cascade from this einsum on.
  OtherFloors from(int first) const {
    if (by_einsum.empty()) return {};
    return {{by_einsum.begin() + first, by_einsum.end()}};
  }
};

class TreeBounds {
 public:
  // The floors of all einsums: what they take with everything resident, before any load. Only plans
  // that are no worse than the one to beat are of interest. Einsums that are groups of their own
  // hand on nothing on the chip.
  TreeBounds(const CascadeFacts& facts, const PortTimes& times, const Goal& goal,
             const std::vector<Total>& floors, std::optional<Total> to_beat, bool alone = false,
             const OtherFloors& others = {});

  // What the rest of a plan takes at least, beside the first einsums of a run up to `last`, some of
  // whose tensors have no place yet.
  Total rest(const RunFacts& run, int last, std::uint32_t unplaced) const;
  // False if no plan is of interest that takes this much at least.
  bool pays(const Total& least) const;
  // What no plan of the cascade falls below.
  const Total& whole() const { return whole_; }
  double value(const Total& total) const { return value_of(goal_, total); }

 private:
  Goal goal_;
  std::vector<Total> before_;  // sums of floors of the first einsums
  Total whole_;
  std::optional<Total> to_beat_;
  double most_ = 0;  // its value
};

}  // namespace tilewright::fusion
