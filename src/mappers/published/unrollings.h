// Where searches begin that choose what runs in parallel before anything else: perfect
// factors on the fan-outs, all other iterations in the outermost memory.
#pragma once

#include <vector>

#include "tilewright/map.h"

namespace tilewright::published {

// A part of a dimension's iterations, as a loop.
struct PrimeLoop {
  DimId dim{};
  std::int64_t bound = 1;

  auto operator<=>(const PrimeLoop&) const = default;
};

// An answer without a search, if constraints contradict each other.
std::optional<MapperResult> refusal_of(const MappingTask& task);

// The mappings that use the most instances, at most `most` of them, best first. They obey the
// limits of bounds; whether they fit is not looked at. None, if bounds that constraints demand
// leave a remainder.
std::vector<Mapping> widest_unrollings(const MappingTask& task, std::size_t most);

// The prime factors of a mapping's bounds in its outermost memory that may be elsewhere,
// dimension by dimension, smallest first.
std::vector<PrimeLoop> prime_loops(const MappingTask& task, const Mapping& mapping);

// Orders a memory's loops as a search wants them, but for those that constraints have
// outermost or innermost.
void set_allowed_order(const MappingTask& task, MemoryId memory, std::vector<DimId> outermost_first,
                       Mapping& mapping);

// Whether the mapping obeys all constraints. It is sound.
bool is_allowed(const MappingTask& task, const Mapping& mapping);

}  // namespace tilewright::published
