// What the proof is about: no mapping is better than this.
#pragma once

#include <cstdint>

#include "certificate/count.h"
#include "tilewright/search.h"

namespace tilewright::certificate {

class Target {
 public:
  // `bound` is in units of the objective: energy, cycles, or their product.
  // With ties, mappings of equal latency must not take less energy either.
  Target(Objective objective, const BigUint& bound, std::optional<Int128> tie_energy);

  // Mappings with so many cycles are no better if they take at least this
  // energy; kUnreachable if they are better at any.
  Int128 energy_needed(std::int64_t cycles) const;
  bool is_reached_by(Int128 energy, std::int64_t cycles) const {
    return energy >= energy_needed(cycles);
  }

  static constexpr Int128 kUnreachable = static_cast<Int128>(1) << 126;

 private:
  Objective objective_;
  BigUint bound_;
  std::optional<Int128> tie_energy_;
  mutable std::int64_t known_cycles_ = -1;  // the last answer
  mutable Int128 known_energy_ = 0;
};

// The value of an objective, in its units.
BigUint value_of(Objective objective, const Cost& cost);

}  // namespace tilewright::certificate
