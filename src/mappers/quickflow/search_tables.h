// What stays the same during a search: the problem and what its map-space allows.
#pragma once

#include <array>
#include <cstdint>

#include "mapping/flat_problem.h"
#include "mapspace/flat_space.h"
#include "tilewright/model.h"

namespace tilewright::quickflow {

struct SearchTables : FlatSpace {
  SearchTables(const Evaluator& e, SpaceKind k, const Restrictions& r);

  int memory_count() const { return flat.memories; }
  const FlatMemory& memory(int m) const { return flat.memory[at(m)]; }
  std::uint32_t keep_always(int m) const { return restrictions.keep_always(MemoryId{m}); }
  std::uint32_t keep_allowed(int m) const { return restrictions.keep_allowed(MemoryId{m}); }
  // The slots in which a dimension may have a loop.
  std::uint32_t open_slots(int dim) const { return open[at(dim)]; }
  // Whether the bounds are those of a mapping in the space, capacities and
  // fan-outs apart.
  bool is_chain(int dim, const Chain& bounds) const;

  const Evaluator& evaluator;
  const FlatProblem& flat;
  std::array<std::uint32_t, kMaxDims> open{};
  // A memory under a fan-out may be the outermost keeper of a tensor: what it
  // must hold beyond a tile is for the model to say.
  bool only_model_knows = false;
};

}  // namespace tilewright::quickflow
