#include "mapper_rows.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/deadline.h"
#include "bindings.h"
#include "map/mapper_parts.h"
#include "map/search_log.h"
#include "mapping/room.h"
#include "rows.h"

namespace tilewright::python {
namespace {

std::vector<int> numbers_of(const std::vector<DimId>& dims) {
  std::vector<int> numbers;
  for (const DimId dim : dims) numbers.push_back(index_of(dim));
  return numbers;
}

nb::dict slot_of(const MappingTask& task, int number) {
  const Problem& problem = task.evaluator.problem();
  const Slot& slot = problem.slots()[at(number)];
  std::vector<std::int64_t> least, most;
  for (int d = 0; d < problem.dim_count(); ++d) {
    const BoundLimits& limits = task.restrictions.limits(number, DimId{d});
    const bool allowed = ((slot.allowed_dims >> d) & 1U) != 0;
    least.push_back(limits.least);
    most.push_back(allowed ? limits.most : 1);
  }
  nb::dict told;
  told["name"] = problem.slot_name(number);
  told["level"] = index_of(slot.level);
  told["spatial"] = !slot.is_temporal();
  told["size"] = slot.is_temporal() ? std::int64_t{0} : problem.instances_along(number);
  told["least_used"] =
      slot.is_temporal() ? std::int64_t{1} : task.restrictions.least_instances(slot.level);
  told["least"] = least;
  told["most"] = most;
  return told;
}

// How many elements of a tensor a memory could hold alone; nothing if there is no limit.
std::optional<std::int64_t> elements_alone(const Room& room, int tensor) {
  const auto& own = room.partitions[at(tensor)];
  const Capacity& capacity = own ? *own : room.capacity;
  if (capacity.unit == Capacity::Unit::Unlimited) return std::nullopt;
  const bool bits = capacity.unit == Capacity::Unit::Bits;
  return capacity.amount / (bits ? room.element_bits[at(tensor)] : 1);
}

nb::dict memory_of(const MappingTask& task, MemoryId memory) {
  const Problem& problem = task.evaluator.problem();
  const Room room = room_of(problem, memory);
  std::vector<std::optional<std::int64_t>> elements;
  std::vector<bool> own;
  for (int t = 0; t < problem.tensor_count(); ++t) {
    elements.push_back(elements_alone(room, t));
    own.push_back(room.partitions[at(t)].has_value());
  }
  nb::dict told;
  told["name"] = problem.memory(memory).name;
  told["level"] = index_of(problem.use(memory).level);
  told["elements"] = elements;
  told["own"] = own;
  told["keep_always"] = task.restrictions.keep_always(memory);
  told["keep_allowed"] = task.restrictions.keep_allowed(memory);
  told["outermost"] = numbers_of(task.restrictions.outermost(memory));
  told["innermost"] = numbers_of(task.restrictions.innermost(memory));
  return told;
}

nb::dict tensor_of(const Tensor& tensor) {
  std::vector<std::vector<std::pair<int, std::int64_t>>> ranks;
  for (const Rank& rank : tensor.ranks) {
    ranks.emplace_back();
    for (const auto& [dim, coefficient] : rank) {
      ranks.back().emplace_back(index_of(dim), coefficient);
    }
  }
  nb::dict told;
  told["name"] = tensor.name;
  told["output"] = tensor.role == Role::Output;
  told["ranks"] = ranks;
  return told;
}

// What a function is told. Dimensions, tensors and memories go by their numbers; slots and
// memories stand from the outermost in.
nb::dict task_of(const MappingTask& task, const Limits& limits, const OptionValues& options) {
  const Problem& problem = task.evaluator.problem();
  nb::list dims, tensors, slots, memories;
  for (const Dimension& dim : problem.workload().dims) {
    dims.append(std::pair(dim.name, dim.size));
  }
  for (const Tensor& tensor : problem.workload().tensors) tensors.append(tensor_of(tensor));
  for (int s = 0; s < problem.slot_count(); ++s) slots.append(slot_of(task, s));
  for (int m = 0; m < problem.memory_count(); ++m) memories.append(memory_of(task, MemoryId{m}));
  nb::dict told;
  told["dims"] = dims;
  told["tensors"] = tensors;
  told["slots"] = slots;
  told["memories"] = memories;
  told["architecture"] = nb::cast(HeldArchitecture(problem.arch()));
  told["workload"] = nb::cast(HeldWorkload(problem.workload()));
  told["objective"] = to_string(task.objective);
  told["mapspace"] = to_string(task.space);
  told["seed"] = options.count(kSeed);
  told["seconds"] = limits.seconds;
  return told;
}

bool leaves_only_allowed_remainders(const MappingTask& task, const Mapping& mapping) {
  const Problem& problem = task.evaluator.problem();
  for (int d = 0; d < problem.dim_count(); ++d) {
    std::int64_t rest = problem.workload().dim(DimId{d}).size;
    for (int s = problem.slot_count() - 1; s >= 0; --s) {
      const std::int64_t bound = mapping.bound(s, DimId{d});
      if (rest % bound != 0 && !may_leave_remainder(task.space, problem.slots()[at(s)]))
        return false;
      rest = ceil_div(rest, bound);
    }
  }
  return true;
}

// Why a mapping may not be tried; empty if it may.
std::string reason_against(const MappingTask& task, const Mapping& mapping) {
  const Problem& problem = task.evaluator.problem();
  for (const auto& reasons :
       {hardware_problems(problem, mapping), task.restrictions.broken_by(problem, mapping)}) {
    if (!reasons.empty()) return reasons.front();
  }
  if (leaves_only_allowed_remainders(task, mapping)) return "";
  return fmt::format("a bound leaves a remainder, which {} does not allow", to_string(task.space));
}

// A mapping that may be tried; raises if the row is none.
Mapping read_row(const MappingTask& task, const RowLayout& layout, nb::handle given) {
  const auto row = nb::cast<std::vector<std::int64_t>>(given);
  const Problem& problem = task.evaluator.problem();
  Mapping mapping(problem);
  std::string reason;
  if (row.size() != layout.width()) {
    reason = fmt::format("a row has {} numbers here, not {}", layout.width(), row.size());
  } else if (!layout.read(row.data(), problem, mapping)) {
    reason = layout.why_not(row.data(), problem);
  } else {
    reason = reason_against(task, mapping);
  }
  if (!reason.empty()) throw nb::value_error(reason.c_str());
  return mapping;
}

}  // namespace

MapperRows::MapperRows(std::vector<MapperFunction> functions) {
  for (MapperFunction& function : functions) {
    rows_.push_back(std::make_unique<Row>(Row{std::move(function), {}, nullptr}));
    Row& row = *rows_.back();
    row.mapper.name = row.function.name;
    row.mapper.summary = row.function.summary;
    row.mapper.options = {kEvaluations, kTarget, kSeed};
    row.mapper.run = [&row](const MappingTask& task, const Limits& limits,
                            const OptionValues& options) {
      return run(row, task, limits, options);
    };
  }
}

std::vector<const Mapper*> MapperRows::table() const {
  std::vector<const Mapper*> all = mappers();
  for (const auto& row : rows_) all.push_back(&row->mapper);
  return all;
}

void MapperRows::raise_if_any() const {
  for (const auto& row : rows_) {
    if (row->raised) std::rethrow_exception(row->raised);
  }
}

MapperResult MapperRows::run(Row& row, const MappingTask& task, const Limits& limits,
                             const OptionValues& options) {
  const nb::gil_scoped_acquire hold;
  if (row.raised) return {};
  const Deadline deadline(limits.seconds, limits.cancelled);
  SearchLog log(task, limits, deadline);
  try {
    const RowLayout layout(task.evaluator.problem());
    const nb::object given = row.function.search(task_of(task, limits, options));
    for (const nb::handle one : nb::iter(given)) {
      log.note(read_row(task, layout, one));
      if (log.is_over()) break;
    }
  } catch (...) {
    row.raised = std::current_exception();
    return {};
  }
  return result_of(log.conclude(SearchResult::Stop::Tried));
}

}  // namespace tilewright::python
