// What stays the same during a search: the problem in flat tables, with what
// its map-space allows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tilewright/mapspace.h"
#include "tilewright/model.h"
#include "workload/window.h"

namespace tilewright::quickflow {

// The bounds of one dimension, by slot.
using Chain = std::array<std::int64_t, kMaxSlots>;

struct Ground {
  Ground(const Evaluator& e, SpaceKind k, const Restrictions& r);

  struct OfMemory {
    int slot = 0;
    bool under_fanout = false;
    Room room;
    std::uint32_t keep_always = 0, keep_allowed = 0;
  };
  struct OfFanout {
    int slot = 0;  // of its Y axis; X is the next one
    std::int64_t least_instances = 1;
  };

  std::int64_t size(int dim) const { return sizes[at(dim)]; }
  bool is_spatial(int slot) const { return (spatial_slots >> slot & 1U) != 0; }
  bool may_leave_remainder(int slot) const { return (uneven_slots >> slot & 1U) != 0; }
  const BoundLimits& limits(int slot, int dim) const {
    return restrictions.limits(slot, DimId{dim});
  }
  // The slots in which a dimension may have a loop.
  std::uint32_t open_slots(int dim) const { return open[at(dim)]; }
  // Whether the bounds are those of a mapping in the space, capacities and
  // fan-outs apart.
  bool is_chain(int dim, const Chain& bounds) const;

  const Evaluator& evaluator;
  const Problem& problem;
  SpaceKind kind;
  const Restrictions& restrictions;
  int dims, slots, tensors;
  std::array<std::int64_t, kMaxDims> sizes{};
  std::array<std::uint32_t, kMaxDims> open{};
  std::array<std::int64_t, kMaxSlots> instances{};  // of spatial slots
  std::uint32_t spatial_slots = 0, uneven_slots = 0;
  std::vector<OfMemory> memories;
  std::vector<OfFanout> fanouts;
  std::vector<TensorParts> parts;  // of the tensors
  bool boxes = false;              // tiles count as bounding boxes
  // A memory under a fan-out may be the outermost keeper of a tensor: what it
  // must hold beyond a tile is for the model to say.
  bool only_model_knows = false;
};

}  // namespace tilewright::quickflow
