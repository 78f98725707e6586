#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "tilewright/mapping.h"

namespace tilewright {

namespace {

using Tensors = std::vector<std::string>;

Tensors tensors_in(const Problem& problem, std::uint32_t bits) {
  Tensors names;
  for (const int t : members(bits)) names.push_back(problem.workload().tensor(TensorId{t}).name);
  return names;
}

// A level for one point of a memory. It lists all tensors by their own names, for the name
// of one may be the role of another.
Memory point_of_memory(const Problem& problem, MemoryId id, std::uint32_t tensors, bool first) {
  Memory point = problem.memory(id);
  point.point_of = point.name;
  point.name = point_name(problem, id, tensors);
  const std::uint32_t all = (1U << problem.tensor_count()) - 1U;
  point.keep = tensors_in(problem, tensors);
  point.bypass = tensors_in(problem, all & ~tensors);
  point.free.clear();
  if (!first) point.leakage_pj_per_cycle = point.area_um2 = 0;
  return point;
}

void add_problem(std::vector<Diagnostic>& problems, std::string message, std::string hint = "") {
  problems.push_back({.where = {}, .message = std::move(message), .hint = std::move(hint)});
}

// Complains of points that are none.
void check_points_of(const Problem& problem, MemoryId id, const StoragePoints& points,
                     std::vector<Diagnostic>& problems) {
  const std::string& name = problem.memory(id).name;
  std::uint32_t seen = 0;
  for (const std::uint32_t point : points) {
    if (point == 0) add_problem(problems, fmt::format("a storage point of {} has no tensor", name));
    for (const int t : members(point & seen)) {
      add_problem(problems, fmt::format("{} keeps {} at two storage points", name,
                                        problem.workload().tensor(TensorId{t}).name));
    }
    seen |= point;
  }
  const MemoryUse& use = problem.use(id);
  for (const int t : members(use.keep_always & ~seen)) {
    add_problem(problems, fmt::format("no storage point of {} has {}, which it always keeps", name,
                                      problem.workload().tensor(TensorId{t}).name));
  }
  for (const int t : members(seen & ~use.keep_allowed)) {
    add_problem(problems, fmt::format("a storage point of {} has {}, which always passes it by",
                                      name, problem.workload().tensor(TensorId{t}).name));
  }
}

bool is_taken_apart(const StoragePoints& points) { return !points.empty(); }

// The levels with points in place of memories that are taken apart.
std::vector<Level> levels_with(const Problem& problem, const std::vector<StoragePoints>& points) {
  std::vector<Level> levels;
  for (int l = 0; l < problem.arch().level_count(); ++l) {
    const Level& level = problem.arch().level(LevelId{l});
    if (!std::holds_alternative<Memory>(level)) {
      levels.push_back(level);
      continue;
    }
    const MemoryId id = problem.memory_at(LevelId{l});
    const StoragePoints& own = points[at(id)];
    if (!is_taken_apart(own)) levels.push_back(level);
    for (std::size_t i = 0; i < own.size(); ++i) {
      levels.emplace_back(point_of_memory(problem, id, own[i], i == 0));
    }
  }
  return levels;
}

std::vector<MemoryId> points_named(const Problem& problem, const std::string& memory) {
  std::vector<MemoryId> points;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& level = problem.memory(MemoryId{m});
    if (!level.is_part && level.point_of == memory) points.push_back(MemoryId{m});
  }
  return points;
}

// Whether the points of a memory together keep what a rule says, and nothing that passes by.
bool is_met(const ResidenceRule& rule, const Problem& problem,
            const std::vector<MemoryId>& points) {
  std::uint32_t kept = 0;
  for (const MemoryId point : points) kept |= problem.use(point).keep_always;
  const auto is_kept = [&](const std::string& name, bool wanted) {
    for (int t = 0; t < problem.tensor_count(); ++t) {
      const bool named = names_tensor(name, problem.workload().tensor(TensorId{t}));
      if (named && contains(kept, t) != wanted) return false;
    }
    return true;
  };
  return std::all_of(rule.keep.begin(), rule.keep.end(),
                     [&](const std::string& name) { return is_kept(name, true); }) &&
         std::all_of(rule.bypass.begin(), rule.bypass.end(),
                     [&](const std::string& name) { return is_kept(name, false); });
}

}  // namespace

const std::string& memory_name(const Memory& memory) {
  return memory.point_of.empty() ? memory.name : memory.point_of;
}

std::string point_name(const Problem& problem, MemoryId memory, std::uint32_t tensors) {
  return fmt::format("{}({})", memory_name(problem.memory(memory)),
                     fmt::join(tensors_in(problem, tensors), ", "));
}

bool has_points(const Problem& problem) {
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    if (!memory.point_of.empty() && !memory.is_part) return true;
  }
  return false;
}

std::vector<StoragePoints> points_of(const Problem& problem) {
  std::vector<StoragePoints> points;
  const std::string* before = nullptr;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const std::string& memory = problem.memory(MemoryId{m}).point_of;
    const bool further_point = before != nullptr && !memory.empty() && memory == *before;
    if (!further_point) points.emplace_back();
    if (!memory.empty()) points.back().push_back(problem.use(MemoryId{m}).keep_always);
    before = &memory;
  }
  return points;
}

Checked<std::vector<Constraint>> constraints_at_points(const Problem& problem,
                                                       const std::vector<Constraint>& constraints) {
  Checked<std::vector<Constraint>> result{std::vector<Constraint>{}, {}};
  for (const Constraint& constraint : constraints) {
    const std::vector<MemoryId> points = points_named(problem, constraint.level);
    const auto* residence = std::get_if<ResidenceRule>(&constraint.rule);
    if (points.empty()) {
      result.value->push_back(constraint);
    } else if (residence != nullptr) {
      if (is_met(*residence, problem, points)) continue;
      result.problems.push_back({constraint.where,
                                 fmt::format("the storage points of {} break the constraint \"{}\"",
                                             constraint.level, to_string(constraint)),
                                 "of all points together, keep what it says"});
    }
    for (const MemoryId point : points) {
      if (residence != nullptr) break;
      result.value->push_back(constraint);
      result.value->back().level = problem.memory(point).name;
    }
  }
  if (!result.problems.empty()) result.value.reset();
  return result;
}

Checked<Problem> with_points(const Problem& problem, const std::vector<StoragePoints>& points) {
  Checked<Problem> result;
  for (int m = 0; m < problem.memory_count(); ++m) {
    if (is_taken_apart(points[at(m)])) {
      check_points_of(problem, MemoryId{m}, points[at(m)], result.problems);
    }
  }
  if (has_parts(problem.arch())) {
    add_problem(result.problems, "memories that share room have no storage points of their own");
  }
  if (!result.problems.empty()) return result;
  Architecture arch = problem.arch();
  arch.flexibility.reset();  // it says nothing of points; whoever sets up does so before
  arch.levels = levels_with(problem, points);
  arch.constraints.clear();
  result = Problem::create(problem.workload(), arch);
  if (!result.ok()) return result;
  Checked<std::vector<Constraint>> constraints =
      constraints_at_points(*result.value, problem.arch().constraints);
  if (!constraints.ok()) return {std::nullopt, std::move(constraints.problems)};
  if (constraints.value->empty()) return result;
  arch.constraints = std::move(*constraints.value);
  return Problem::create(problem.workload(), std::move(arch));
}

}  // namespace tilewright
