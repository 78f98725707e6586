// Which memory's order of loops decides how often a tile moves.
#pragma once

#include <array>
#include <cstdint>

#include "base/bits.h"
#include "model/link.h"

namespace tilewright::model {

// Dimensions with a loop at each memory, as bits.
using LoopSets = std::array<std::uint32_t, kMaxMemories>;

inline void find_loops(const Compiled& c, const Mapping& mapping, LoopSets& loops) {
  for (int m = 0; m < c.memories; ++m) {
    const std::int64_t* bounds = mapping.bounds(c.memory[at(m)].slot);
    std::uint32_t bits = 0;
    for (int d = 0; d < c.dims; ++d) bits |= (bounds[d] > 1 ? 1U : 0U) << d;
    loops[at(m)] = bits;
  }
}

// The first memory outside another that has loops which move a tensor.
struct Decider {
  int memory = -1;  // none has: nothing moves the tensor
  std::uint32_t movers = 0, sliding = 0;
  bool open = false;  // whether the order of its loops matters
};

inline Decider find_decider(const FlatTensor& tensor, int child, const LoopSets& loops) {
  for (int m = child; m-- > 0;) {
    const std::uint32_t movers = loops[at(m)] & tensor.relevant;
    if (movers == 0) continue;
    const std::uint32_t sliding = movers & ~tensor.alone;
    const bool one_mover = (movers & (movers - 1)) == 0;
    return {m, movers, sliding, loops[at(m)] != movers || (sliding != 0 && !one_mover)};
  }
  return {};
}

// A memory's loop over `dim` as the moving one, if the loops `inside` stand inside it.
template <typename Number>
MovingLoop<Number> moving_loop_of(const LoopLayout<Number>& layout, int memory, int dim,
                                  std::uint32_t inside) {
  const Compiled& c = layout.compiled();
  MovingLoop<Number> moving;
  moving.dim = dim;
  moving.slot = c.memory[at(memory)].slot;
  moving.inside = inside;
  const bool innermost = memory + 1 == c.memories;
  const Number all =
      layout.perfect_iterations(innermost ? 0 : layout.first_loop_outside(memory + 1));
  const std::int64_t* bounds = layout.mapping().bounds(moving.slot);
  Number product = 1;
  for (const int other : members(inside & ~layout.imperfect())) product *= bounds[other];
  moving.from_here = all / product;
  const bool imperfect = contains(layout.imperfect(), dim);
  moving.outside = imperfect ? moving.from_here : moving.from_here / bounds[dim];
  return moving;
}

}  // namespace tilewright::model
