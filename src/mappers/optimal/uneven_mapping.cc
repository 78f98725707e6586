#include "mappers/optimal/uneven_mapping.h"

#include <algorithm>
#include <utility>

#include "mappers/optimal/axis_splits.h"

namespace tilewright::optimal {
namespace {

using Kind = PathStep::Kind;

// The storage points of memories that have several, outermost first.
template <typename Points>
std::vector<StoragePoints> several_points(const Points& points) {
  std::vector<StoragePoints> several(points.size());
  for (std::size_t m = 0; m < points.size(); ++m) {
    for (std::size_t i = points[m].size(); points[m].size() > 1 && i-- > 0;) {
      several[m].push_back(points[m][i].tensors);
    }
  }
  return several;
}

template <typename Point>
void set_loops(const SolverTables& solver, const Problem& problem, int level, const Point& point,
               Mapping& mapping) {
  std::vector<DimId> order;
  for (const auto& [dim, bound] : point.loops) {
    mapping.set_bound(problem.use(MemoryId{level}).slot, solver.original(dim), bound);
    order.insert(order.begin(), solver.original(dim));
  }
  mapping.set_order(MemoryId{level}, order);
  mapping.set_kept(MemoryId{level}, point.tensors);
}

// What the storage points of each memory do, as if the memory did it. Parts that the architecture
// has stay levels of their own.
Evaluation put_together(const Evaluation& apart, const Problem& problem) {
  Evaluation together = apart;
  together.memories.clear();
  const std::string* last = nullptr;
  for (int level = 0; level < problem.memory_count(); ++level) {
    const Memory& of_level = problem.memory(MemoryId{level});
    const std::string& memory = of_level.point_of;
    const MemoryReport& here = apart.memories[at(level)];
    const bool further_point =
        last != nullptr && !memory.empty() && !of_level.is_part && memory == *last;
    last = &memory;
    if (!further_point) {
      together.memories.push_back(here);
      continue;
    }
    for (std::size_t t = 0; t < here.tensors.size(); ++t) {
      if (here.tensors[t].kept) together.memories.back().tensors[t] = here.tensors[t];
    }
  }
  return together;
}

}  // namespace

Energy exact_energy(const SolverTables& solver, const Evaluator& apart, const Mapping& mapping) {
  return exact_energy(solver, put_together(apart.evaluate(mapping), apart.problem()));
}

std::vector<PathStep> steps_of(const UnevenPaths& paths, const UnevenPaths::End& end) {
  std::vector<PathStep> steps;
  for (std::uint32_t i = end.last; paths.step(i).kind != Kind::Start; i = paths.step(i).before) {
    steps.push_back(paths.step(i));
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// Loops of one dimension are one loop, which stands where the innermost of them is: that makes
// runs of tensors longer that do not carry the dimension, and changes nothing else.
void UnevenMappings::Point::add_loop(int dim, std::int64_t bound) {
  const auto known =
      std::find_if(loops.begin(), loops.end(), [&](const auto& loop) { return loop.first == dim; });
  if (known == loops.end()) {
    loops.emplace_back(dim, bound);
  } else {
    known->second *= bound;
  }
}

// The last point of a memory has the tensors that were not placed before.
UnevenMappings::Points UnevenMappings::points_of(const std::vector<PathStep>& steps) const {
  const int memories = sub_.solver().memory_count;
  Points points(at(memories), std::vector<Point>(1));
  int memory = memories - 1;
  std::vector<Point>* own = &points[at(memory)];
  for (const PathStep& step : steps) {
    switch (step.kind) {
      case Kind::Loop:
        if (own->back().tensors != 0) own->emplace_back();
        own->back().add_loop(step.what, step.bound);
        break;
      case Kind::Place:
        own->back().tensors |= 1U << step.what;
        break;
      case Kind::EndOfMemory:
        own = &points[at(--memory)];
        break;
      case Kind::Start:
        break;
    }
  }
  for (int m = 0; m < memories; ++m) {
    std::uint32_t placed = 0;
    for (const Point& point : points[at(m)]) placed |= point.tensors;
    points[at(m)].back().tensors |= sub_.placement().kept[at(m)] & ~placed;
  }
  return points;
}

// Nothing in it if there may not be so many points.
const std::shared_ptr<const Evaluator>& UnevenMappings::evaluator_for(
    const std::vector<StoragePoints>& points) {
  const auto [known, is_new] = evaluators_.try_emplace(points);
  if (is_new) {
    const Checked<Problem> problem = with_points(sub_.solver().problem(), points);
    if (problem.ok()) {
      known->second = std::make_shared<const Evaluator>(*Evaluator::compile(*problem.value).value);
    }
  }
  return known->second;
}

// False if the unrolling is not legal with these loops inside.
bool UnevenMappings::set_fanouts(const Points& points, const Problem& problem,
                                 Mapping& mapping) const {
  const SolverTables& solver = sub_.solver();
  std::vector<PerDim> loops(points.size());
  for (std::size_t m = 0; m < points.size(); ++m) {
    std::fill_n(loops[m].begin(), solver.dim_count, 1);
    for (const Point& point : points[m]) {
      for (const auto& [dim, bound] : point.loops) loops[m][at(dim)] *= bound;
    }
  }
  const auto splits = legal_splits(sub_, [&](int m, int d) { return loops[at(m)][at(d)]; });
  if (!splits) return false;
  int fanout = 0;
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].kind != SlotKind::SpatialY) continue;
    for (int d = 0; d < solver.dim_count; ++d) {
      const std::int64_t x = (*(*splits)[at(fanout)])[at(d)];
      mapping.set_bound(s, solver.original(d), sub_.spatial().unrolled(fanout, d) / x);
      mapping.set_bound(s + 1, solver.original(d), x);
    }
    ++fanout;
  }
  return true;
}

std::optional<Found> UnevenMappings::mapping_of(const std::vector<PathStep>& steps) {
  const SolverTables& solver = sub_.solver();
  const Points points = points_of(steps);
  const std::vector<StoragePoints> several = several_points(points);
  std::shared_ptr<const Evaluator> apart;
  if (std::any_of(several.begin(), several.end(), [](const auto& own) { return !own.empty(); })) {
    apart = evaluator_for(several);
    if (!apart) return std::nullopt;
  }
  const Evaluator& evaluator = apart ? *apart : *solver.evaluator;
  Mapping mapping(evaluator.problem());
  int level = 0;
  for (const std::vector<Point>& own : points) {
    for (std::size_t i = own.size(); i-- > 0;) {
      set_loops(solver, evaluator.problem(), level++, own[i], mapping);
    }
  }
  if (!set_fanouts(points, evaluator.problem(), mapping)) return std::nullopt;
  const Score score = evaluator.score(mapping);
  if (!score.verdict.fits()) return std::nullopt;
  const Cost cost{exact_energy(solver, evaluator, mapping), score.cycles, score.instances};
  return Found{std::move(mapping), cost, std::move(apart)};
}

}  // namespace tilewright::optimal
