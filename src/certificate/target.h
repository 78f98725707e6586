// What the proof is about: no mapping is better than this.
#pragma once

#include <array>
#include <cstdint>

#include "certificate/count.h"
#include "tilewright/base.h"

namespace tilewright::certificate {

class Target {
 public:
  // `bound` is in units of the objective: a product of powers of energy and cycles. With
  // a mapping that reaches it, no other that does so may be better by the rest of the key:
  // fewer cycles, then less energy, last fewer instances, of which any mapping of as many cycles
  // needs so many.
  Target(Objective objective, const BigUint& bound, std::optional<Cost> reached,
         std::int64_t needed = 1);

  // Mappings with at least so many cycles and instances are no better if they take at
  // least this energy; kUnreachable if they are better at any.
  Int128 energy_needed(Int128 cycles, std::int64_t instances) const;
  bool is_reached_by(const Cost& cost) const {
    return cost.energy >= energy_needed(cost.cycles, cost.instances);
  }

  static constexpr Int128 kUnreachable = static_cast<Int128>(1) << 126;

 private:
  Objective objective_;
  BigUint bound_;
  std::optional<Cost> reached_;
  std::int64_t needed_;

  // The least energy that is no better by the first two parts of the key, and whether
  // it is then equal by them.
  struct Least {
    Int128 energy = 0;
    bool ties = false;
  };
  Least least_energy(Int128 cycles) const;
  // Whether so many cycles and instances are better among equals.
  bool wins_tie(Int128 cycles, std::int64_t instances) const;

  struct Answer {
    Int128 cycles = -1;
    std::int64_t instances = -1;
    Int128 energy = 0;
  };
  mutable std::array<Answer, 64> answers_;  // given before, by the last digits of the cycles
};

// The value of an objective, in its units.
BigUint value_of(Objective objective, const Cost& cost);
// Decimal places of the values of an objective, and one of its values.
int value_decimals(Objective objective, const Energies& energies);
std::string value_text(Objective objective, const Energies& energies, const Cost& cost);

// No mapping that takes so many cycles, or fewer, has fewer instances in use: none of them does
// more than it can.
std::int64_t fewest_instances(const Terms& terms, Int128 cycles);

// Equal latencies are told apart by energy where the bound is the mapping's own.
Target make_target(Objective objective, const BigUint& bound, const Cost& cost, const Terms& terms);

}  // namespace tilewright::certificate
