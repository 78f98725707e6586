#include "fusion/search_bounds.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"

namespace tilewright::fusion {

double value_of(const Goal& goal, const Total& total) {
  if (goal.cycle_pj > 0) return total.pj + goal.cycle_pj * total.cycles;
  const Objective& objective = goal.objective;
  double value = 1;
  for (int i = 0; i < objective.energy; ++i) value *= total.pj;
  for (int i = 0; i < objective.cycles; ++i) value *= total.cycles;
  return value;
}

FuseOptions options_on(const Architecture& arch, FuseOptions options) {
  if (options.objective.cycles > 0 && !takes_energy(arch)) options.objective = Objective::Latency;
  return options;
}

bool is_better(const Goal& goal, const Total& a, const Total& b) {
  const double value_a = value_of(goal, a), value_b = value_of(goal, b);
  return value_a < value_b || (value_a == value_b && a.pj < b.pj);
}

Total total_of(const TimedPoint& point) {
  Total total{point.pj, point.cycles};
  for (int i = 0; i < point.opens; ++i) total.cycles += point.open[at(i)].cycles;
  return total;
}

TreeBounds::TreeBounds(const CascadeFacts& facts, const PortTimes& times, const Goal& goal,
                       const std::vector<Total>& floors, std::optional<Total> to_beat, bool alone,
                       const OtherFloors& others)
    : goal_(goal), to_beat_(to_beat) {
  if (to_beat) most_ = value_of(goal, *to_beat);
  // Tensors that no einsum hands on are loaded once at least.
  before_.push_back({});
  for (int e = 0; e < facts.einsums(); ++e) {
    Total floor = floors[at(e)];
    OpenTime open{floor.cycles, {}};
    const NestStack& stack = facts.stack(e);
    for (const int t : members(stack.kept(stack.shared()))) {
      if (!alone && facts.may_be_handed_on({e, t})) continue;
      floor.pj += facts.least_load_pj({e, t});
      if (goal.is_timed()) times.add_words(open, facts.least_words({e, t}));
    }
    if (goal.is_timed()) floor.cycles = times.cycles(open);
    if (!others.by_einsum.empty()) {
      floor.pj = std::min(floor.pj, others.by_einsum[at(e)].pj);
      floor.cycles = std::min(floor.cycles, others.by_einsum[at(e)].cycles);
    }
    whole_ += floor;
    before_.push_back(whole_);
  }
}

Total TreeBounds::rest(const RunFacts& run, int last, std::uint32_t unplaced) const {
  const Total& first = before_[at(run.first)];
  const Total& behind = before_[at(last + 1)];
  Total rest{first.pj + (whole_.pj - behind.pj), first.cycles + (whole_.cycles - behind.cycles)};
  for (const int b : members(unplaced)) rest.pj += run.least_pj[at(b)];
  return rest;
}

bool TreeBounds::pays(const Total& least) const {
  if (!to_beat_) return true;
  // Sums in another order may differ in their last digits.
  constexpr double kSlack = 1 + 1e-9;
  const double value = value_of(goal_, least);
  if (value > most_ * kSlack) return false;
  return goal_.objective != Objective::Latency || value < most_ ||
         least.pj <= to_beat_->pj * kSlack;
}

}  // namespace tilewright::fusion
