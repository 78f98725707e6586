#include "support/flat_brute_force.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "support/problems.h"
#include "support/random_plan.h"
#include "support/uneven_case.h"
#include "tilewright/fusion.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {

namespace {

using Extents = std::vector<std::int64_t>;

// What a plan needs to know of a nest: energy with new outputs and with old ones, and words in the
// buffer.
struct NestCosts {
  double new_pj = 0, old_pj = 0;
  std::int64_t words = 0;
  std::vector<Int128> times = {};  // cycles of the multipliers, words at each port

  bool beats(const NestCosts& other) const {
    return new_pj <= other.new_pj && old_pj <= other.old_pj && words <= other.words &&
           std::equal(times.begin(), times.end(), other.times.begin(), std::less_equal<>());
  }
};
struct TriedNest {
  PrivateNest nest;
  NestCosts costs;
};

// Cycles of the multipliers, and words of the busiest instance that each memory reads and writes,
// with new outputs and with old ones.
std::vector<Int128> times_of(const Evaluation& evaluation) {
  std::vector<Int128> times = {evaluation.array_cycles()};
  for (const MemoryReport& memory : evaluation.memories) {
    Int128 reads = 0, writes = 0, old_reads = 0, old_writes = 0;
    for (const Holding& one : memory.tensors) {
      reads += one.busiest.reads;
      writes += one.busiest.fills + one.busiest.updates;
      old_reads += one.spared_busiest.reads;
      old_writes += one.spared_busiest.fills + one.spared_busiest.updates;
    }
    times.insert(times.end(), {reads, writes, reads + old_reads, writes + old_writes});
  }
  return times;
}

// Adds a total unless another one is as good in both.
void add_total(std::vector<FlatTotal>& front, const FlatTotal& one) {
  const auto beats = [](const FlatTotal& a, const FlatTotal& b) {
    return a.pj <= b.pj && a.cycles <= b.cycles;
  };
  if (std::any_of(front.begin(), front.end(), [&](const FlatTotal& a) { return beats(a, one); })) {
    return;
  }
  std::erase_if(front, [&](const FlatTotal& a) { return beats(one, a); });
  front.push_back(one);
}

std::vector<FlatTotal> sums_of(const std::vector<FlatTotal>& a, const std::vector<FlatTotal>& b) {
  std::vector<FlatTotal> sums;
  for (const FlatTotal& one : a) {
    for (const FlatTotal& other : b) {
      add_total(sums, {one.pj + other.pj, one.cycles + other.cycles});
    }
  }
  return sums;
}

class Search {
 public:
  Search(const Cascade& cascade, const Architecture& arch, const FlatPlans& plans)
      : cascade_(cascade), arch_(arch), plans_(plans) {}

  FlatBruteForce run() {
    const int count = cascade_.einsum_count();
    // Whether there are too many is known before any is costed.
    counts_ = true;
    for (int end = 1; end <= count; ++end) {
      for (int begin = 0; begin < end; ++begin) group(begin, end - 1);
    }
    if (!result_.complete) return result_;
    counts_ = false;
    result_.plans = 0;
    std::vector<std::optional<double>> best(at(count + 1));
    std::vector<std::vector<FlatTotal>> fronts(at(count + 1));
    best[0] = 0;
    fronts[0] = {{}};
    for (int end = 1; end <= count; ++end) {
      for (int begin = 0; begin < end; ++begin) {
        const auto one = group(begin, end - 1);
        for (const FlatTotal& sum : sums_of(fronts[at(begin)], front_)) {
          add_total(fronts[at(end)], sum);
        }
        if (!one || !best[at(begin)]) continue;
        const double pj = *best[at(begin)] + *one;
        best[at(end)] = std::min(best[at(end)].value_or(pj), pj);
      }
    }
    result_.pj = best.back();
    result_.front = fronts.back();
    return result_;
  }

 private:
  // The least energy of a group; its einsums are a cascade of their own.
  std::optional<double> group(int first, int last) {
    part_ = Cascade{"part", "", {}, {}};
    part_.einsums.assign(cascade_.einsums.begin() + first, cascade_.einsums.begin() + last + 1);
    for (const Intermediate& one : intermediates_of(cascade_)) {
      const bool inside = one.writer >= first && one.readers.front().einsum <= last;
      if (inside && one.readers.back().einsum > last) {
        part_.einsums[at(one.writer - first)].leaves = true;
      }
    }
    best_.reset();
    front_.clear();
    nests_.clear();
    std::vector<SharedLoop> loops;
    if (first == last) {
      Plan plan = unfused(part_, plans_.shared);
      cost(plan);
    } else {
      add_loops(loops);
    }
    return best_;
  }

  void add_loops(std::vector<SharedLoop>& loops) {
    if (!result_.complete) return;
    place_all(loops);
    for (const Dimension& dim : part_.einsums.back().workload.dims) {
      const auto same = [&](const SharedLoop& loop) { return loop.dim == dim.name; };
      if (std::any_of(loops.begin(), loops.end(), same)) continue;
      for (std::int64_t count = 2; count <= dim.size; ++count) {
        if (dim.size % count != 0 || !(plans_.recompute || moves_all({dim.name, count}))) continue;
        loops.push_back({dim.name, count});
        add_loops(loops);
        loops.pop_back();
      }
    }
  }

  Plan plan_of(const std::vector<SharedLoop>& loops) const {
    Plan plan = unfused(part_, plans_.shared);
    plan.groups = {PlanNode{loops, plan.groups, -1}};
    for (const Intermediate& one : intermediates_of(part_)) {
      plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Local, 0};
    }
    return plan;
  }

  bool moves_all(const SharedLoop& loop) const {
    Plan plan = plan_of({loop});
    // Pieces that padding does not allow to be made again may be kept.
    if (!problems_of(part_, plan).empty()) {
      for (const Intermediate& one : intermediates_of(part_)) {
        plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Kept, 0};
      }
    }
    if (!problems_of(part_, plan).empty()) return false;
    for (int e = 0; e < part_.einsum_count(); ++e) {
      Extents sizes;
      for (const Dimension& dim : part_.workload(e).dims) sizes.push_back(dim.size);
      // With padding, one of the pieces may be as long as the dimension.
      const std::vector<Execution> executions = executions_of(part_, plan, e);
      if (std::all_of(executions.begin(), executions.end(),
                      [&](const Execution& one) { return one.extents == sizes; })) {
        return false;
      }
    }
    return true;
  }

  void place_all(const std::vector<SharedLoop>& loops) {
    Plan plan = plan_of(loops);
    place(plan, 0, 0);
  }

  // Tries all places of the tensors from this one on.
  void place(Plan& plan, int e, int t) {
    if (!result_.complete) return;
    if (e == part_.einsum_count()) return cost(plan);
    if (t == part_.workload(e).tensor_count()) return place(plan, e + 1, 0);
    bool made = false, read = false;
    for (const Intermediate& one : intermediates_of(part_)) {
      made = made || (one.writer == e && t + 1 == part_.workload(e).tensor_count());
      read = read || contains(one.readers, {e, TensorId{t}});
    }
    if (read) return place(plan, e, t + 1);
    Placement& placement = plan.leaves[at(e)].tensors[at(t)];
    const Placement before = placement;
    if (!made) place(plan, e, t + 1);
    placement = {Placement::Kind::Local, 0};
    place(plan, e, t + 1);
    for (int depth = 0; depth <= static_cast<int>(plan.groups.front().loops.size()); ++depth) {
      placement = {Placement::Kind::Kept, depth};
      place(plan, e, t + 1);
    }
    placement = before;
  }

  // The best nests, those of each execution apart; the others take the least room meanwhile.
  void cost(Plan& plan) {
    if (!result_.complete || !problems_of(part_, plan).empty()) return;
    result_.complete = ++result_.plans <= plans_.most;
    if (counts_) return;
    for (int e = 0; e < part_.einsum_count(); ++e) {
      plan.leaves[at(e)].nests.clear();
      for (const Execution& execution : executions_of(part_, plan, e)) {
        const auto& all = nests_for(plan, e, execution.extents);
        if (all.empty()) return;
        plan.leaves[at(e)].nests.push_back(
            std::min_element(all.begin(), all.end(), [](const TriedNest& a, const TriedNest& b) {
              return a.costs.words < b.costs.words;
            })->nest);
      }
    }
    const auto smallest = evaluated(plan);
    if (!smallest) return;
    if (plans_.timed) return add_front(plan);
    double pj = *smallest;
    for (int e = 0; e < part_.einsum_count(); ++e) {
      const std::vector<Execution> executions = executions_of(part_, plan, e);
      for (std::size_t x = 0; x < executions.size(); ++x) {
        choose_nest(plan, e, x, executions[x].extents, pj);
      }
    }
    best_ = std::min(best_.value_or(pj), pj);
  }

  // All trade-offs of each einsum, whatever the others do.
  void add_front(Plan& plan) {
    std::vector<FlatTotal> sums = {{}};
    for (int e = 0; e < part_.einsum_count(); ++e) {
      std::vector<FlatTotal> of_einsum;
      const std::vector<PrivateNest> least_room = plan.leaves[at(e)].nests;
      choose_all(plan, e, 0, of_einsum);
      plan.leaves[at(e)].nests = least_room;
      sums = sums_of(sums, of_einsum);
    }
    for (const FlatTotal& sum : sums) {
      add_total(front_, sum);
      best_ = std::min(best_.value_or(sum.pj), sum.pj);
    }
  }

  // All nests of the executions from this one on.
  void choose_all(Plan& plan, int e, std::size_t x, std::vector<FlatTotal>& totals) {
    const std::vector<Execution> executions = executions_of(part_, plan, e);
    if (x == executions.size()) {
      const auto evaluation = evaluate_plan(part_, arch_, plan);
      if (!evaluation.ok() || !evaluation.value->misfit.empty()) return;
      const LeafReport& leaf = evaluation.value->leaves[at(e)];
      add_total(totals, {leaf.energy_pj, static_cast<double>(leaf.cycles)});
      return;
    }
    for (const TriedNest& tried : nests_for(plan, e, executions[x].extents)) {
      plan.leaves[at(e)].nests[x] = tried.nest;
      choose_all(plan, e, x + 1, totals);
    }
  }

  // Of the nests of an execution, the one with which the plan takes the least energy: what it
  // takes with the smallest nest is known.
  void choose_nest(Plan& plan, int e, std::size_t x, const Extents& extents, double& least) {
    const std::vector<TriedNest>& all = nests_for(plan, e, extents);
    if (all.size() == 1) return;
    PrivateNest& chosen = plan.leaves[at(e)].nests[x];
    PrivateNest best = chosen;
    for (const TriedNest& tried : all) {
      chosen = tried.nest;
      const auto pj = evaluated(plan);
      if (!pj || *pj >= least) continue;
      least = *pj;
      best = tried.nest;
    }
    chosen = best;
  }

  std::optional<double> evaluated(const Plan& plan) const {
    const auto evaluation = evaluate_plan(part_, arch_, plan);
    if (!evaluation.ok() || !evaluation.value->misfit.empty()) return std::nullopt;
    return evaluation.value->energy_pj;
  }

  const std::vector<TriedNest>& nests_for(const Plan& plan, int e, const Extents& extents) {
    const std::uint32_t residents = residents_of(part_, plan, e);
    const auto [known, is_new] = nests_.try_emplace({e, residents, extents});
    if (is_new) known->second = try_nests(e, residents, extents);
    return known->second;
  }

  std::vector<TriedNest> try_nests(int e, std::uint32_t residents, const Extents& extents) {
    std::vector<TriedNest> best;
    const auto problem = leaf_problem(part_.workload(e), arch_, plans_.shared, residents, extents);
    Architecture reading = arch_;
    reading.reads_first_sums = true;
    const auto again = leaf_problem(part_.workload(e), reading, plans_.shared, residents, extents);
    if (!problem.ok()) return best;
    if (plans_.uneven) {
      std::vector<StoragePoints> points;
      std::optional<Evaluator> with_old;  // at these points
      const auto visit = [&](const Evaluator& evaluator, const Mapping& mapping) {
        std::vector<StoragePoints> own = points_of(evaluator.problem());
        if (!with_old || own != points) {
          points = std::move(own);
          with_old.emplace(make_evaluator(*with_points(*again.value, points).value));
        }
        try_nest(evaluator, *with_old, mapping, residents, best);
      };
      const bool all =
          go_through_uneven({*problem.value, {}}, SpaceKind::Perfect, plans_.most_nests, visit);
      result_.complete = result_.complete && all;
      return best;
    }
    const auto restrictions = Restrictions::create(*problem.value);
    const Evaluator evaluator = make_evaluator(*problem.value);
    const Evaluator with_old = make_evaluator(*again.value);
    const MadeSpace space =
        MapSpace::create(*problem.value, SpaceKind::Perfect, *restrictions.value);
    if (!space.ok()) return best;
    Walk walk(*space.value, 0, space.value->size());
    while (const Mapping* mapping = walk.next()) {
      try_nest(evaluator, with_old, *mapping, residents, best);
    }
    return best;
  }

  void try_nest(const Evaluator& evaluator, const Evaluator& with_old, const Mapping& mapping,
                std::uint32_t residents, std::vector<TriedNest>& best) const {
    if (!evaluator.score(mapping).verdict.fits()) return;
    const Problem& problem = evaluator.problem();
    const Evaluation evaluation = evaluator.evaluate(mapping);
    NestCosts one{evaluation.score.energy_pj, with_old.score(mapping).energy_pj, 0};
    if (plans_.timed) one.times = times_of(evaluation);
    for (int m = 0; m < problem.memory_count(); ++m) {
      if (memory_name(problem.memory(MemoryId{m})) != plans_.shared) continue;
      for (std::size_t t = 0; t < problem.workload().tensors.size(); ++t) {
        const Holding& holding = evaluation.memories[at(m)].tensors[t];
        if (((residents >> t) & 1U) != 0 || !holding.kept) continue;
        one.words += narrowed(holding.tile_words);
      }
    }
    const auto beaten = [&](const TriedNest& other) { return other.costs.beats(one); };
    if (std::any_of(best.begin(), best.end(), beaten)) return;
    std::erase_if(best, [&](const TriedNest& other) { return one.beats(other.costs); });
    best.push_back({{problem, mapping}, one});
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  FlatPlans plans_;
  bool counts_ = false;  // plans, without costing them
  FlatBruteForce result_;
  Cascade part_;
  std::optional<double> best_;
  std::vector<FlatTotal> front_;
  std::map<std::tuple<int, std::uint32_t, Extents>, std::vector<TriedNest>> nests_;
};

}  // namespace

FlatBruteForce flat_brute_force(const Cascade& cascade, const Architecture& arch,
                                const FlatPlans& plans) {
  return Search(cascade, arch, plans).run();
}

std::optional<double> least_value(const FlatBruteForce& found, Objective objective) {
  std::optional<double> least;
  for (const FlatTotal& one : found.front) {
    const double value =
        std::pow(one.pj, objective.energy) * std::pow(one.cycles, objective.cycles);
    least = std::min(least.value_or(value), value);
  }
  return least;
}

namespace {

Cascade plain_flat_cascade(TestRng& rng) {
  const std::int64_t p = rng.pick<std::int64_t>({2, 3, 4, 4}),
                     c = rng.pick<std::int64_t>({1, 1, 2});
  const std::int64_t r = rng.between(1, 3), s = rng.between(1, 2);
  const std::int64_t rows = s * (p - 1) + r - (rng.chance(40) ? rng.between(0, r - 1) : 0);
  const std::string sizes = fmt::format(" p={} c={} r={} y={}", p, c, r, rows);
  const std::string seen = fmt::format("T[c,{}*p+r]", s);
  switch (rng.between(0, 6)) {
    case 0:
      return make_cascade({"T[c,y] += I[y] * W[c]", "O[p] += " + seen + " * V[c,r]"}, sizes);
    case 1:
      return make_cascade({"T[c,y] += I[c,y+q]", "O[c,p] += " + seen + " * V[r]"}, sizes + " q=2");
    case 2:
      return make_cascade({"T[c,y] += I[c,y]", "U[c,p] += " + seen, "O[p] += U[c,p] * X[c]"},
                          sizes);
    case 3:
      return make_cascade({"T[c,y] += I[y] * W[c]", "O[g,p] += " + seen + " * V[g,c]"},
                          sizes + " g=2");
    case 5:  // the same work again and again, under other names
      return make_cascade(
          {"A[a] += I[a+r] * W[r]", "B[b] += A[b+r] * V[r]", "C[p] += B[p+r] * X[r]"},
          fmt::format(" a={0} b={0} p={0} r=2", p));
    case 4:  // a skip connection
      return make_cascade(
          {"T[c,y] += I[y] * W[c]", "U[p] += " + seen + " * V[c,r]", "O[c] += T[c,y] * X[y]"},
          sizes);
    default:
      return make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m,p] += T[m,n] * C[n,p]"},
                          fmt::format(" m={} n=2 k=2 p={}", p, c));
  }
}

}  // namespace

Cascade flat_cascade(TestRng& rng) {
  Cascade cascade = plain_flat_cascade(rng);
  for (CascadeEinsum& einsum : cascade.einsums) einsum.leaves = rng.chance(25);
  return cascade;
}

}  // namespace tilewright::testing
