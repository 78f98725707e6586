// Tiles of a mapping, for pictures of it: how large they are, how much of a memory they take,
// and which loop changes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/report.h"

namespace tilewright::report {

// The largest tile of a memory along each dimension: what its own loops and those inside go
// through.
std::vector<std::int64_t> tile_extents(const Result& result, MemoryId memory);

// The share of what the memory can hold, or of the tensor's own partition, that its largest tile
// takes; nothing where there is no limit.
std::optional<double> room_share(const Result& result, MemoryId memory, TensorId tensor);

struct LoopPlace {
  LevelId level{};
  DimId dim{};
};
// The innermost loop in time outside a memory that moves a tensor's tile there; nothing if the
// tile stays for the whole run, as at the outermost memory that keeps the tensor.
std::optional<LoopPlace> refilling_loop(const Result& result, MemoryId memory, TensorId tensor);

}  // namespace tilewright::report
