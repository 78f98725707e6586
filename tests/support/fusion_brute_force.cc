#include "support/fusion_brute_force.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "support/problems.h"
#include "support/uneven_case.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {

namespace {

using Totals = std::vector<FusedTotal>;
using Extents = std::vector<std::int64_t>;

bool beats(const FusedTotal& a, const FusedTotal& b) {
  return a.pj <= b.pj && a.cycles <= b.cycles;
}

void add(Totals& totals, const FusedTotal& one) {
  const auto better = [&](const FusedTotal& other) { return beats(other, one); };
  if (std::any_of(totals.begin(), totals.end(), better)) return;
  std::erase_if(totals, [&](const FusedTotal& other) { return beats(one, other); });
  totals.push_back(one);
}

void add(Totals& totals, const Totals& more) {
  for (const FusedTotal& one : more) add(totals, one);
}

Totals sums(const Totals& a, const Totals& b) {
  Totals made;
  for (const FusedTotal& one : a) {
    for (const FusedTotal& other : b) add(made, {one.pj + other.pj, one.cycles + other.cycles});
  }
  return made;
}

// A private nest, and what its einsum takes by it: energy, cycles of multipliers, and words at
// memories with a bandwidth.
using NestCosts = std::vector<double>;
struct TriedNest {
  PrivateNest nest;
  NestCosts costs;
};

// Words that the busiest instance reads, and those that it writes.
void add_words(const MemoryReport& memory, NestCosts& costs) {
  double reads = 0, writes = 0;
  for (const Holding& tensor : memory.tensors) {
    reads += static_cast<double>(tensor.busiest.reads + tensor.spared_busiest.reads);
    writes += static_cast<double>(tensor.busiest.fills + tensor.busiest.updates +
                                  tensor.spared_busiest.fills + tensor.spared_busiest.updates);
  }
  costs.insert(costs.end(), {reads, writes});
}

// More trees than this for each plan that may be costed are not even listed.
constexpr std::size_t kMostTrees = 40;
// More uneven nests of one execution are not tried.
constexpr std::uint64_t kMostUnevenNests = 15'000;

// A run with loops outermost first; leaves have none.
struct Trees {
  const Cascade& cascade;
  std::uint64_t most;  // plans
  mutable bool too_many = false;

  template <typename One>
  bool is_full(const std::vector<One>& list) const {
    too_many = too_many || list.size() > kMostTrees * most;
    return too_many;
  }

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
          if (is_full(made)) return made;
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
        if (is_full(made)) return made;
      }
    }
    return made;
  }
};

class Search {
 public:
  Search(const Cascade& cascade, const Architecture& arch, const FusedPlans& plans)
      : cascade_(cascade), arch_(arch), plans_(plans) {}

  FusedBruteForce run() {
    const int count = cascade_.einsum_count();
    // Whether there are too many is known before any is costed.
    counts_ = true;
    for (int end = 1; end <= count; ++end) {
      for (int begin = 0; begin < end; ++begin) group(begin, end - 1);
    }
    if (!result_.complete) return result_;
    counts_ = false;
    result_.plans = 0;
    std::vector<Totals> best(at(count + 1));
    best[0] = {{}};
    for (int end = 1; end <= count; ++end) {
      for (int begin = 0; begin < end; ++begin) {
        add(best[at(end)], sums(best[at(begin)], group(begin, end - 1)));
      }
    }
    result_.best = best.back();
    return result_;
  }

 private:
  Totals group(int first, int last) {
    Totals best;
    if (!result_.complete) return best;
    const Trees all{cascade_, plans_.most_plans};
    const auto trees =
        first == last ? std::vector<PlanNode>{Trees::leaf(first)} : all.trees(first, last, false);
    result_.complete = !all.too_many;
    for (const PlanNode& tree : trees) {
      if (!result_.complete) return best;
      Plan plan = unfused(cascade_, "Buffer");
      plan.groups.clear();
      for (int e = 0; e < first; ++e) plan.groups.push_back(Trees::leaf(e));
      plan.groups.push_back(tree);
      for (int e = last + 1; e < cascade_.einsum_count(); ++e)
        plan.groups.push_back(Trees::leaf(e));
      for (const Intermediate& one : intermediates_of(cascade_)) {
        if (one.writer < first || one.readers.front().einsum > last) continue;
        plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Local, 0};
      }
      if (!problems_of(cascade_, plan).empty() || works_twice(plan, first, last)) continue;
      place(plan, first, last, first, 0, best);
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
      if (one.writer < first || one.readers.front().einsum > last) continue;
      if (one.writer == e && t == cascade_.workload(e).tensor_count() - 1) return true;
      if (contains(one.readers, {e, TensorId{t}})) return true;
    }
    return false;
  }

  // Tries all places of the tensors from this one on.
  void place(Plan& plan, int first, int last, int e, int t, Totals& best) {
    if (!result_.complete) return;
    if (e > last) return add(best, cost(plan, first, last));
    if (t == cascade_.workload(e).tensor_count()) {
      return place(plan, first, last, e + 1, 0, best);
    }
    if (first == last || is_shared(plan, first, last, e, t)) {
      return place(plan, first, last, e, t + 1, best);
    }
    Placement& placement = plan.leaves[at(e)].tensors[at(t)];
    placement = {Placement::Kind::Streamed, 0};
    place(plan, first, last, e, t + 1, best);
    placement = {Placement::Kind::Local, 0};
    place(plan, first, last, e, t + 1, best);
    for (int depth = 0; depth < static_cast<int>(path_of(plan, e).size()); ++depth) {
      placement = {Placement::Kind::Kept, depth};
      place(plan, first, last, e, t + 1, best);
    }
    placement = {Placement::Kind::Streamed, 0};
  }

  // The best nests in the room that residents leave.
  Totals cost(Plan& plan, int first, int last) {
    result_.complete = ++result_.plans <= plans_.most_plans;
    if (counts_) return {};
    for (int e = 0; e < cascade_.einsum_count(); ++e) {
      const bool inside = first <= e && e <= last;
      const auto& nests = nests_for(plan, e, inside ? arch_ : roomy());
      if (nests.empty()) return {};
      plan.leaves[at(e)].nests = {nests.front().nest};
    }
    const auto evaluation = evaluate_plan(cascade_, roomy(), plan);
    if (!evaluation.ok()) return {};
    Totals totals = {{}};
    for (int e = first; e <= last; ++e) {
      const std::int64_t resident = resident_words(plan, e, evaluation.value->leaves[at(e)]);
      if (resident > std::get<Memory>(arch_.levels[1]).capacity.amount) return {};
      Architecture left = arch_;
      std::get<Memory>(left.levels[1]).capacity.amount -= resident;
      const auto& nests = nests_for(plan, e, left);
      if (nests.empty()) return {};
      if (plans_.timed) {
        totals = sums(totals, leaf_totals(plan, e, nests));
      } else {
        plan.leaves[at(e)].nests = {nests.front().nest};
      }
    }
    if (!plans_.timed) totals = {{energy_of(plan, first, last), 0}};
    return totals;
  }

  double energy_of(const Plan& plan, int first, int last) const {
    const auto evaluation = evaluate_plan(cascade_, arch_, plan);
    double pj = 0;
    for (int e = first; e <= last; ++e) pj += evaluation.value->leaves[at(e)].energy_pj;
    return pj;
  }

  std::int64_t resident_words(const Plan& plan, int e, const LeafReport& report) const {
    std::int64_t resident = 0;
    const std::uint32_t residents = residents_of(cascade_, plan, e);
    for (const LiveTensor& live : report.live) {
      const auto own = cascade_.workload(e).find_tensor(live.name);
      const bool streamed = live.einsum == e && own && !live.is_state &&
                            ((residents >> static_cast<unsigned>(*own)) & 1U) == 0;
      if (!streamed) resident += live.words;
    }
    return resident;
  }

  Totals leaf_totals(Plan& plan, int e, const std::vector<TriedNest>& nests) const {
    Totals totals;
    for (const TriedNest& tried : nests) {
      plan.leaves[at(e)].nests = {tried.nest};
      const auto evaluation = evaluate_plan(cascade_, arch_, plan);
      const LeafReport& leaf = evaluation.value->leaves[at(e)];
      add(totals, FusedTotal{leaf.energy_pj, plans_.timed ? leaf.cycles : 0});
    }
    return totals;
  }

  const Architecture& roomy() {
    if (!roomy_) {
      roomy_ = arch_;
      std::get<Memory>(roomy_->levels[1]).capacity.amount = 1'000'000;
    }
    return *roomy_;
  }

  const std::vector<TriedNest>& nests_for(const Plan& plan, int e, const Architecture& arch) {
    const Extents extents = executions_of(cascade_, plan, e).front().extents;
    const std::uint32_t residents = residents_of(cascade_, plan, e);
    const std::int64_t room = std::get<Memory>(arch.levels[1]).capacity.amount;
    const auto [known, made] = nests_.try_emplace({e, residents, extents, room});
    if (made) known->second = best_nests(e, arch, residents, extents);
    return known->second;
  }

  std::vector<TriedNest> best_nests(int e, const Architecture& arch, std::uint32_t residents,
                                    const Extents& extents) {
    // A capacity of nothing would be no limit at all.
    const bool none = std::get<Memory>(arch.levels[1]).capacity.amount == 0;
    Architecture usable = arch;
    const std::uint32_t all = (1U << cascade_.workload(e).tensor_count()) - 1;
    if (none && residents != all) return {};
    if (none) std::get<Memory>(usable.levels[1]).capacity.amount = 1;
    const auto problem = leaf_problem(cascade_.workload(e), usable, "Buffer", residents, extents);
    if (!problem.ok()) return {};
    std::vector<TriedNest> best;
    const auto visit = [&](const Evaluator& evaluator, const Mapping& mapping) {
      try_nest(evaluator, mapping, best);
    };
    if (plans_.uneven) {
      const bool complete =
          go_through_uneven({*problem.value, {}}, SpaceKind::Perfect, kMostUnevenNests, visit);
      result_.complete = result_.complete && complete;
      return best;
    }
    const auto restrictions = Restrictions::create(*problem.value);
    const Evaluator evaluator = make_evaluator(*problem.value);
    const MadeSpace space =
        MapSpace::create(*problem.value, SpaceKind::Perfect, *restrictions.value);
    if (!space.ok()) return best;
    Walk walk(*space.value, 0, space.value->size());
    while (const Mapping* mapping = walk.next()) visit(evaluator, *mapping);
    return best;
  }

  // Keeps nests that no other beats in all that time and energy depend on.
  void try_nest(const Evaluator& evaluator, const Mapping& mapping,
                std::vector<TriedNest>& best) const {
    const Score score = evaluator.score(mapping);
    if (!score.verdict.fits()) return;
    NestCosts costs = {score.energy_pj};
    if (plans_.timed) add_times(evaluator, mapping, costs);
    const auto no_worse = [](const NestCosts& a, const NestCosts& b) {
      return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
    };
    const auto better = [&](const TriedNest& other) { return no_worse(other.costs, costs); };
    if (std::any_of(best.begin(), best.end(), better)) return;
    std::erase_if(best, [&](const TriedNest& other) { return no_worse(costs, other.costs); });
    best.push_back({{evaluator.problem(), mapping}, costs});
  }

  static void add_times(const Evaluator& evaluator, const Mapping& mapping, NestCosts& costs) {
    const Evaluation evaluation = evaluator.evaluate(mapping);
    costs.push_back(static_cast<double>(evaluation.compute_cycles));
    for (const MemoryReport& memory : evaluation.memories) {
      const auto& of = std::get<Memory>(evaluator.problem().arch().level(memory.level));
      const bool has_port = of.read_bandwidth || of.write_bandwidth || of.shared_bandwidth;
      if (has_port) add_words(memory, costs);
    }
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  FusedPlans plans_;
  bool counts_ = false;  // plans, without costing them
  std::optional<Architecture> roomy_;
  FusedBruteForce result_;
  std::map<std::tuple<int, std::uint32_t, Extents, std::int64_t>, std::vector<TriedNest>> nests_;
};

}  // namespace

FusedBruteForce fused_brute_force(const Cascade& cascade, const Architecture& arch,
                                  const FusedPlans& plans) {
  return Search(cascade, arch, plans).run();
}

std::optional<double> least_value(const FusedBruteForce& found, Objective objective) {
  std::optional<double> least;
  for (const FusedTotal& total : found.best) {
    const double value = std::pow(total.pj, objective.energy) *
                         std::pow(static_cast<double>(total.cycles), objective.cycles);
    least = std::min(least.value_or(value), value);
  }
  return least;
}

}  // namespace tilewright::testing
