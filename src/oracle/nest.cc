#include "oracle/nest.h"

#include <algorithm>

namespace tilewright::oracle {

Nest::Nest(const Problem& problem, const Mapping& mapping) : problem_(problem), mapping_(mapping) {}

std::int64_t Nest::extent_inside(int slot, DimId dim) const {
  std::int64_t extent = 1;
  for (int s = slot; s < problem_.slot_count(); ++s) extent *= mapping_.bound(s, dim);
  return extent;
}

std::vector<Loop> Nest::temporal_loops(int begin_slot, int end_slot) const {
  std::vector<Loop> loops;
  for (int m = 0; m < problem_.memory_count(); ++m) {
    const int slot = problem_.use(MemoryId{m}).slot;
    if (slot < begin_slot || slot >= end_slot) continue;
    for (int position = 0; position < problem_.dim_count(); ++position) {
      const DimId dim{mapping_.order(MemoryId{m})[position]};
      const std::int64_t bound = mapping_.bound(slot, dim);
      if (bound > 1) loops.push_back({slot, dim, bound, extent_inside(slot + 1, dim)});
    }
  }
  return loops;
}

std::vector<Loop> Nest::spatial_loops(int begin_slot, int end_slot) const {
  std::vector<Loop> loops;
  for (int slot = begin_slot; slot < end_slot; ++slot) {
    if (problem_.slots()[at(slot)].is_temporal()) continue;
    for (int d = 0; d < problem_.dim_count(); ++d) {
      const std::int64_t bound = mapping_.bound(slot, DimId{d});
      if (bound > 1) loops.push_back({slot, DimId{d}, bound, extent_inside(slot + 1, DimId{d})});
    }
  }
  return loops;
}

std::optional<Region> Nest::region(int slot, const std::vector<Loop>& loops,
                                   const std::vector<std::int64_t>& digits) const {
  Region region(static_cast<std::size_t>(problem_.dim_count()));
  for (std::size_t i = 0; i < loops.size(); ++i) {
    region[at(loops[i].dim)].begin += digits[i] * loops[i].stride;
  }
  for (int d = 0; d < problem_.dim_count(); ++d) {
    Interval& interval = region[at(d)];
    const std::int64_t size = problem_.workload().dim(DimId{d}).size;
    if (interval.begin >= size) return std::nullopt;
    interval.end = std::min(size, interval.begin + extent_inside(slot, DimId{d}));
  }
  return region;
}

bool advance(std::vector<std::int64_t>& digits, const std::vector<Loop>& loops) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < loops[i].bound) return true;
    digits[i] = 0;
  }
  return false;
}

}  // namespace tilewright::oracle
