#include "certificate/plan_proof.h"

#include <algorithm>

#include "certificate/plan_count.h"
#include "certificate/refused.h"

namespace tilewright::certificate {

// A run of several einsums has this one together with a neighbour.
std::uint32_t cut_dims(const PlanSpace& space, int einsum) {
  std::uint32_t dims = 0;
  if (einsum > 0) dims |= space.shared_dims({einsum - 1, einsum});
  if (einsum + 1 < space.einsums()) dims |= space.shared_dims({einsum, einsum + 1});
  return dims & space.einsum(einsum).all_dims;
}

GroupCloser::GroupCloser(const PlanSpace& space, const PlanTimes& times, Int128 most,
                         const Deadline& deadline)
    : space_(space), times_(times), deadline_(deadline), floors_(space, times, most, deadline) {}

void GroupCloser::announce(const EinsumRun& group, GroupLimit limit) {
  announced_.push_back({group, std::move(limit), floors_.in_any_plan(group.first, group.last + 1)});
}

// What others leave, without the einsum's own loads and what is done afterwards.
Int128 GroupCloser::nest_limit(int einsum, Int128 cycles) const {
  Int128 most = 0;
  const PlanTotal& own = floors_.in_any_plan(einsum);
  const PlanEinsum& of = space_.einsum(einsum);
  const Int128 afterwards = certificate::times(of.afterwards, space_.elements(of.output()));
  const Int128 apart = own.energy - floors_.alone(einsum).energy + afterwards;
  for (const Announced& one : announced_) {
    if (!one.group.has(einsum)) continue;
    const Int128 in_all = one.floor.cycles - own.cycles + std::max(cycles, own.cycles);
    const Int128 others = one.floor.energy - own.energy;
    most = std::max(most, one.limit.energy(in_all) - others - apart);
  }
  return most;
}

template <class Kind>
void GroupCloser::make_nests(Nests<Kind>& nests) const {
  nests.reserve(at(space_.einsums()));
  for (int e = 0; e < space_.einsums(); ++e) {
    std::map<Int128, Int128> known;
    const auto limit = [&](Int128 cycles) {
      const auto found = known.find(cycles);
      if (found != known.end()) return found->second;
      return known[cycles] = nest_limit(e, cycles);
    };
    nests.emplace_back(space_, times_, e, cut_dims(space_, e), limit, deadline_);
  }
}

void GroupCloser::make_tables() {
  if (times_.count()) nests_.emplace<Nests<EnergyAndTime>>();
  std::visit([&](auto& nests) { make_nests(nests); }, nests_);
}

std::vector<PlanTotal> GroupCloser::below(const EinsumRun& group, const GroupLimit& limit) {
  return std::visit(
      [&]<class Kind>(const std::vector<NestFronts<Kind>>& nests) {
        GroupTrees<Kind> trees(space_, times_, nests, floors_, group, limit, deadline_);
        std::vector<PlanTotal> least = trees.least();
        points_ += trees.points();
        return least;
      },
      nests_);
}

CountedPlan counted(const PlanSpace& space, const PlanTimes& times, Objective objective,
                    const Plan& plan) {
  const PlanCounter counter(space, times, plan);
  if (!counter.problem().empty()) refuse("{}", counter.problem());
  const PlanTotal total = counter.total();
  return {total, value_of(objective, {total.energy, total.cycles, 1})};
}

std::string value_text(const PlanSpace& space, Objective objective, const BigUint& value) {
  return decimal_text(value, objective.energy * space.decimals());
}

Target plan_target(Objective objective, const BigUint& bound, const CountedPlan& plan) {
  std::optional<Cost> reached;
  if (objective.energy == 0 && bound == plan.value) {
    reached = Cost{plan.total.energy, plan.total.cycles, 1};
  }
  return {objective, bound, reached};
}

}  // namespace tilewright::certificate
