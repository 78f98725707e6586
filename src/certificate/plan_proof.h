// Why no plan is better: of each group of einsums, a floor or all its trees.
#pragma once

#include <variant>
#include <vector>

#include "certificate/plan_trees.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

// The least that groups take, below limits. Tables of nests are made for the groups that were
// announced.
class GroupCloser {
 public:
  // `most` is the energy of the plan: no floor is above it. Throws Expired when it is cancelled.
  GroupCloser(const PlanSpace& space, const PlanTimes& times, Int128 most,
              const Deadline& deadline);

  const PlanFloors& floors() const { return floors_; }
  // Groups will be looked at that may not reach this.
  void announce(const EinsumRun& group, GroupLimit limit);
  void make_tables();
  // What the group takes that does not reach the limit, and nothing else beats.
  std::vector<PlanTotal> below(const EinsumRun& group, const GroupLimit& limit);
  bool is_closed_by_floor(const EinsumRun& group, const GroupLimit& limit) const {
    return limit.is_reached_by(floors_.group(group));
  }
  std::int64_t points() const { return points_; }

 private:
  struct Announced {
    EinsumRun group;
    GroupLimit limit;
    PlanTotal floor;  // in any plan
  };
  template <class Kind>
  using Nests = std::vector<NestFronts<Kind>>;

  // What the nests of an einsum may take inside the shared memory, with so many cycles.
  Int128 nest_limit(int einsum, Int128 cycles) const;
  template <class Kind>
  void make_nests(Nests<Kind>& nests) const;

  const PlanSpace& space_;
  const PlanTimes& times_;
  const Deadline& deadline_;
  PlanFloors floors_;
  std::vector<Announced> announced_;
  std::variant<Nests<EnergyAlone>, Nests<EnergyAndTime>> nests_;
  std::int64_t points_ = 0;
};

// Dimensions of an einsum that loops of some group may cut.
std::uint32_t cut_dims(const PlanSpace& space, int einsum);

// The plan's total and value, or a refusal if it is none of the space.
struct CountedPlan {
  PlanTotal total;
  BigUint value;
};
CountedPlan counted(const PlanSpace& space, const PlanTimes& times, Objective objective,
                    const Plan& plan);
// Values of an objective as decimals.
std::string value_text(const PlanSpace& space, Objective objective, const BigUint& value);
// The claim: a value below which no plan is; of the latency, with the least energy if the plan
// reaches it.
Target plan_target(Objective objective, const BigUint& bound, const CountedPlan& plan);

}  // namespace tilewright::certificate
