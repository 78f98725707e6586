// What a map-space allows, in flat tables, for mappers that change single factors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tilewright/mapspace.h"

namespace tilewright {

// The bounds of one dimension, by slot.
using Chain = std::array<std::int64_t, kMaxSlots>;

struct FlatSpace {
  FlatSpace(const Problem& p, SpaceKind k, const Restrictions& r);

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

  const Problem& problem;
  SpaceKind kind;
  const Restrictions& restrictions;
  int dims, slots, tensors;
  std::array<std::int64_t, kMaxDims> sizes{};
  std::array<std::int64_t, kMaxSlots> instances{};  // of spatial slots
  std::uint32_t spatial_slots = 0, uneven_slots = 0;
  std::vector<OfFanout> fanouts;
};

Chain chain_of(const Mapping& mapping, int dim);
void set_chain(const Chain& bounds, int dim, Mapping& mapping);

}  // namespace tilewright
