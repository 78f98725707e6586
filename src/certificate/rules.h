// What a map-space allows, read from the constraints without the module that
// enumerates it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "certificate/exact.h"
#include "tilewright/mapspace.h"

namespace tilewright::certificate {

struct Rules {
  struct Limits {
    std::int64_t least = 1;
    std::int64_t most = kCountLimit;
  };
  // Loops at the outer or inner end of a memory, from the outside in.
  struct Order {
    std::vector<int> outermost, innermost;
  };

  SpaceKind kind = SpaceKind::Perfect;
  bool uneven = false;  // memories may have several storage points
  int dims = 0;
  std::vector<Limits> limits;                 // [slot][dim]
  std::vector<Order> orders;                  // [memory]
  std::vector<std::uint32_t> must;            // [memory] bits of tensors that are kept
  std::vector<std::uint32_t> may;             // ... that may be kept
  std::vector<std::int64_t> least_instances;  // [level]

  const Limits& at_slot(int slot, int dim) const { return limits[at(slot * dims + dim)]; }
  // True if a bound of this slot divides what the slots inside leave.
  bool divides(const Slot& slot) const;
};

// The architecture's constraints and more; or why nothing keeps to them.
// `uneven` asks for all mappings, even and uneven: throws Unverifiable where constraints or
// hardware do not say what those are.
Checked<Rules> read_rules(const Problem& problem, SpaceKind kind,
                          const std::vector<Constraint>& more, bool uneven = false);

// Why a mapping is not one of the space; empty if it is.
std::vector<std::string> broken_rules(const Problem& problem, const Rules& rules,
                                      const Mapping& mapping);

}  // namespace tilewright::certificate
