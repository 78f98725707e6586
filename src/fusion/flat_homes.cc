#include "fusion/flat_homes.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/bits.h"
#include "fusion/count_leaf.h"
#include "fusion/count_loads.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

namespace {

// What a plan takes beside its nests: loads, what is done afterwards, intermediates that also
// leave.
double beside_nests_pj(const Geometry& geometry, const Architecture& arch) {
  double pj = 0;
  for (int e = 0; e < geometry.cascade().einsum_count(); ++e) {
    for (const int t : members(residents_of(geometry, e))) {
      if (!comes_from_outside(geometry, e, TensorId{t})) continue;
      pj += load_pj(geometry, arch, e, TensorId{t});
    }
    pj += departure_pj(geometry, arch, e);
    const auto& then = geometry.cascade().einsums[at(e)].then;
    if (then) pj += then->energy_pj * static_cast<double>(afterwards_elements(geometry, e));
  }
  return pj;
}

// Tensors that are kept inside this loop of the path are kept below so many more.
void shift_depths(Plan& plan, int loop, int more) {
  for (PlanLeaf& leaf : plan.leaves) {
    for (Placement& one : leaf.tensors) {
      if (one.kind == Placement::Kind::Kept && one.depth > loop) one.depth += more;
    }
  }
}

// From one group on, which shares the memory of the task.
class HomesSearch {
 public:
  HomesSearch(const FlatTask& task, const std::vector<std::string>& memories)
      : task_(task), memories_(memories) {}

  // `from` has a plan, whose nests may be missing.
  FlatGroup search(FlatGroup from, const Deadline& deadline);

 private:
  void descend(const Deadline& deadline);
  // Plans without nests that differ from the best one in one thing.
  using Variations = std::function<std::vector<Plan>()>;
  std::vector<Variations> things() const;
  std::vector<Plan> places(int einsum, TensorId tensor) const;
  std::vector<Plan> counts(const Dimension& dim) const;
  std::vector<Plan> orders() const;
  std::vector<Plan> splits(std::size_t loop) const;
  std::vector<Plan> all_splits() const;
  bool is_flat() const;
  void try_plan(Plan plan, const Deadline& deadline);

  FlatTask task_;
  const std::vector<std::string>& memories_;
  FlatGroup best_;
};

FlatGroup HomesSearch::search(FlatGroup from, const Deadline& deadline) {
  best_ = std::move(from);
  best_.bound_pj = 0;
  try {
    descend(deadline);
  } catch (const Expired&) {
    return best_;  // what was found until then
  }
  return best_;
}

void HomesSearch::descend(const Deadline& deadline) {
  try_plan(*best_.plan, deadline);
  const std::vector<Variations> all = things();
  std::size_t without_gain = 0;
  for (std::size_t i = 0; without_gain < all.size(); i = (i + 1) % all.size()) {
    const double before = best_.pj;
    for (Plan& plan : all[i]()) try_plan(std::move(plan), deadline);
    without_gain = best_.pj < before ? 0 : without_gain + 1;
  }
}

std::vector<HomesSearch::Variations> HomesSearch::things() const {
  std::vector<Variations> all;
  const Geometry geometry(task_.cascade, *best_.plan);
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    for (int t = 0; t < task_.cascade.workload(e).tensor_count(); ++t) {
      if (geometry.writer(e, TensorId{t})) continue;  // stands with its writer
      all.emplace_back([this, e, t] { return places(e, TensorId{t}); });
    }
  }
  if (!is_flat()) return all;
  for (const Dimension& dim : task_.cascade.einsums.back().workload.dims) {
    all.emplace_back([this, dim] { return counts(dim); });
  }
  all.emplace_back([this] { return orders(); });
  all.emplace_back([this] { return all_splits(); });
  return all;
}

bool HomesSearch::is_flat() const {
  const std::vector<PlanNode>& children = best_.plan->groups.front().children;
  return std::all_of(children.begin(), children.end(),
                     [](const PlanNode& child) { return child.is_leaf() && child.loops.empty(); });
}

std::vector<Plan> HomesSearch::places(int einsum, TensorId tensor) const {
  const Geometry geometry(task_.cascade, *best_.plan);
  const Placement& now = best_.plan->leaves[at(einsum)].tensors[at(tensor)];
  std::vector<Placement> kinds = {now};
  if (comes_from_outside(geometry, einsum, tensor)) kinds = places_of(geometry, einsum, tensor);
  std::vector<Placement> others;
  for (Placement one : kinds) {
    for (const std::string& memory : memories_) {
      one.home = memory == task_.shared ? "" : memory;
      others.push_back(one);
    }
  }
  if (comes_from_outside(geometry, einsum, tensor)) others.emplace_back();
  std::vector<Plan> plans;
  for (Placement& other : others) {
    if (other == now) continue;
    plans.push_back(*best_.plan);
    plans.back().leaves[at(einsum)].tensors[at(tensor)] = std::move(other);
  }
  return plans;
}

std::vector<Plan> HomesSearch::counts(const Dimension& dim) const {
  const std::vector<SharedLoop>& loops = best_.plan->groups.front().loops;
  const auto is_over = [&](const SharedLoop& loop) { return loop.dim == dim.name; };
  const auto number = std::count_if(loops.begin(), loops.end(), is_over);
  const auto found = std::find_if(loops.begin(), loops.end(), is_over);
  // Two loops over a dimension, or pieces that differ, stay as they are.
  if (number > 1 || (number == 1 && found->tile != 0)) return {};
  const auto place = static_cast<int>(found - loops.begin());
  std::vector<Plan> plans;
  const auto add = [&]() -> std::vector<SharedLoop>& {
    plans.push_back(*best_.plan);
    return plans.back().groups.front().loops;
  };
  if (number == 1) {
    auto& fewer = add();
    fewer.erase(fewer.begin() + place);
    shift_depths(plans.back(), place, -1);
  }
  for (std::int64_t count = 2; count <= dim.size; ++count) {
    if (dim.size % count != 0) continue;
    if (number == 1) {
      if (count != found->count) add()[at(place)].count = count;
      continue;
    }
    for (int at_loop = 0; at_loop <= static_cast<int>(loops.size()); ++at_loop) {
      auto& more = add();
      more.insert(more.begin() + at_loop, {dim.name, count});
      shift_depths(plans.back(), at_loop, 1);
    }
  }
  return plans;
}

std::vector<Plan> HomesSearch::orders() const {
  std::vector<Plan> plans;
  for (std::size_t i = 0; i + 1 < best_.plan->groups.front().loops.size(); ++i) {
    plans.push_back(*best_.plan);
    std::vector<SharedLoop>& loops = plans.back().groups.front().loops;
    std::swap(loops[i], loops[i + 1]);
  }
  return plans;
}

// A loop is cut in two, the outer one further out, and what the outer one moves is kept below it in
// one of the memories.
std::vector<Plan> HomesSearch::splits(std::size_t loop) const {
  const std::vector<SharedLoop>& loops = best_.plan->groups.front().loops;
  const SharedLoop whole = loops[loop];
  std::vector<Plan> plans;
  for (std::int64_t count = 2; whole.tile == 0 && count < whole.count; ++count) {
    if (whole.count % count != 0) continue;
    for (std::size_t place = 0; place <= loop; ++place) {
      Plan split = *best_.plan;
      std::vector<SharedLoop>& own = split.groups.front().loops;
      own[loop].count = whole.count / count;
      own.insert(own.begin() + static_cast<std::ptrdiff_t>(place), {whole.dim, count});
      shift_depths(split, static_cast<int>(place), 1);
      const Geometry geometry(task_.cascade, split);
      for (const std::string& memory : memories_) {
        plans.push_back(split);
        for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
          for (int t = 0; t < task_.cascade.workload(e).tensor_count(); ++t) {
            const auto outer = static_cast<int>(place);
            if (!comes_from_outside(geometry, e, TensorId{t})) continue;
            if (!geometry.moves(e, TensorId{t}, outer)) continue;
            plans.back().leaves[at(e)].tensors[at(t)] = {Placement::Kind::Kept, outer + 1,
                                                         memory == task_.shared ? "" : memory};
          }
        }
      }
    }
  }
  return plans;
}

std::vector<Plan> HomesSearch::all_splits() const {
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < best_.plan->groups.front().loops.size(); ++i) {
    append(plans, splits(i));
  }
  return plans;
}

void HomesSearch::try_plan(Plan plan, const Deadline& deadline) {
  deadline.check();
  for (PlanLeaf& leaf : plan.leaves) leaf.nests.clear();
  if (!problems_of(task_.cascade, plan).empty()) return;
  const Geometry geometry(task_.cascade, plan);
  double least_pj = beside_nests_pj(geometry, task_.arch);
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    for (const Execution& execution : executions_of(geometry, e)) {
      if (least_pj >= best_.pj) return;
      auto found = task_.nests.find_in(geometry, e, execution, task_.first);
      if (!found) return;
      least_pj += found->bound_pj;
      plan.leaves[at(e)].nests.push_back(std::move(found->nest));
    }
  }
  const Checked<PlanEvaluation> evaluation = evaluate_plan(task_.cascade, task_.arch, plan);
  if (!evaluation.ok() || !evaluation.value->misfit.empty()) return;
  if (evaluation.value->energy_pj >= best_.pj * (1 - 1e-12)) return;
  best_.plan = std::move(plan);
  best_.pj = evaluation.value->energy_pj;
}

// The plan of a group that shares another memory, with all tensors where they are.
Plan sharing(Plan plan, const std::string& memory) {
  for (PlanLeaf& leaf : plan.leaves) {
    for (Placement& one : leaf.tensors) {
      if (one.kind == Placement::Kind::Streamed) continue;
      if (one.home.empty()) one.home = plan.shared;
      if (one.home == memory) one.home.clear();
    }
  }
  plan.shared = memory;
  return plan;
}

}  // namespace

FlatGroup search_homes(const std::vector<FlatTask>& tasks, const std::vector<FlatGroup>& starts,
                       const Deadline& deadline) {
  std::vector<std::string> memories;
  for (const FlatTask& task : tasks) memories.push_back(task.shared);
  FlatGroup best;
  for (std::size_t m = 0; m < tasks.size(); ++m) {
    if (!starts[m].plan) continue;
    FlatGroup own = HomesSearch(tasks[m], memories).search(starts[m], deadline);
    bool gains = true;
    while (gains && !deadline.has_passed()) {
      gains = false;
      for (const FlatTask& task : tasks) {
        if (task.shared == own.plan->shared) continue;
        FlatGroup from{sharing(*own.plan, task.shared), own.pj, 0};
        FlatGroup found = HomesSearch(task, memories).search(std::move(from), deadline);
        if (found.pj >= own.pj) continue;
        own = std::move(found);
        gains = true;
      }
    }
    if (!best.plan || own.pj < best.pj) best = std::move(own);
  }
  return best;
}

}  // namespace tilewright::fusion
