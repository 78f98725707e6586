// Mappings from an order of loops: each memory, from the innermost out, takes as many loops as
// everything still fits with. (LOMA; SALSA does the same)
#pragma once

#include <span>

#include "map/search_log.h"
#include "mappers/published/unrollings.h"

namespace tilewright::published {

inline constexpr MapperOption kUnrollings{
    .name = "unrollings",
    .help = "that LOMA and SALSA try, those that use most instances",
    .fallback = "3",
    .least = 1,
    .most = 64};

class LoopAllocator {
 public:
  // The start has all loops in the outermost memory.
  LoopAllocator(const MappingTask& task, const Mapping& start) : task_(task), start_(start) {}

  // A mapping that fits, if the start does. Valid until the next call.
  const Mapping& allocate(std::span<const PrimeLoop> innermost_first);

 private:
  bool take(int slot, const PrimeLoop& loop);
  void order_loops(MemoryId memory, std::span<const PrimeLoop> innermost_first);

  const MappingTask& task_;
  const Mapping start_;
  Mapping mapping_ = start_;
};

// Notes the mapping of an order, if constraints allow it; its value, if it fits.
std::optional<double> try_order(const MappingTask& task, std::span<const PrimeLoop> innermost_first,
                                LoopAllocator& allocator, SearchLog& log);

}  // namespace tilewright::published
