#include "rows.h"

#include <fmt/format.h>

#include <array>

namespace tilewright::python {

RowLayout::RowLayout(const Problem& problem)
    : dims_(problem.dim_count()),
      slots_(problem.slot_count()),
      memories_(problem.memory_count()),
      tensors_(problem.tensor_count()),
      orders_at_(at(slots_ * dims_)),
      kept_at_(orders_at_ + at(memories_ * dims_)),
      width_(kept_at_ + at(memories_)) {
  for (const Dimension& dim : problem.workload().dims) sizes_.push_back(dim.size);
}

std::vector<std::string> RowLayout::columns(const Problem& problem) const {
  std::vector<std::string> names;
  for (int s = 0; s < slots_; ++s) {
    for (const Dimension& dim : problem.workload().dims) {
      names.push_back(fmt::format("{}.{}", problem.slot_name(s), dim.name));
    }
  }
  for (int m = 0; m < memories_; ++m) {
    for (int i = 0; i < dims_; ++i) {
      names.push_back(fmt::format("{}.order.{}", problem.memory(MemoryId{m}).name, i));
    }
  }
  for (int m = 0; m < memories_; ++m) {
    names.push_back(fmt::format("{}.keeps", problem.memory(MemoryId{m}).name));
  }
  return names;
}

void RowLayout::write(const Mapping& mapping, std::int64_t* row) const {
  for (int s = 0; s < slots_; ++s) {
    const std::int64_t* bounds = mapping.bounds(s);
    for (int d = 0; d < dims_; ++d) *row++ = bounds[d];
  }
  for (int m = 0; m < memories_; ++m) {
    const std::uint8_t* order = mapping.order(MemoryId{m});
    for (int i = 0; i < dims_; ++i) *row++ = order[i];
  }
  for (int m = 0; m < memories_; ++m) *row++ = mapping.kept(MemoryId{m});
}

// As structural_problems() has it, without a word.
bool RowLayout::read_bounds(const std::int64_t* row, Mapping& mapping) const {
  std::array<std::int64_t, kMaxDims> left{};
  for (int d = 0; d < dims_; ++d) left[at(d)] = sizes_[at(d)];
  for (int s = slots_ - 1; s >= 0; --s) {
    const std::int64_t* bounds = row + static_cast<std::ptrdiff_t>(s) * dims_;
    for (int d = 0; d < dims_; ++d) {
      const std::int64_t bound = bounds[d];
      mapping.set_bound(s, DimId{d}, bound);
      if (bound == 1) continue;
      std::int64_t& rest = left[at(d)];
      if (bound < 1 || bound > rest) return false;
      rest = rest / bound + (rest % bound != 0 ? 1 : 0);
    }
  }
  for (int d = 0; d < dims_; ++d) {
    if (left[at(d)] > 1) return false;
  }
  return true;
}

bool RowLayout::read_orders(const std::int64_t* row, Mapping& mapping) const {
  const std::int64_t* next = row + orders_at_;
  std::array<DimId, kMaxDims> order{};
  for (int m = 0; m < memories_; ++m) {
    std::uint32_t seen = 0;
    for (int i = 0; i < dims_; ++i) {
      const std::int64_t dim = *next++;
      if (dim < 0 || dim >= dims_ || ((seen >> dim) & 1U) != 0) return false;
      seen |= 1U << dim;
      order[at(i)] = DimId{static_cast<int>(dim)};
    }
    mapping.set_order(MemoryId{m}, std::span(order.data(), at(dims_)));
  }
  return true;
}

bool RowLayout::read_kept(const std::int64_t* row, const Problem& problem, Mapping& mapping) const {
  const std::int64_t* next = row + kept_at_;
  std::uint32_t somewhere = 0;
  for (int m = 0; m < memories_; ++m) {
    const std::int64_t kept = *next++;
    const MemoryUse& use = problem.use(MemoryId{m});
    if (kept < 0 || kept >= std::int64_t{1} << tensors_) return false;
    const auto bits = static_cast<std::uint32_t>(kept);
    if ((bits & ~use.keep_allowed) != 0 || (use.keep_always & ~bits) != 0) return false;
    mapping.set_kept(MemoryId{m}, bits);
    somewhere |= bits;
  }
  return somewhere == (1U << tensors_) - 1;
}

bool RowLayout::read(const std::int64_t* row, const Problem& problem, Mapping& mapping) const {
  return read_bounds(row, mapping) && read_orders(row, mapping) && read_kept(row, problem, mapping);
}

std::string RowLayout::why_not(const std::int64_t* row, const Problem& problem) const {
  Mapping mapping(problem);
  if (!read_orders(row, mapping)) {
    return "the order of a memory is not each dimension once, by its number";
  }
  for (int m = 0; m < memories_; ++m) {
    const std::int64_t kept = row[kept_at_ + at(m)];
    if (kept < 0 || kept >= std::int64_t{1} << tensors_) {
      return fmt::format("{} keeps {}, which is no set of {} tensors",
                         problem.memory(MemoryId{m}).name, kept, tensors_);
    }
    mapping.set_kept(MemoryId{m}, static_cast<std::uint32_t>(kept));
  }
  for (int s = 0; s < slots_; ++s) {
    for (int d = 0; d < dims_; ++d) mapping.set_bound(s, DimId{d}, row[at(s * dims_ + d)]);
  }
  const std::vector<std::string> problems = structural_problems(problem, mapping);
  return problems.empty() ? "the row is no mapping" : problems.front();
}

}  // namespace tilewright::python
