#include "report/tiles.h"

#include <algorithm>

#include "mapping/room.h"

namespace tilewright::report {
namespace {

bool is_home(const Result& r, MemoryId memory, TensorId tensor) {
  for (int outer = 0; outer < index_of(memory); ++outer) {
    if (r.mapping.keeps(MemoryId{outer}, tensor)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::int64_t> tile_extents(const Result& r, MemoryId memory) {
  std::vector<std::int64_t> extents;
  for (int d = 0; d < r.problem.dim_count(); ++d) {
    const std::int64_t size = r.problem.workload().dim(DimId{d}).size;
    std::int64_t extent = 1;
    // Clipped at each step: with remainders the bounds may multiply to more than there is.
    for (int slot = r.problem.use(memory).slot; slot < r.problem.slot_count(); ++slot) {
      const std::int64_t bound = std::min(r.mapping.bound(slot, DimId{d}), size);
      extent = extent > size / bound ? size : extent * bound;
    }
    extents.push_back(extent);
  }
  return extents;
}

std::optional<double> room_share(const Result& r, MemoryId memory, TensorId tensor) {
  const Room room = room_of(r.problem, memory);
  const auto& own = room.partitions[at(tensor)];
  const Capacity& capacity = own ? *own : room.capacity;
  if (capacity.unit == Capacity::Unit::Unlimited) return std::nullopt;
  const bool bits = capacity.unit == Capacity::Unit::Bits;
  const auto each = static_cast<double>(bits ? room.element_bits[at(tensor)] : 1);
  const Holding& held = r.evaluation.memories[at(memory)].tensors[at(tensor)];
  return static_cast<double>(held.tile_words) * each / static_cast<double>(capacity.amount);
}

std::optional<LoopPlace> refilling_loop(const Result& r, MemoryId memory, TensorId tensor) {
  if (is_home(r, memory, tensor)) return std::nullopt;
  for (int outer = index_of(memory) - 1; outer >= 0; --outer) {
    const MemoryUse& use = r.problem.use(MemoryId{outer});
    for (int position = r.problem.dim_count() - 1; position >= 0; --position) {
      const DimId dim{r.mapping.order(MemoryId{outer})[position]};
      const bool moves = r.mapping.bound(use.slot, dim) > 1 &&
                         is_relevant(r.problem.workload().tensor(tensor), dim);
      if (moves) return LoopPlace{use.level, dim};
    }
  }
  return std::nullopt;
}

}  // namespace tilewright::report
