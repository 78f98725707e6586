#include "mappers/optimal/uneven_mapping.h"

#include <algorithm>
#include <utility>

namespace tilewright::optimal {
namespace {

using Kind = PathStep::Kind;

// A storage point and the loops just inside it, innermost first. Loops of one dimension are
// one loop, which stands where the innermost of them is: that makes runs of tensors longer
// that do not carry the dimension, and changes nothing else.
struct Point {
  std::uint32_t tensors = 0;
  std::vector<std::pair<int, std::int64_t>> loops;

  void add_loop(int dim, std::int64_t bound) {
    const auto known = std::find_if(loops.begin(), loops.end(),
                                    [&](const auto& loop) { return loop.first == dim; });
    if (known == loops.end()) {
      loops.emplace_back(dim, bound);
    } else {
      known->second *= bound;
    }
  }
};

// The points of each memory, innermost first. The last one has the tensors that were not
// placed before.
std::vector<std::vector<Point>> points_of(const Subproblem& sub, const UnevenPaths& paths,
                                          const UnevenPaths::End& end) {
  std::vector<PathStep> steps;
  for (std::uint32_t i = end.last; paths.step(i).kind != Kind::Start; i = paths.step(i).before) {
    steps.push_back(paths.step(i));
  }
  std::reverse(steps.begin(), steps.end());
  const int memories = sub.solver().memory_count;
  std::vector<std::vector<Point>> points(at(memories), std::vector<Point>(1));
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
    points[at(m)].back().tensors |= sub.placement().kept[at(m)] & ~placed;
  }
  return points;
}

// The storage points of memories that have several, outermost first.
std::vector<StoragePoints> several_points(const std::vector<std::vector<Point>>& points) {
  std::vector<StoragePoints> several(points.size());
  for (std::size_t m = 0; m < points.size(); ++m) {
    for (std::size_t i = points[m].size(); points[m].size() > 1 && i-- > 0;) {
      several[m].push_back(points[m][i].tensors);
    }
  }
  return several;
}

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

void set_fanouts(const Subproblem& sub, const Problem& problem, Mapping& mapping) {
  const SolverTables& solver = sub.solver();
  int fanout = 0;
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].kind != SlotKind::SpatialY) continue;
    for (int d = 0; d < solver.dim_count; ++d) {
      const std::int64_t x = sub.spatial().splits(fanout).front()[at(d)];
      mapping.set_bound(s, solver.original(d), sub.spatial().unrolled(fanout, d) / x);
      mapping.set_bound(s + 1, solver.original(d), x);
    }
    ++fanout;
  }
}

// What the storage points of each memory do, as if the memory did it.
Evaluation put_together(const Evaluation& apart, const std::vector<std::vector<Point>>& points) {
  Evaluation together = apart;
  together.memories.clear();
  std::size_t level = 0;
  for (const std::vector<Point>& own : points) {
    MemoryReport memory = apart.memories[level++];
    for (std::size_t i = 1; i < own.size(); ++i, ++level) {
      for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
        const Holding& here = apart.memories[level].tensors[t];
        if (here.kept) memory.tensors[t] = here;
      }
    }
    together.memories.push_back(std::move(memory));
  }
  return together;
}

}  // namespace

std::optional<Found> mapping_of(const Subproblem& sub, const UnevenPaths& paths,
                                const UnevenPaths::End& end) {
  const SolverTables& solver = sub.solver();
  const std::vector<std::vector<Point>> points = points_of(sub, paths, end);
  const std::vector<StoragePoints> several = several_points(points);
  std::shared_ptr<const Evaluator> apart;
  if (std::any_of(several.begin(), several.end(), [](const auto& own) { return !own.empty(); })) {
    const Checked<Problem> problem = with_points(solver.problem(), several);
    if (!problem.ok()) return std::nullopt;
    apart = std::make_shared<const Evaluator>(*Evaluator::compile(*problem.value).value);
  }
  const Evaluator& evaluator = apart ? *apart : *solver.evaluator;
  Mapping mapping(evaluator.problem());
  int level = 0;
  for (const std::vector<Point>& own : points) {
    for (std::size_t i = own.size(); i-- > 0;) {
      set_loops(solver, evaluator.problem(), level++, own[i], mapping);
    }
  }
  set_fanouts(sub, evaluator.problem(), mapping);
  const Evaluation evaluation = evaluator.evaluate(mapping);
  if (!evaluation.score.verdict.fits()) return std::nullopt;
  const Cost cost{exact_energy(solver, put_together(evaluation, points)), evaluation.score.cycles,
                  evaluation.score.instances};
  return Found{std::move(mapping), cost, std::move(apart)};
}

}  // namespace tilewright::optimal
