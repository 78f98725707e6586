#include "certificate/flat_count.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/count.h"
#include "certificate/plan_count.h"
#include "certificate/refused.h"

namespace tilewright::certificate {

namespace {

// One group of a plan.
class FlatGroupCount {
 public:
  FlatGroupCount(const FlatSpace& space, const Plan& plan, const PlanNode& node,
                 const EinsumRun& run)
      : space_(space), plan_(plan), group_(space.cascade(), run), cell_(group_, loops_in(node)) {
    for (int e = run.first; e <= run.last; ++e) check_places(e);
    for (int e = run.first; e <= run.last; ++e) {
      if (group_.hands_on(e)) cell_.put(e, leaf(e).tensors.back());
    }
    if (!cell_.settle()) {
      refuse("{} to {}: loops cut what is handed on in a way that is not covered", name(run.first),
             name(run.last));
    }
  }

  Int128 energy() const {
    Int128 sum = 0;
    for (int e = group_.run().first; e <= group_.run().last; ++e) sum = plus(sum, of_einsum(e));
    return sum;
  }

 private:
  const std::string& name(int einsum) const { return space_.cascade().workload(einsum).name; }
  const PlanLeaf& leaf(int einsum) const { return plan_.leaves[at(einsum)]; }

  std::vector<FlatLoop> loops_in(const PlanNode& node) const {
    const Workload& last = group_.workload(group_.run().last);
    std::vector<FlatLoop> loops;
    for (const SharedLoop& loop : node.loops) {
      const auto dim = last.find_dim(loop.dim);
      const auto& allowed = group_.loop_dims();
      const bool known =
          dim && std::find(allowed.begin(), allowed.end(), index_of(*dim)) != allowed.end();
      if (!known || loop.count < 2) refuse("a loop over {} does not move all einsums", loop.dim);
      if (loop.tile != 0) refuse("the loop over {} leaves a remainder", loop.dim);
      for (const FlatLoop& other : loops) {
        if (other.dim == index_of(*dim)) refuse("there are two loops over {}", loop.dim);
      }
      loops.push_back({index_of(*dim), loop.count});
    }
    return loops;
  }

  void check_places(int einsum) const {
    const std::vector<Tensor>& tensors = group_.workload(einsum).tensors;
    if (leaf(einsum).tensors.size() != tensors.size()) {
      refuse("a tensor of {} has no place", name(einsum));
    }
    for (int t = 0; t < group_.workload(einsum).tensor_count(); ++t) {
      const Place& place = leaf(einsum).tensors[at(t)];
      const std::string& tensor = tensors[at(t)].name;
      if (!place.home.empty() && place.home != plan_.shared)
        refuse("{} is in {}", tensor, place.home);
      const bool read_inside = !group_.is_outside(einsum, t) && !group_.is_output(einsum, t);
      if (read_inside) continue;
      const bool streamed = place.kind == Place::Kind::Streamed;
      if (streamed != group_.is_outside(einsum, t) && (streamed || group_.run().length() == 1)) {
        refuse("{} of {} is {}streamed", tensor, name(einsum), streamed ? "" : "not ");
      }
      if (place.kind == Place::Kind::Kept && (place.depth < 0 || place.depth > cell_.loops())) {
        refuse("{} is kept below no loop", tensor);
      }
    }
  }

  // What is in the shared memory beside streamed tiles while an einsum runs.
  Int128 room_taken(int einsum, const FlatExecution& execution) const {
    Count taken = 0;
    for (int e = group_.run().first; e <= group_.run().last; ++e) {
      for (int t = 0; t < group_.workload(e).tensor_count(); ++t) {
        const Place& place = leaf(e).tensors[at(t)];
        const bool made = group_.hands_on(e) && group_.is_output(e, t);
        if (place.kind == Place::Kind::Streamed || !(made || group_.is_outside(e, t))) continue;
        if (!made && place.kind == Place::Kind::Local) {
          if (e != einsum) continue;
          taken += space_.amount(e, t, tile_elements(group_.workload(e), t, execution.extents));
          continue;
        }
        const FlatCell::Stay stay = cell_.stay(e, t, place);
        if (stay.run.has(einsum)) taken += space_.amount(e, t, stay.words);
      }
    }
    return taken;
  }

  std::uint32_t streamed(int einsum) const {
    std::uint32_t bits = 0;
    for (int t = 0; t < group_.workload(einsum).tensor_count(); ++t) {
      const bool is = leaf(einsum).tensors[at(t)].kind == Place::Kind::Streamed;
      if (is && group_.is_outside(einsum, t)) bits |= 1U << static_cast<unsigned>(t);
    }
    return bits;
  }

  Int128 of_einsum(int einsum) const {
    const std::vector<FlatExecution> executions = cell_.executions(einsum);
    Int128 sum = space_.afterwards(einsum, executions);
    if (group_.also_leaves(einsum)) sum = plus(sum, space_.departure(einsum));
    for (int t = 0; t < group_.workload(einsum).tensor_count(); ++t) {
      if (!group_.is_outside(einsum, t) || contains(streamed(einsum), t)) continue;
      const Place& place = leaf(einsum).tensors[at(t)];
      sum = plus(sum, space_.load(einsum, t, cell_.loaded(einsum, t, place)));
    }
    for (const FlatExecution& one : executions) sum = plus(sum, of_nest(einsum, one));
    return sum;
  }

  const PrivateNest& nest_for(int einsum, const FlatExecution& execution) const {
    for (const PrivateNest& nest : leaf(einsum).nests) {
      std::vector<std::int64_t> sizes;
      for (const Dimension& dim : nest.problem.workload().dims) sizes.push_back(dim.size);
      if (sizes == execution.extents) return nest;
    }
    refuse("{} has no nest for some of its executions", name(einsum));
  }

  Int128 of_nest(int einsum, const FlatExecution& execution) const {
    FlatQuestion question{einsum, execution.extents, streamed(einsum), 0, false};
    const Int128 left = space_.room() - room_taken(einsum, execution);
    if (left < 0 || (left == 0 && question.streamed != 0)) {
      refuse("while {} runs, too much is in the shared memory", name(einsum));
    }
    question.room = narrow(left);
    const PrivateNest& nest = nest_for(einsum, execution);
    Int128 sum = 0;
    for (const std::int64_t times_so : {execution.fresh, execution.count - execution.fresh}) {
      const Problem whole = space_.nest_problem(question);
      const Problem problem = at_points_of(nest, whole);
      std::string misfit = shape_misfit(problem, nest);
      if (misfit.empty()) misfit = rules_misfit(whole, problem, nest.mapping, space_.nests());
      if (!misfit.empty()) refuse("the nest of {}{}", name(einsum), misfit);
      const Terms terms(problem);
      const Counter counter(terms, nest.mapping);
      for (const std::string& why : counter.overflows()) {
        refuse("the nest of {}: {}", name(einsum), why);
      }
      sum = plus(sum, times(space_.units(einsum, counter.cost().energy), times_so));
      question.old_sums = true;
    }
    return sum;
  }

  const FlatSpace& space_;
  const Plan& plan_;
  FlatGroup group_;
  FlatCell cell_;
};

// The einsums of a group, from the next one on.
EinsumRun run_of(const FlatSpace& space, const Plan& plan, const PlanNode& group, int next) {
  if (!group.shared.empty() && group.shared != plan.shared)
    refuse("a group shares {}", group.shared);
  std::vector<const PlanNode*> leaves;
  for (const PlanNode& child : group.children) leaves.push_back(&child);
  if (leaves.empty()) leaves.push_back(&group);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]->children.empty()) refuse("a group of the plan is not flat");
    if (leaves[i]->einsum != next + static_cast<int>(i)) {
      refuse("the einsums of the plan are not in their order");
    }
    if (!leaves[i]->loops.empty()) refuse("loops are around one einsum alone");
  }
  const EinsumRun run{next, next + static_cast<int>(leaves.size()) - 1};
  if (run.last >= space.einsums()) refuse("the plan has more einsums than the cascade");
  if (run.length() > space.longest()) refuse("a group of the plan is too long");
  return run;
}

}  // namespace

Int128 counted(const FlatSpace& space, const Plan& plan) {
  if (plan.leaves.size() != at(space.einsums())) refuse("the plan does not have all leaves");
  Int128 energy = 0;
  int next = 0;
  for (const PlanNode& group : plan.groups) {
    const EinsumRun run = run_of(space, plan, group, next);
    energy = plus(energy, FlatGroupCount(space, plan, group, run).energy());
    next = run.last + 1;
  }
  if (next != space.einsums()) refuse("the plan does not have all einsums");
  return energy;
}

}  // namespace tilewright::certificate
