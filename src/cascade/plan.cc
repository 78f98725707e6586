#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/bits.h"
#include "cascade/geometry.h"
#include "tilewright/cascade.h"

namespace tilewright {
namespace {

EinsumRange range_of(const PlanNode& node) {
  if (node.is_leaf()) return {node.einsum, node.einsum};
  return {range_of(node.children.front()).first, range_of(node.children.back()).last};
}

void collect_path(const PlanNode& node, int einsum, std::vector<PathLoop>& path) {
  const EinsumRange range = range_of(node);
  if (!range.has(einsum)) return;
  for (const SharedLoop& loop : node.loops) path.push_back({loop, range.first, range.last});
  for (const PlanNode& child : node.children) collect_path(child, einsum, path);
}

// Executions with one dimension more, all of whose pieces are equally long.
void cut_alike(const DimPieces& pieces, bool sums, std::vector<Execution>& executions) {
  std::int64_t times = 1;
  for (const std::int64_t count : pieces.counts) times *= count;
  for (Execution& one : executions) {
    one.extents.push_back(pieces.lengths.front());
    one.count *= times;
    if (!sums) one.first_touches *= times;
  }
}

// Executions with one dimension more, each size once, the largest first. Sums over the dimension
// begin with its first piece.
std::vector<Execution> cut(std::vector<Execution> whole, const DimPieces& pieces, bool sums) {
  if (std::adjacent_find(pieces.lengths.begin(), pieces.lengths.end(), std::not_equal_to<>()) ==
      pieces.lengths.end()) {
    cut_alike(pieces, sums, whole);
    return whole;
  }
  std::map<std::vector<std::int64_t>, Execution, std::greater<>> parts;
  for (const Execution& one : whole) {
    for (std::size_t kind = 0; kind < pieces.lengths.size(); ++kind) {
      const std::int64_t times = pieces.times(kind);
      if (times == 0) continue;
      std::vector<std::int64_t> extents = one.extents;
      extents.push_back(pieces.lengths[kind]);
      Execution& part = parts.try_emplace(extents, Execution{extents, 0, 0}).first->second;
      part.count += one.count * times;
      if (!sums || kind == 0) part.first_touches += one.first_touches * times;
    }
  }
  std::vector<Execution> all;
  for (auto& [extents, part] : parts) all.push_back(std::move(part));
  return all;
}

}  // namespace

std::string to_string(const SharedLoop& loop) {
  return loop.tile == 0 ? fmt::format("{} {}", loop.dim, loop.count)
                        : fmt::format("{} by {}", loop.dim, loop.tile);
}

Plan unfused(const Cascade& cascade, const std::string& shared) {
  Plan plan{shared, {}, {}};
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    plan.groups.push_back({{}, {}, e});
    plan.leaves.push_back({std::vector<Placement>(cascade.workload(e).tensors.size()), {}});
  }
  return plan;
}

std::optional<std::string> default_shared_memory(const Architecture& arch) {
  int memories = 0;
  for (const Level& level : arch.levels) {
    if (std::holds_alternative<Memory>(level) && ++memories == 2) return name_of(level);
  }
  return std::nullopt;
}

std::vector<PathLoop> path_of(const Plan& plan, int einsum) {
  std::vector<PathLoop> path;
  for (const PlanNode& group : plan.groups) collect_path(group, einsum, path);
  return path;
}

EinsumRange group_of(const Plan& plan, int einsum) {
  for (const PlanNode& group : plan.groups) {
    const EinsumRange range = range_of(group);
    if (range.has(einsum)) return range;
  }
  return {einsum, einsum};
}

const std::string& shared_of(const Plan& plan, int einsum) {
  for (const PlanNode& group : plan.groups) {
    if (range_of(group).has(einsum) && !group.shared.empty()) return group.shared;
  }
  return plan.shared;
}

std::vector<Execution> executions_of(const Cascade& cascade, const Plan& plan, int einsum) {
  return executions_of(Geometry(cascade, plan), einsum);
}

std::vector<Execution> executions_of(const Geometry& geometry, int einsum) {
  const Workload& workload = geometry.cascade().workload(einsum);
  const int depth = static_cast<int>(geometry.path(einsum).size());
  std::vector<Execution> executions = {{}};
  for (int k = 0; k < depth; ++k) {
    const bool again = !geometry.moves_any(einsum, k) && geometry.runs_again(einsum, k);
    if (again) executions.front().count *= geometry.path(einsum)[at(k)].loop.count;
  }
  executions.front().first_touches = executions.front().count;
  for (int d = 0; d < workload.dim_count(); ++d) {
    const bool sums = !is_relevant(workload.tensors.back(), DimId{d});
    executions = cut(std::move(executions), geometry.pieces(einsum, DimId{d}, depth), sums);
  }
  return executions;
}

std::uint32_t residents_of(const Cascade& cascade, const Plan& plan, int einsum) {
  return residents_of(Geometry(cascade, plan), einsum);
}

std::uint32_t residents_of(const Geometry& geometry, int einsum) {
  const Plan& plan = geometry.plan();
  const Workload& workload = geometry.cascade().workload(einsum);
  std::uint32_t residents = 0;
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const bool made = TensorId{t} == workload.output() && geometry.is_intermediate(einsum);
    const bool streamed = plan.leaves[at(einsum)].tensors[at(t)].kind == Placement::Kind::Streamed;
    const bool inside = made || geometry.writer(einsum, TensorId{t}).has_value();
    if (inside || !streamed) residents |= std::uint32_t{1} << static_cast<unsigned>(t);
  }
  return residents;
}

std::vector<Home> homes_of(const Cascade& cascade, const Plan& plan, int einsum) {
  return homes_of(Geometry(cascade, plan), einsum);
}

std::vector<Home> homes_of(const Geometry& geometry, int einsum) {
  std::map<std::string, std::uint32_t> others;
  const EinsumRange group = geometry.group(einsum);
  for (int e = group.first; e <= group.last; ++e) {
    for (const int t : members(residents_of(geometry, e))) {
      std::uint32_t& residents = others[geometry.home(e, TensorId{t})];
      if (e == einsum) residents |= std::uint32_t{1} << static_cast<unsigned>(t);
    }
  }
  const std::string& shared = geometry.shared(einsum);
  std::vector<Home> homes = {{shared, others[shared]}};
  others.erase(shared);
  for (const auto& [memory, residents] : others) homes.push_back({memory, residents});
  return homes;
}

}  // namespace tilewright
