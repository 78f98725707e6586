// A frame: which tensors each memory keeps, and how far each fan-out unrolls each
// dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/rules.h"

namespace tilewright::certificate {

using Placement = std::vector<std::uint32_t>;  // [memory] bits of tensors

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

// The Y slot of each fan-out; its X slot is the next one.
std::vector<int> fanout_slots(const Problem& problem);
// Where the fan-outs stand: fan-out f is inside memory place[f] - 1 and outside
// memory place[f].
std::vector<int> fanout_places(const Problem& problem);

}  // namespace tilewright::certificate
