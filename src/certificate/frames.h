// What the proof goes through: every placement (which tensors each memory
// keeps) and, under each, every frame (how far each fan-out unrolls each
// dimension). Both in a fixed order.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/rules.h"

namespace tilewright::certificate {

using Placement = std::vector<std::uint32_t>;  // [memory] bits of tensors

// In the order of the numbers that their bits form, the outermost memory's
// being the highest. Every tensor is kept somewhere.
std::vector<Placement> all_placements(const Problem& problem, const Rules& rules);

// Unrolling of every dimension at every fan-out, both axes together.
class Unrolling {
 public:
  Unrolling(int fanouts, int dims) : dims_(dims), factors_(at(fanouts * dims), 1) {}
  std::int64_t factor(int fanout, int dim) const { return factors_[at(fanout * dims_ + dim)]; }
  void set(int fanout, int dim, std::int64_t factor) {
    factors_[at(fanout * dims_ + dim)] = factor;
  }
  int fanouts() const { return static_cast<int>(factors_.size()) / dims_; }

 private:
  int dims_;
  std::vector<std::int64_t> factors_;
};

// The unrollings of one fan-out that some split over its axes allows, in
// lexicographic order of the dimensions' factors.
std::vector<std::vector<std::int64_t>> unrollings_of(const Problem& problem, const Rules& rules,
                                                     int fanout);

// The Y slot of each fan-out; its X slot is the next one.
std::vector<int> fanout_slots(const Problem& problem);
// Where the fan-outs stand: fan-out f is inside memory place[f] - 1 and outside
// memory place[f].
std::vector<int> fanout_places(const Problem& problem);

}  // namespace tilewright::certificate
