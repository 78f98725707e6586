#include "fusion/search_plan.h"

#include <algorithm>

namespace tilewright::fusion {

PlanBuilder::PlanBuilder(const Cascade& cascade, const Architecture& arch,
                         const CascadeFacts& facts, const TreeRecord& search, Plan& plan)
    : cascade_(cascade), arch_(arch), facts_(facts), search_(search), plan_(plan) {
  plan_.leaves.resize(cascade.einsums.size());
  for (std::size_t e = 0; e < plan_.leaves.size(); ++e) {
    plan_.leaves[e].tensors.resize(cascade.einsums[e].workload.tensors.size());
  }
}

void PlanBuilder::add_group(std::uint32_t origin) { plan_.groups.push_back(node(origin, 0)); }

void PlanBuilder::place(const TreeStep& step, int depth) {
  const RunFacts& run = facts_.run(step.first, step.last);
  for (const int b : members(step.tensors)) {
    const TensorRef ref = run.tensors[at(b)];
    plan_.leaves[at(ref.einsum)].tensors[at(ref.tensor)] = {Placement::Kind::Kept, depth};
  }
}

PlanNode PlanBuilder::node(std::uint32_t number, int depth) {
  PlanNode made;
  bool same_loop = false;  // nothing has its place since the last loop
  for (;;) {
    const TreeStep& step = search_.step(number);
    const int inside = depth + static_cast<int>(made.loops.size());
    if (step.kind == TreeStep::Kind::Leaf) {
      PlanNode of_leaf = leaf(step);
      of_leaf.loops = std::move(made.loops);
      return of_leaf;
    }
    if (step.kind == TreeStep::Kind::Place) {
      place(step, inside);
      same_loop = false;
    } else if (step.kind == TreeStep::Kind::Loop) {
      const std::string& dim = facts_.dim_name(step.dim);
      if (same_loop && made.loops.back().dim == dim) {
        made.loops.back().count *= step.count;
      } else {
        made.loops.push_back({dim, step.count});
      }
      same_loop = true;
    } else {
      for (std::uint32_t join = number; join != kNoStep; join = search_.step(join).from) {
        made.children.push_back(node(search_.step(join).other, inside));
      }
      std::reverse(made.children.begin(), made.children.end());
      return made;
    }
    number = step.from;
  }
}

PlanNode PlanBuilder::leaf(const TreeStep& step) {
  const int e = step.first;
  PlanLeaf& leaf = plan_.leaves[at(e)];
  const LeafNests& fronts = search_.nests(e);
  const std::uint32_t all = (1U << facts_.stack(e).flat().tensors) - 1;
  for (const int t : members(all & ~step.tensors)) {
    Placement& placement = leaf.tensors[at(t)];
    if (placement.kind == Placement::Kind::Streamed) placement = {Placement::Kind::Local, 0};
  }
  const PerDim extents = fronts.lattice().extents(step.extents);
  const std::vector<std::int64_t> sizes(extents.begin(),
                                        extents.begin() + fronts.lattice().dim_count());
  const Checked<Problem> problem =
      leaf_problem(cascade_.workload(e), arch_, plan_.shared, all & ~step.tensors, sizes);
  leaf.nests.push_back(fronts.nest(step.nest, extents, *problem.value));
  PlanNode node;
  node.einsum = e;
  return node;
}

}  // namespace tilewright::fusion
