// The energy at which mappings of a subproblem are of no interest.
#pragma once

#include "mappers/optimal/cost.h"
#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

class EnergyLimit {
 public:
  // The same for all mappings.
  explicit EnergyLimit(Units units) : units_(units) {}
  // Holds for mappings that take so many cycles and instances at least. Sub-problem and goal must
  // outlive it.
  EnergyLimit(const Subproblem& sub, const Goal& goal, Int128 cycles, std::int64_t instances);

  // Without leakage; kNever if all energies are of interest.
  Units units() const { return units_; }
  // The same of mappings that take so many steps at least.
  Units with_steps(Int128 steps) const;
  bool depends_on_steps() const { return sub_ != nullptr; }
  // The same of those that take so many cycles, if it depends on them.
  Units with_cycles(Int128 cycles) const;

 private:
  const Subproblem* sub_ = nullptr;
  const Goal* goal_ = nullptr;
  Int128 cycles_ = 0;
  std::int64_t instances_ = 0;
  Units units_;
};

}  // namespace tilewright::optimal
