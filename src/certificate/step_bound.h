// How many steps in time every mapping takes at least that comes to some extents: with remainders
// the first instance takes more of them than its share (docs/optimal.md, "Remainders").
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/context.h"

namespace tilewright::certificate {

class StepBound {
 public:
  explicit StepBound(const Context& context);

  // Whether extents inside the loops of a memory can say more than the frame does.
  bool is_of_use(int memory) const { return !known_[at(memory)].empty(); }
  // The cycles of the multipliers. The extents are numbers of classes. If one is given, a dimension
  // takes a step more than it has to.
  Int128 cycles(int memory, const int* extents, int longer = -1) const;

 private:
  std::int64_t steps(int memory, int dim, int extents) const;
  std::int64_t steps_at(int memory, int dim, std::int64_t inside) const;

  const Context& context_;
  mutable std::vector<std::vector<std::vector<std::int64_t>>>
      known_;  // [memory][dim][class]; 0: not
};

}  // namespace tilewright::certificate
