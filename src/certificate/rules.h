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

  // So much of an array, a level: what fits there is looked at elsewhere.
  struct Elsewhere {
    int level = 0;
    std::int64_t rows = 1, columns = 1;
  };

  SpaceKind kind = SpaceKind::Perfect;
  std::uint32_t uneven = 0;  // memories that may have several storage points, as bits
  std::uint32_t restricted =
      0;  // ... of these, where rules say more of loops than their dimensions
  int dims = 0;
  std::vector<Limits> limits;  // [slot][dim]
  std::vector<Order> orders;   // [memory]
  // [memory] The same as sets of dimensions from the inside out: loops of one set may change
  // places.
  std::vector<std::vector<std::uint32_t>> stages;
  std::vector<std::uint32_t> must;            // [memory] bits of tensors that are kept
  std::vector<std::uint32_t> may;             // ... that may be kept
  std::vector<std::int64_t> least_instances;  // [level]
  std::vector<Elsewhere> elsewhere;           // of flexible architectures alone

  const Limits& at_slot(int slot, int dim) const { return limits[at(slot * dims + dim)]; }
  // True if a bound of this slot divides what the slots inside leave.
  bool divides(const Slot& slot) const;
};

// The architecture's constraints and more; or why nothing keeps to them.
// `uneven` are the memories whose tensors may have storage points of their own.
Checked<Rules> read_rules(const Problem& problem, SpaceKind kind,
                          const std::vector<Constraint>& more, std::uint32_t uneven = 0);

// Why a mapping is not one of the space; empty if it is.
std::vector<std::string> broken_rules(const Problem& problem, const Rules& rules,
                                      const Mapping& mapping);

}  // namespace tilewright::certificate
