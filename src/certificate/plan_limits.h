// What a group of einsums has to take, so that no plan that has it is better than the claim.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "certificate/plan_space.h"
#include "certificate/target.h"

namespace tilewright::certificate {

// Adds a total, unless one that is there takes no more of anything; and takes out those that take
// no less than it.
void add_total(std::vector<PlanTotal>& totals, const PlanTotal& total);

// A plan of the einsums before the group takes no less than one of some totals. With one of the
// group it takes no less than one of those behind it, or is of no use: whatever the rest takes at
// least, the whole is no better than the claim.
class GroupLimit {
 public:
  GroupLimit(const Target& target, std::vector<PlanTotal> before, std::vector<PlanTotal> behind,
             const PlanTotal& rest)
      : target_(target), before_(std::move(before)), behind_(std::move(behind)), rest_(rest) {}

  // The energy that a group has to take that takes so many cycles at least.
  Int128 energy(Int128 cycles) const;
  bool is_reached_by(const PlanTotal& least) const { return least.energy >= energy(least.cycles); }

 private:
  Int128 energy_behind(const PlanTotal& before, Int128 cycles) const;

  Target target_;
  std::vector<PlanTotal> before_, behind_;
  PlanTotal rest_;
  mutable std::optional<PlanTotal> last_;  // the last answer
  mutable std::map<Int128, Int128> known_;
};

}  // namespace tilewright::certificate
