// Sets of subproblems that differ in the outermost fan-out alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "mappers/optimal/states_ahead.h"
#include "mappers/optimal/subproblem_keys.h"
#include "mappers/optimal/subproblem_search.h"
#include "support/asked.h"
#include "support/problem_text.h"
#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);
constexpr std::int64_t kBytes = std::int64_t{1} << 28;

// Two fan-outs, with memories that keep the same in all mappings. The inner one may be too small
// for some tiles; windows may have strides and dilations.
Problem clustered_problem(std::uint64_t seed) {
  Rng rng(seed);
  const auto number = [&](std::uint64_t first, std::uint64_t last) {
    return std::to_string(first + rng.below(last - first + 1));
  };
  const bool bypassed = rng.below(2) == 0;
  const std::string arch =
      "architecture: clusters\nlevels:\n"
      "  - memory: DRAM\n    capacity: unlimited\n    read: 64 pJ\n"
      "  - fanout: Clusters\n    x: " +
      number(2, 4) + "\n    y: " + number(1, 2) +
      "\n    multicast: " + (rng.below(4) == 0 ? "false" : "true") +
      "\n    reduction: " + (rng.below(4) == 0 ? "false" : "true") +
      "\n  - memory: Bank\n    capacity: " + number(12, 40) + " words\n    read: 3 pJ\n    keep: " +
      (bypassed ? "[input, output]" : "[input, weight, output]") +
      "\n  - fanout: PEs\n    x: " + number(2, 3) +
      "\n  - memory: Spad\n    capacity: " + number(6, 16) +
      " words\n    read: 0.5 pJ\n    keep: [input, weight, output]\n"
      "  - compute: MAC\n    energy: 0.2 pJ\n";
  if (rng.below(3) == 0) {
    return testing::problem_of(
        arch, "gemm: m=" + number(2, 9) + " n=" + number(2, 9) + " k=" + number(2, 9));
  }
  const std::string window = number(1, 3) + "*p+" + number(1, 3) + "*r";
  const bool is_transposed = rng.below(4) == 0;
  const std::string einsum = is_transposed ? "O[m," + window + "] += I[c,p]*W[m,c,r]"
                                           : "O[m,p] += I[c," + window + "]*W[m,c,r]";
  return testing::problem_of(arch, einsum + "; m=" + number(2, 5) + " c=" + number(2, 5) +
                                       " p=" + number(3, 9) + " r=" + number(2, 4));
}

// The plain floor of a subproblem, and what its best mapping takes.
struct OnItsOwn {
  Energy floor = 0, energy = 0;
};

// All subproblems with their floors.
std::map<SubproblemKey, Candidate> drain(const SolverTables& solver) {
  const Aim energy{Objective::Energy, true};
  SubproblemQueue queue(solver, energy, kBytes);
  const Goal anything(energy);
  std::map<SubproblemKey, Candidate> all;
  while (std::optional<Candidate> next = queue.next(anything, kForever)) {
    all.emplace(key_of(solver, *next), std::move(*next));
  }
  return all;
}

std::map<SubproblemKey, OnItsOwn> solve_one_by_one(const SolverTables& solver) {
  std::map<SubproblemKey, OnItsOwn> all;
  MemoryBudget tables(kBytes);
  const std::vector<Port> no_ports;
  const Granularity granularity;
  const SearchSetting setting{solver, no_ports, kForever, tables, granularity};
  for (const auto& [key, one] : drain(solver)) {
    const Goal anything(Aim{Objective::Energy, true});
    const SearchOutcome outcome = SubproblemSearch(setting, one, anything).run();
    EXPECT_TRUE(outcome.complete);
    if (outcome.found.empty()) continue;
    all[key] = {one.floor.energy, outcome.found.back().cost.energy};
  }
  return all;
}

struct SeenGroups {
  int closed = 0, raised = 0;  // subproblems that were left out, and floors
};

// All subproblems that have something of interest come, with floors that hold.
void compare_groups(const SolverTables& solver, const std::map<SubproblemKey, OnItsOwn>& known,
                    Energy limit, SeenGroups& seen) {
  const Aim aim{Objective::Energy, true};
  Goal goal(aim);
  goal.add({limit, kWideLimit, kCountLimit});
  const int dives = static_cast<int>(limit % 3);
  SubproblemQueue queue(solver, aim, kBytes, {}, {nullptr, 0, 0, 0, 1, 0, 0, dives});
  std::map<SubproblemKey, Energy> floors;
  while (const std::optional<Candidate> next = queue.next(goal, kForever)) {
    floors.emplace(key_of(solver, *next), next->floor.energy);
  }
  for (const auto& [key, one] : known) {
    const auto found = floors.find(key);
    if (found == floors.end()) {
      EXPECT_GE(one.energy, limit);
      seen.closed += one.floor < limit ? 1 : 0;
      continue;
    }
    EXPECT_LE(found->second, one.energy);
    seen.raised += found->second > one.floor ? 1 : 0;
  }
}

TEST(SubproblemGroups, HaveFloorsBelowTheBestMappingOfEachSubproblem) {
  SeenGroups seen;
  for (int seed = 1; seed <= testing::affordable(50); ++seed) {
    const Problem problem = clustered_problem(static_cast<std::uint64_t>(seed));
    const Evaluator evaluator = testing::make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem, {}).value;
    const SpaceKind space = seed % 2 == 0 ? SpaceKind::Perfect : SpaceKind::RubyS;
    const SolverTables solver = make_solver_tables(evaluator, space, restrictions);
    ASSERT_TRUE(knows_groups(solver));
    const std::map<SubproblemKey, OnItsOwn> known = solve_one_by_one(solver);
    if (known.empty()) continue;
    Energy best = kWideLimit;
    for (const auto& [key, one] : known) best = std::min(best, one.energy);
    for (const Energy limit : {best + 1, best + best / 20, best + best / 4, 4 * best}) {
      compare_groups(solver, known, limit, seen);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(seen.closed, testing::enough(50));
  EXPECT_GT(seen.raised, testing::enough(50));
}

// What was paid and what is ahead are together what the relaxation gives, inside every memory.
TEST(StatesAhead, MakeUpTheRestOfARelaxation) {
  int seen = 0;
  int narrowed = 0;
  for (int seed = 2001; seed <= 2000 + testing::affordable(40); ++seed) {
    const Problem problem = clustered_problem(static_cast<std::uint64_t>(seed));
    const Evaluator evaluator = testing::make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem, {}).value;
    const SpaceKind space = seed % 2 == 0 ? SpaceKind::Perfect : SpaceKind::RubyS;
    const SolverTables solver = make_solver_tables(evaluator, space, restrictions);
    for (const auto& [key, one] : drain(solver)) {
      const Subproblem sub(solver, one.placement, *one.spatial);
      TableMemory memory(kBytes);
      Lattice all(sub, kForever);
      if (!all.ok()) continue;
      const Units least = Relaxation(sub, all, EnergyLimit(kNever), memory, kForever).least();
      if (least >= kNever) continue;
      const Units limit = least + 1 + least / 10;
      Lattice lattice(sub, kForever);
      const Relaxation relaxation(sub, lattice, EnergyLimit(limit), memory, kForever);
      if (relaxation.least() >= limit) continue;  // other bounds may know more
      const StatesAhead ahead(sub, lattice, relaxation, limit, {memory, memory}, kForever);
      for (int m = 0; m + 1 < solver.memory_count; ++m) {
        std::vector<Relaxation::Table> none = relaxation.inside(m);
        ahead.leave_out(sub, lattice, m, relaxation.least(), none);
        EXPECT_TRUE(none.empty()) << "seed " << seed;
        std::vector<Relaxation::Table> some = relaxation.inside(m);
        const Units left = ahead.leave_out(sub, lattice, m, relaxation.least() + 1, some);
        EXPECT_EQ(left, relaxation.least()) << "seed " << seed;
        ++seen;
      }
      const double before = lattice.vectors();
      ASSERT_TRUE(ahead.narrow(lattice)) << "seed " << seed;
      narrowed += lattice.vectors() < before ? 1 : 0;
    }
  }
  EXPECT_GT(seen, testing::enough(40));
  EXPECT_GT(narrowed, testing::enough(40));
}

// The queue begins anew with the set of all of them, which may be of no interest any more.
TEST(SubproblemGroups, MayHaveNothingOfInterest) {
  const Problem problem = clustered_problem(1);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::RubyS, restrictions);
  ASSERT_TRUE(knows_groups(solver));
  const Aim aim{Objective::Energy, true};
  Goal goal(aim);
  goal.add({0, 0, 0});
  SubproblemQueue queue(solver, aim, kBytes, {}, {nullptr, 0, 0, 0, 1, 0, 0, 0});
  EXPECT_FALSE(queue.next(goal, kForever).has_value());
  EXPECT_EQ(queue.floor(), nullptr);
}

TEST(SubproblemGroups, LeaveNoBetterMappingOut) {
  int proven = 0;
  for (int seed = 1001; seed <= 1000 + testing::affordable(40); ++seed) {
    const Problem problem = clustered_problem(static_cast<std::uint64_t>(seed));
    const Evaluator evaluator = testing::make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem, {}).value;
    for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
      const auto solve = [&](std::uint64_t ungrouped) {
        Asked asked;
        asked.objective = objective;
        asked.threads = 1;
        asked.granularity.ungrouped = ungrouped;
        const SpaceKind space = seed % 2 == 0 ? SpaceKind::Perfect : SpaceKind::RubyS;
        return find_optimum(evaluator, space, restrictions, asked);
      };
      const OptimalResult grouped = solve(0);
      const OptimalResult plain = solve(SubproblemQueue::kNoEnd);
      ASSERT_EQ(grouped.status, plain.status) << "seed " << seed;
      if (!plain.best) continue;
      EXPECT_EQ(grouped.score.energy_pj, plain.score.energy_pj) << "seed " << seed;
      EXPECT_EQ(grouped.score.cycles, plain.score.cycles) << "seed " << seed;
      EXPECT_EQ(grouped.score.instances, plain.score.instances) << "seed " << seed;
      proven += plain.status == Proof::Status::Proven ? 1 : 0;
    }
  }
  EXPECT_GT(proven, testing::enough(40));
}

// No dimension of 5 indices can be unrolled over 4 clusters evenly.
TEST(SubproblemGroups, AreNotMadeWhereTheOutermostFanoutHasNoChoice) {
  const Problem problem = testing::problem_of(R"(architecture: clusters
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - fanout: Clusters
    x: 4
  - memory: Bank
    capacity: 20 words
    read: 3 pJ
  - fanout: PEs
    x: 5
  - memory: Spad
    capacity: 6 words
    read: 0.5 pJ
  - compute: MAC
    energy: 0.2 pJ
)",
                                              "gemm: m=5 n=5 k=5");
  const Evaluator evaluator = testing::make_evaluator(problem);
  Asked asked;
  asked.objective = Objective::Energy;
  asked.threads = 1;
  asked.granularity.ungrouped = 0;
  const OptimalResult result =
      find_optimum(evaluator, SpaceKind::Perfect, *Restrictions::create(problem, {}).value, asked);
  EXPECT_EQ(result.status, Proof::Status::Proven);
}

}  // namespace
}  // namespace tilewright::optimal
