#include "tilewright/mapping.h"

#include <numeric>

namespace tilewright {

Mapping::Mapping(const Problem& problem)
    : dim_count_(problem.dim_count()),
      bounds_(static_cast<std::size_t>(problem.slot_count() * problem.dim_count()), 1),
      order_(static_cast<std::size_t>(problem.memory_count() * problem.dim_count())) {
  for (int m = 0; m < problem.memory_count(); ++m) {
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(m) * dim_count_;
    std::iota(first, first + dim_count_, std::uint8_t{0});
    kept_.push_back(problem.use(MemoryId{m}).keep_allowed);
  }
}

void Mapping::set_order(MemoryId memory, std::span<const DimId> outermost_first) {
  std::uint8_t* next = order_.data() + static_cast<std::ptrdiff_t>(index_of(memory)) * dim_count_;
  std::uint32_t placed = 0;
  const auto place = [&](int dim) {
    if (((placed >> dim) & 1U) != 0) return;
    placed |= 1U << dim;
    *next++ = static_cast<std::uint8_t>(dim);
  };
  for (const DimId dim : outermost_first) place(index_of(dim));
  for (int d = 0; d < dim_count_; ++d) place(d);
}

std::vector<std::int64_t> last_passes(const Problem& problem, const Mapping& mapping, DimId dim) {
  std::vector<std::int64_t> passes(static_cast<std::size_t>(mapping.slot_count()), 1);
  std::int64_t last_index = problem.workload().dim(dim).size - 1;
  for (int slot = mapping.slot_count() - 1; slot >= 0; --slot) {
    const std::int64_t bound = mapping.bound(slot, dim);
    if (bound < 1) continue;
    passes[at(slot)] = last_index % bound + 1;
    last_index /= bound;
  }
  return passes;
}

bool is_perfect(const Problem& problem, const Mapping& mapping) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    std::vector<std::int64_t> bounds;
    for (int slot = 0; slot < problem.slot_count(); ++slot) {
      bounds.push_back(mapping.bound(slot, DimId{d}));
    }
    if (checked_product(bounds) != problem.workload().dim(DimId{d}).size) return false;
  }
  return true;
}

Mapping canonical(const Problem& problem, const Mapping& mapping) {
  Mapping result = mapping;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const MemoryId memory{m};
    std::vector<DimId> looped;
    for (int i = 0; i < problem.dim_count(); ++i) {
      const DimId dim{mapping.order(memory)[i]};
      if (mapping.bound(problem.use(memory).slot, dim) != 1) looped.push_back(dim);
    }
    result.set_order(memory, looped);
  }
  return result;
}

}  // namespace tilewright
