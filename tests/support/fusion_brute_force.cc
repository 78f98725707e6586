#include "support/fusion_brute_force.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "support/brute_force.h"
#include "support/problems.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
using Extents = std::vector<std::int64_t>;

// A run with loops outermost first; leaves have none.
struct Trees {
  const Cascade& cascade;

  std::vector<std::vector<SharedLoop>> loop_lists(int last, const Extents& left) const {
    std::vector<std::vector<SharedLoop>> lists = {{}};
    const Workload& workload = cascade.workload(last);
    for (int d = 0; d < workload.dim_count(); ++d) {
      for (std::int64_t count = 2; count <= left[at(d)]; ++count) {
        if (left[at(d)] % count != 0) continue;
        Extents rest = left;
        rest[at(d)] /= count;
        for (auto& more : loop_lists(last, rest)) {
          // Loops over one dimension that follow each other are one loop.
          if (!more.empty() && more.front().dim == workload.dims[at(d)].name) continue;
          more.insert(more.begin(), {workload.dims[at(d)].name, count});
          lists.push_back(std::move(more));
        }
      }
    }
    return lists;
  }

  static PlanNode leaf(int einsum) {
    PlanNode node;
    node.einsum = einsum;
    return node;
  }

  // All ways to put the einsums side by side: leaves, and runs with loops of their own.
  std::vector<std::vector<PlanNode>> rows(int first, int last, bool whole) const {
    if (first > last) return {{}};
    std::vector<std::vector<PlanNode>> made;
    for (int end = first; end <= last; ++end) {
      if (whole && end == last && first != last) continue;
      const auto heads =
          end == first ? std::vector<PlanNode>{leaf(first)} : trees(first, end, true);
      for (const PlanNode& head : heads) {
        for (auto& rest : rows(end + 1, last, false)) {
          rest.insert(rest.begin(), head);
          made.push_back(std::move(rest));
        }
      }
    }
    return made;
  }

  std::vector<PlanNode> trees(int first, int last, bool looped) const {
    std::vector<PlanNode> made;
    Extents sizes;
    for (const Dimension& dim : cascade.workload(last).dims) sizes.push_back(dim.size);
    const auto lists = loop_lists(last, sizes);
    for (auto& row : rows(first, last, true)) {
      for (const auto& loops : lists) {
        if (looped && loops.empty()) continue;
        PlanNode node;
        node.loops = loops;
        node.children = row;
        made.push_back(std::move(node));
      }
    }
    return made;
  }
};

class Search {
 public:
  Search(const Cascade& cascade, const Architecture& arch, std::uint64_t most)
      : cascade_(cascade), arch_(arch), most_(most) {}

  FusedBruteForce run() {
    const int count = cascade_.einsum_count();
    std::vector<double> best(at(count + 1), kNone);
    best[0] = 0;
    for (int end = 1; end <= count; ++end) {
      for (int begin = 0; begin < end; ++begin) {
        best[at(end)] = std::min(best[at(end)], best[at(begin)] + group(begin, end - 1));
      }
    }
    if (best.back() < kNone) result_.best_pj = best.back();
    return result_;
  }

 private:
  double group(int first, int last) {
    if (!result_.complete) return kNone;
    double best = kNone;
    const auto trees = first == last ? std::vector<PlanNode>{Trees::leaf(first)}
                                     : Trees{cascade_}.trees(first, last, false);
    for (const PlanNode& tree : trees) {
      Plan plan = unfused(cascade_, "Buffer");
      plan.groups.clear();
      for (int e = 0; e < first; ++e) plan.groups.push_back(Trees::leaf(e));
      plan.groups.push_back(tree);
      for (int e = last + 1; e < cascade_.einsum_count(); ++e)
        plan.groups.push_back(Trees::leaf(e));
      for (const Intermediate& one : intermediates_of(cascade_)) {
        if (one.writer < first || one.readers.back().einsum > last) continue;
        plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Local, 0};
      }
      if (!problems_of(cascade_, plan).empty() || works_twice(plan, first, last)) continue;
      best = std::min(best, place(plan, first, last, first, 0));
    }
    return best;
  }

  bool works_twice(const Plan& plan, int first, int last) const {
    for (int e = first; e <= last; ++e) {
      std::int64_t macs = 0;
      for (const Execution& execution : executions_of(cascade_, plan, e)) {
        std::int64_t one = execution.count;
        for (const std::int64_t extent : execution.extents) one *= extent;
        macs += one;
      }
      if (macs != multiply_accumulates(cascade_.workload(e))) return true;
    }
    return false;
  }

  bool is_shared(const Plan& plan, int first, int last, int e, int t) const {
    static_cast<void>(plan);
    for (const Intermediate& one : intermediates_of(cascade_)) {
      if (one.writer < first || one.readers.back().einsum > last) continue;
      if (one.writer == e && t == cascade_.workload(e).tensor_count() - 1) return true;
      if (contains(one.readers, {e, TensorId{t}})) return true;
    }
    return false;
  }

  // Tries all places of the tensors from this one on.
  double place(Plan& plan, int first, int last, int e, int t) {
    if (!result_.complete) return kNone;
    if (e > last) return cost(plan, first, last);
    if (t == cascade_.workload(e).tensor_count()) return place(plan, first, last, e + 1, 0);
    if (first == last || is_shared(plan, first, last, e, t)) {
      return place(plan, first, last, e, t + 1);
    }
    Placement& placement = plan.leaves[at(e)].tensors[at(t)];
    placement = {Placement::Kind::Streamed, 0};
    double best = place(plan, first, last, e, t + 1);
    placement = {Placement::Kind::Local, 0};
    best = std::min(best, place(plan, first, last, e, t + 1));
    for (int depth = 0; depth < static_cast<int>(path_of(plan, e).size()); ++depth) {
      placement = {Placement::Kind::Kept, depth};
      best = std::min(best, place(plan, first, last, e, t + 1));
    }
    placement = {Placement::Kind::Streamed, 0};
    return best;
  }

  // The best nests in the room that residents leave.
  double cost(Plan& plan, int first, int last) {
    result_.complete = ++result_.plans <= most_;
    for (int e = 0; e < cascade_.einsum_count(); ++e) {
      const bool inside = first <= e && e <= last;
      if (!set_nest(plan, e, inside ? arch_ : roomy())) return kNone;
    }
    auto evaluation = evaluate_plan(cascade_, roomy(), plan);
    if (!evaluation.ok()) return kNone;
    const auto& buffer = std::get<Memory>(arch_.levels[1]);
    for (int e = first; e <= last; ++e) {
      std::int64_t resident = 0;
      const Workload& workload = cascade_.workload(e);
      const std::uint32_t residents = residents_of(cascade_, plan, e);
      for (const LiveTensor& live : evaluation.value->leaves[at(e)].live) {
        const auto own = workload.find_tensor(live.name);
        const bool streamed = live.einsum == e && own && !live.is_state &&
                              ((residents >> static_cast<unsigned>(*own)) & 1U) == 0;
        if (!streamed) resident += live.words;
      }
      if (resident > buffer.capacity.amount) return kNone;
      Architecture left = arch_;
      std::get<Memory>(left.levels[1]).capacity.amount -= resident;
      if (!set_nest(plan, e, left)) return kNone;
    }
    evaluation = evaluate_plan(cascade_, arch_, plan);
    double pj = 0;
    for (int e = first; e <= last; ++e) pj += evaluation.value->leaves[at(e)].energy_pj;
    return pj;
  }

  const Architecture& roomy() {
    if (!roomy_) {
      roomy_ = arch_;
      std::get<Memory>(roomy_->levels[1]).capacity.amount = 1'000'000;
    }
    return *roomy_;
  }

  bool set_nest(Plan& plan, int e, const Architecture& arch) {
    const Extents extents = executions_of(cascade_, plan, e).front().extents;
    const std::uint32_t residents = residents_of(cascade_, plan, e);
    const std::int64_t room = std::get<Memory>(arch.levels[1]).capacity.amount;
    const auto [known, made] = nests_.try_emplace({e, residents, extents, room});
    if (made) known->second = best_nest(e, arch, residents, extents);
    if (!known->second) return false;
    plan.leaves[at(e)].nests = {*known->second};
    return true;
  }

  std::optional<PrivateNest> best_nest(int e, const Architecture& arch, std::uint32_t residents,
                                       const Extents& extents) const {
    // A capacity of nothing would be no limit at all.
    const bool none = std::get<Memory>(arch.levels[1]).capacity.amount == 0;
    Architecture usable = arch;
    const std::uint32_t all = (1U << cascade_.workload(e).tensor_count()) - 1;
    if (none && residents != all) return std::nullopt;
    if (none) std::get<Memory>(usable.levels[1]).capacity.amount = 1;
    const auto problem = leaf_problem(cascade_.workload(e), usable, "Buffer", residents, extents);
    if (!problem.ok()) return std::nullopt;
    const auto restrictions = Restrictions::create(*problem.value);
    const BruteForce found =
        brute_force(make_evaluator(*problem.value), SpaceKind::Perfect, *restrictions.value);
    if (!found.best[0]) return std::nullopt;
    return PrivateNest{*problem.value, found.best[0]->mapping};
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  std::uint64_t most_;
  std::optional<Architecture> roomy_;
  FusedBruteForce result_;
  std::map<std::tuple<int, std::uint32_t, Extents, std::int64_t>, std::optional<PrivateNest>>
      nests_;
};

}  // namespace

FusedBruteForce fused_brute_force(const Cascade& cascade, const Architecture& arch,
                                  std::uint64_t most_plans) {
  return Search(cascade, arch, most_plans).run();
}

}  // namespace tilewright::testing
