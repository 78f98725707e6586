// The loop nest of a mapping, written out: which loops stand outside a level,
// which indices a choice of their digits leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright::oracle {

// One loop with more than one iteration.
struct Loop {
  int slot = 0;
  DimId dim{};
  std::int64_t bound = 1;
  std::int64_t stride = 1;  // indices of the dimension per iteration
};

// The indices of a dimension that a tile covers: [begin, end).
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
  auto operator<=>(const Interval&) const = default;
};

// One interval per dimension of the workload.
using Region = std::vector<Interval>;

class Nest {
 public:
  Nest(const Problem& problem, const Mapping& mapping);

  // The loops of slots [begin, end), outermost first and in nest order.
  std::vector<Loop> temporal_loops(int begin_slot, int end_slot) const;
  std::vector<Loop> spatial_loops(int begin_slot, int end_slot) const;

  // What the digits of the given loops leave, when the loops are all those
  // outside `slot`; nothing if they name no index of some dimension.
  std::optional<Region> region(int slot, const std::vector<Loop>& loops,
                               const std::vector<std::int64_t>& digits) const;

 private:
  std::int64_t extent_inside(int slot, DimId dim) const;  // product of the bounds from slot on

  const Problem& problem_;
  const Mapping& mapping_;
};

// Counts `digits` up like an odometer whose last wheel turns fastest; false
// when it has come round.
bool advance(std::vector<std::int64_t>& digits, const std::vector<Loop>& loops);

}  // namespace tilewright::oracle
