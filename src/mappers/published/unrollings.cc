#include "mappers/published/unrollings.h"

#include <algorithm>

namespace tilewright::published {
namespace {

// Bounds so far, and what they leave of each dimension.
struct Partial {
  Mapping mapping;
  std::vector<std::int64_t> left;
  std::int64_t instances = 1;
};

constexpr std::size_t kMostPartial = 64;

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> found;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    found.push_back(d);
    if (d * d != number) found.push_back(number / d);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Every bound as small as constraints allow; nothing if these leave a remainder.
std::optional<Partial> least_bounds(const MappingTask& task) {
  const Problem& problem = task.evaluator.problem();
  Partial partial{Mapping(problem), {}, 1};
  for (int d = 0; d < problem.dim_count(); ++d) {
    const DimId dim{d};
    std::int64_t left = problem.workload().dims[at(d)].size;
    for (int slot = 0; slot < problem.slot_count(); ++slot) {
      const std::int64_t least = task.restrictions.limits(slot, dim).least;
      if (left % least != 0) return std::nullopt;
      left /= least;
      partial.mapping.set_bound(slot, dim, least);
      if (!problem.slots()[at(slot)].is_temporal()) partial.instances *= least;
    }
    partial.left.push_back(left);
  }
  return partial;
}

std::int64_t used(const Problem& problem, const Mapping& mapping, int slot) {
  std::int64_t product = 1;
  for (int d = 0; d < problem.dim_count(); ++d) {
    product = narrowed(Int128{product} * mapping.bound(slot, DimId{d}));
  }
  return product;
}

// All ways to use more of one axis, dimension by dimension.
class AxisFiller {
 public:
  AxisFiller(const MappingTask& task, int slot) : task_(task), slot_(slot) {}

  void fill(const Partial& from, std::vector<Partial>& into) {
    into_ = &into;
    Partial partial = from;
    step(0, used(task_.evaluator.problem(), partial.mapping, slot_), partial);
  }

 private:
  void step(int d, std::int64_t in_use, Partial& partial) {
    const Problem& problem = task_.evaluator.problem();
    if (d == problem.dim_count()) {
      into_->push_back(partial);
      return;
    }
    const DimId dim{d};
    const std::int64_t bound = partial.mapping.bound(slot_, dim);
    const std::int64_t left = partial.left[at(d)];
    const std::int64_t room = problem.instances_along(slot_) / in_use;
    const std::int64_t most = std::min(room, task_.restrictions.limits(slot_, dim).most / bound);
    for (const std::int64_t factor : divisors(left)) {
      if (factor > most) break;
      partial.mapping.set_bound(slot_, dim, bound * factor);
      partial.left[at(d)] = left / factor;
      partial.instances *= factor;
      step(d + 1, in_use * factor, partial);
      partial.instances /= factor;
    }
    partial.mapping.set_bound(slot_, dim, bound);
    partial.left[at(d)] = left;
  }

  const MappingTask& task_;
  const int slot_;
  std::vector<Partial>* into_ = nullptr;
};

void keep_widest(std::vector<Partial>& partials, std::size_t most) {
  std::stable_sort(partials.begin(), partials.end(),
                   [](const Partial& a, const Partial& b) { return a.instances > b.instances; });
  if (partials.size() > most)
    partials.erase(partials.begin() + std::ptrdiff_t(most), partials.end());
}

// What a memory may still have of a dimension beyond the bound it has to have.
bool may_have_all(const MappingTask& task, const Partial& partial) {
  for (int d = 0; d < task.evaluator.problem().dim_count(); ++d) {
    const BoundLimits& limits = task.restrictions.limits(0, DimId{d});
    if (partial.mapping.bound(0, DimId{d}) * partial.left[at(d)] > limits.most) return false;
  }
  return true;
}

Mapping with_all_outside(const MappingTask& task, Partial partial) {
  for (int d = 0; d < task.evaluator.problem().dim_count(); ++d) {
    partial.mapping.set_bound(0, DimId{d},
                              partial.mapping.bound(0, DimId{d}) * partial.left[at(d)]);
  }
  for (int m = 0; m < task.evaluator.problem().memory_count(); ++m) {
    partial.mapping.set_kept(MemoryId{m}, task.restrictions.keep_allowed(MemoryId{m}));
    set_allowed_order(task, MemoryId{m}, {}, partial.mapping);
  }
  return std::move(partial.mapping);
}

}  // namespace

std::optional<MapperResult> refusal_of(const MappingTask& task) {
  if (task.restrictions.contradictions().empty()) return std::nullopt;
  MapperResult result;
  result.status = MapperResult::Status::Infeasible;
  result.problems = task.restrictions.contradictions();
  return result;
}

std::vector<Mapping> widest_unrollings(const MappingTask& task, std::size_t most) {
  const Problem& problem = task.evaluator.problem();
  std::optional<Partial> start = least_bounds(task);
  if (!start) return {};
  std::vector<Partial> partials;
  partials.push_back(std::move(*start));
  for (int slot = 0; slot < problem.slot_count(); ++slot) {
    if (problem.slots()[at(slot)].is_temporal()) continue;
    std::vector<Partial> wider;
    for (const Partial& partial : partials) AxisFiller(task, slot).fill(partial, wider);
    keep_widest(wider, kMostPartial);
    partials = std::move(wider);
  }
  std::vector<Mapping> found;
  for (Partial& partial : partials) {
    if (found.size() == most) break;
    if (may_have_all(task, partial)) found.push_back(with_all_outside(task, std::move(partial)));
  }
  return found;
}

std::vector<PrimeLoop> prime_loops(const MappingTask& task, const Mapping& mapping) {
  std::vector<PrimeLoop> loops;
  for (int d = 0; d < mapping.dim_count(); ++d) {
    const DimId dim{d};
    std::int64_t rest = mapping.bound(0, dim) / task.restrictions.limits(0, dim).least;
    for (std::int64_t prime = 2; prime * prime <= rest; ++prime) {
      for (; rest % prime == 0; rest /= prime) loops.push_back({dim, prime});
    }
    if (rest > 1) loops.push_back({dim, rest});
  }
  return loops;
}

void set_allowed_order(const MappingTask& task, MemoryId memory, std::vector<DimId> outermost_first,
                       Mapping& mapping) {
  const std::vector<DimId>& first = task.restrictions.outermost(memory);
  const std::vector<DimId>& last = task.restrictions.innermost(memory);
  for (int d = 0; d < mapping.dim_count(); ++d) {
    if (std::find(outermost_first.begin(), outermost_first.end(), DimId{d}) ==
        outermost_first.end())
      outermost_first.push_back(DimId{d});
  }
  const auto is_in = [](const std::vector<DimId>& dims, DimId dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  };
  std::vector<DimId> order = first;
  for (const DimId dim : outermost_first) {
    if (!is_in(first, dim) && !is_in(last, dim)) order.push_back(dim);
  }
  order.insert(order.end(), last.begin(), last.end());
  mapping.set_order(memory, order);
}

bool is_allowed(const MappingTask& task, const Mapping& mapping) {
  return task.restrictions.broken_by(task.evaluator.problem(), mapping).empty();
}

}  // namespace tilewright::published
