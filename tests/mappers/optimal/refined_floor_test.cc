// Floors that know how much memories hold, against all mappings of small map-spaces.
#include "mappers/optimal/refined_floor.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "mappers/optimal/all_subproblems.h"
#include "mappers/optimal/home_filling.h"
#include "mappers/optimal/small_spaces.h"
#include "mappers/optimal/subproblem_keys.h"
#include "support/asked.h"
#include "support/problem_text.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);
constexpr std::int64_t kBytes = kRoomForAll;
constexpr std::uint64_t kAnySteps = std::uint64_t{1} << 40U;

using Key = SubproblemKey;

// Whatever is known of what is ahead, no state of a better mapping is left out.
int compare_relaxations(const SolverTables& solver, OuterFilling& outer, Energy energy) {
  const Aim aim{Objective::Energy, true};
  SubproblemQueue queue(solver, aim, kBytes, {}, {&outer, 0, 0, 0, kAnySteps});
  Goal goal(aim);
  goal.add({energy, kWideLimit, kCountLimit});
  int known = 0;
  while (const std::optional<Candidate> next = queue.next(goal, kForever)) {
    if (!next->ahead) continue;
    const Subproblem sub(solver, next->placement, *next->spatial);
    const EnergyLimit limit(goal.energy_limit(1, 1, solver.scale));
    const auto least = [&](const EnergyLimit& below, const CostAhead* ahead) {
      TableMemory memory(kBytes);
      Lattice lattice(sub, kForever);
      return lattice.ok() ? Relaxation(sub, lattice, below, memory, kForever, ahead).least()
                          : kNever;
    };
    const Units plain = least(EnergyLimit(kNever), nullptr);
    if (plain >= limit.units()) continue;
    EXPECT_EQ(least(limit, next->ahead.get()), plain);
    ++known;
  }
  return known;
}

// States are left out on the way that lead to nothing below a limit, and none of the best mapping.
TEST(Relaxation, KeepsTheBestMappingBelowALimit) {
  int seen = 0;
  for (int seed = 1; seed <= testing::affordable(120); ++seed) {
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
      const auto instance =
          testing::small_instance(static_cast<std::uint64_t>(seed), {.kind = kind});
      const Restrictions restrictions = testing::restrictions_of(instance);
      if (!restrictions.contradictions().empty()) continue;
      const Evaluator evaluator = testing::make_evaluator(instance.problem);
      SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
      OuterFilling outer(solver);
      outer.find(kBytes, kForever);
      solver.outer = &outer;
      const std::map<Key, Candidate> all = drain(solver, nullptr);
      for (const auto& [key, energy] : least_energies(solver)) {
        const auto units = static_cast<Energy>(energy * solver.scale.per_pj * (1 + 1e-12));
        const Units most = solver.scale.table(units) + 1;  // leakage and all
        EXPECT_LE(relaxed_below(solver, all.at(key), most + 1), most)
            << "seed " << seed << " " << to_string(kind);
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, testing::enough(1000));
}

struct Seen {
  int higher = 0, filled = 0;  // floors than plain ones, and memories
  int pooled = 0;              // whose instances' rooms count together
  int ahead = 0;               // subproblems whose states are bounded by them
  int homes = 0;               // the same with remainders
  int choices = 0;             // problems whose memories may keep one thing or another there
  int chosen = 0;              // floors of these that are higher than plain ones
  int apart = 0;               // homes of which something is known without what the next loop moves
};

void compare(const SolverTables& plain, Seen& seen) {
  SolverTables solver = plain;
  OuterFilling outer(solver);
  solver.outer = &outer;
  const std::map<Key, Candidate> refined = drain(solver, &outer);
  const std::map<Key, Candidate> all = drain(plain, nullptr);
  double best = 1e30;
  for (const auto& [key, least] : least_energies(plain)) {
    best = std::min(best, least);
    const auto found = refined.find(key);
    ASSERT_NE(found, refined.end());
    const double floor = static_cast<double>(found->second.floor.energy) / plain.scale.per_pj;
    EXPECT_LE(floor, least * (1 + 1e-9));
  }
  int higher = 0;
  for (const auto& [key, candidate] : all) {
    const auto found = refined.find(key);
    ASSERT_NE(found, refined.end());
    EXPECT_GE(found->second.floor.energy, candidate.floor.energy);
    higher += found->second.floor.energy > candidate.floor.energy ? 1 : 0;
  }
  seen.higher += higher;
  for (const OuterFilling::Choice& choice : outer.choices()) {
    seen.filled += choice.least > 0 ? 1 : 0;
  }
  PooledFilling pooled(plain, 0);
  if (pooled.can_be_known()) {
    for (const double more : {1.0, 1.3}) {  // than the best
      const double energy = std::min(best * more * plain.scale.per_pj + 1, 1e30);
      seen.ahead += compare_relaxations(solver, outer, static_cast<Energy>(energy));
    }
    seen.pooled += pooled.least({kNever, kNever, kBytes, kAnySteps, kForever}) > 0 ? 1 : 0;
  }
  std::vector<HomeFilling> homes = home_fillings(plain);
  seen.choices += homes.size() > 1 ? 1 : 0;
  seen.chosen += homes.size() > 1 ? higher : 0;
  for (HomeFilling& home : homes) {
    home.set_limits(kNever, kBytes);
    home.find({}, kForever);
    seen.homes += home.least() > 0 ? 1 : 0;
    std::uint64_t steps = 0;
    for (std::uint32_t moved = 1; moved <= home.filled_inside(); ++moved) {
      const Units least = home.least_without(moved, true, kForever, steps);
      seen.apart += least > 0 && least < kNever ? 1 : 0;
    }
  }
}

TEST(RefinedFloor, IsBelowAllMappingsOfEachSubproblem) {
  Seen seen;
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    for_each_space({kind, testing::affordable(150)},
                   [&](const SolverTables& solver) { compare(solver, seen); });
  }
  EXPECT_GT(seen.higher, testing::enough(100));
  EXPECT_GT(seen.filled, testing::enough(10));
  EXPECT_GT(seen.pooled, testing::enough(6));
}

// Few problems have memories below fan-outs that keep the same tensors in all mappings.
TEST(RefinedFloor, IsBelowAllMappingsWhereRoomsOfInstancesCountTogether) {
  Seen seen;
  for_each_space({SpaceKind::Perfect, testing::affordable(1500), 1000},
                 [&](const SolverTables& solver) {
                   if (PooledFilling(solver, 0).can_be_known()) compare(solver, seen);
                 });
  EXPECT_GT(seen.pooled, testing::enough(60));
  EXPECT_GT(seen.ahead, testing::enough(60));
}

TEST(RefinedFloor, IsBelowAllMappingsWithRemaindersWhereRoomsOfInstancesCountTogether) {
  Seen seen;
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::RubyT, SpaceKind::Ruby}) {
    for_each_space({kind, testing::affordable(500), 2000}, [&](const SolverTables& solver) {
      if (!home_fillings(solver).empty()) compare(solver, seen);
    });
  }
  EXPECT_GT(seen.homes, testing::enough(60));
  EXPECT_GT(seen.choices, testing::enough(20));
  EXPECT_GT(seen.apart, testing::enough(20));
  EXPECT_GT(seen.chosen, testing::enough(5000));
}

// --- one accelerator -----------------------------------------------------------------

constexpr const char* kArray = R"(architecture: array
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - memory: Buffer
    capacity: 4096 words
    read: 2 pJ
  - fanout: PEs
    x: 16
    y: 16
  - memory: Registers
    capacity: 2 words
    read: 0.5 pJ
    free: [input, weight, output]
  - compute: MAC
    energy: 0.2 pJ
)";

// The same memories around one multiplier, which costs nothing.
TEST(OuterFilling, IsTheLeastEnergyOfTheOuterMemoriesAlone) {
  const std::string workload = "gemm: m=96 n=80 k=120";
  const Problem problem = testing::problem_of(kArray, workload);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Problem alone = testing::problem_of(R"(architecture: alone
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - memory: Buffer
    capacity: 4096 words
    read: 0 pJ
    write: 2 pJ
    update: 0 pJ
  - compute: MAC
    energy: 0 pJ
)",
                                            workload);
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::Ruby}) {
    const Restrictions restrictions = *Restrictions::create(problem, {}).value;
    const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
    OuterFilling outer(solver);
    EXPECT_FALSE(outer.is_known());
    outer.find(kBytes, kForever);
    ASSERT_TRUE(outer.is_known());
    ASSERT_EQ(outer.choices().size(), 1U);
    Asked asked;
    asked.objective = Objective::Energy;
    const OptimalResult best = find_optimum(testing::make_evaluator(alone), kind,
                                            *Restrictions::create(alone, {}).value, asked);
    const double least = static_cast<double>(solver.scale.energy(outer.choices().front().least)) /
                         solver.scale.per_pj;
    EXPECT_LE(least, best.score.energy_pj * (1 + 1e-9)) << to_string(kind);
    EXPECT_GE(least, best.score.energy_pj * (kind == SpaceKind::Perfect ? 1 - 1e-9 : 0.95));
  }
}

// The solver has no dimension of it.
TEST(FittingVectors, HaveOnePlaceWithoutDimensions) {
  const Problem problem = testing::problem_of(kArray, "gemm: m=1 n=1 k=1");
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    Asked asked;
    asked.objective = Objective::Energy;
    const OptimalResult best =
        find_optimum(testing::make_evaluator(problem), kind, restrictions, asked);
    EXPECT_EQ(best.status, Proof::Status::Proven) << to_string(kind);
  }
}

TEST(BoundFilling, GoesOnIfTheFirstLooksGaveMoreThanWasKnown) {
  const Problem problem = testing::problem_of(kArray, "gemm: m=960 n=800 k=1200");
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Ruby, restrictions);
  OuterFilling outer(solver);
  EXPECT_EQ(outer.least_of_all(), 0);
  outer.find(kBytes, kForever);
  EXPECT_EQ(outer.least_of_all(), outer.choices().front().least);
  const auto bound = [&](const FillingEffort& effort) {
    return bound_filling(tables_down_to(solver, 1), outer.choices().front().keepers, kNever, kBytes,
                         kForever, effort);
  };
  const Filling few = bound({2, 0, 0});
  const Filling more = bound({2, 8 * few.steps, 0});
  EXPECT_GT(few.least, 0);
  EXPECT_GT(more.least, few.least);
  EXPECT_LE(more.least, outer.least_of_all());
  EXPECT_EQ(bound({2, 8 * few.steps, few.least}).steps, few.steps);
}

// Four clusters of four PEs, with room for 48 and 6 words each.
constexpr const char* kClusters = R"(architecture: clusters
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - fanout: Clusters
    x: 4
  - memory: Banks
    capacity: 48 words
    read: 2 pJ
  - fanout: PEs
    x: 4
  - memory: Spads
    capacity: 6 words
    read: 0.5 pJ
  - compute: MAC
    energy: 0.2 pJ
)";

// The same memories around one multiplier, with the room of all instances, and without what the
// multiplier itself reads and adds.
TEST(PooledFilling, IsTheLeastEnergyOfMemoriesWithTheRoomOfAllInstances) {
  const std::string workload = "gemm: m=24 n=16 k=36";
  const Problem problem = testing::problem_of(kClusters, workload);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Problem alone = testing::problem_of(R"(architecture: alone
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - memory: Banks
    capacity: 192 words
    read: 2 pJ
  - memory: Spads
    capacity: 96 words
    read: 0 pJ
    write: 0.5 pJ
    update: 0 pJ
  - compute: MAC
    energy: 0 pJ
)",
                                            workload);
  Asked asked;
  asked.objective = Objective::Energy;
  const OptimalResult best = find_optimum(testing::make_evaluator(alone), SpaceKind::Perfect,
                                          *Restrictions::create(alone, {}).value, asked);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Perfect, restrictions);
  PooledFilling pooled(solver, 0);
  ASSERT_TRUE(pooled.can_be_known());
  const PooledFilling::Effort effort{kNever, kNever, kBytes, kAnySteps, kForever};
  const Units any = pooled.least(effort);
  EXPECT_NEAR(static_cast<double>(solver.scale.energy(any)) / solver.scale.per_pj,
              best.score.energy_pj, 1e-9 * best.score.energy_pj);
  // Copies take room and cost more: those of the tensor that does not have the unrolled dimension.
  for (int t = 0; t < solver.tensor_count; ++t) {
    TensorBranches branches;
    for (auto& row : branches.same) row.fill(1);
    for (auto& row : branches.different) row.fill(4);
    branches.same[0][at(t)] = branches.same[1][at(t)] = 4;
    EXPECT_GT(pooled.least(branches, effort), any);
  }
  // What is above a limit is known to be no less than it.
  PooledFilling limited(solver, 0);
  EXPECT_EQ(limited.least({any / 2, any / 2, kBytes, kAnySteps, kForever}), any / 2);
  EXPECT_EQ(limited.least(effort), any);
}

TEST(PooledFilling, WaitsUntilBranchesWereAskedForOften) {
  const Problem problem = testing::problem_of(kClusters, "gemm: m=24 n=16 k=36");
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Perfect, restrictions);
  PooledFilling pooled(solver, 2);
  TensorBranches branches;
  for (auto& row : branches.same) row.fill(4);
  for (auto& row : branches.different) row.fill(1);
  const PooledFilling::Effort effort{kNever, kNever, kBytes, kAnySteps, kForever};
  EXPECT_EQ(pooled.least(branches, effort), 0);
  EXPECT_EQ(pooled.least(branches, effort), 0);
  EXPECT_GT(pooled.least(branches, effort), 0);
}

// With remainders, or where it is free what memories keep, nothing is known.
TEST(PooledFilling, IsKnownOfPerfectFactorsAndFixedPlacements) {
  for (const char* arch : {kArray, kClusters}) {
    const Problem problem = testing::problem_of(arch, "gemm: m=24 n=16 k=36");
    const Evaluator evaluator = testing::make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem, {}).value;
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
      const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
      EXPECT_EQ(PooledFilling(solver, 0).can_be_known(),
                arch == kClusters && kind == SpaceKind::Perfect);
    }
  }
}

TEST(InnerTiles, HoldOneWordOfTwoTensorsAndNotOfThree) {
  const Problem problem = testing::problem_of(kArray, "gemm: m=96 n=80 k=120");
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Perfect, restrictions);
  InnerTiles tiles(solver);
  EXPECT_FALSE(tiles.with(7).fit);
  const InnerTiles::Tiles& two = tiles.with(3);
  ASSERT_TRUE(two.are_known);
  EXPECT_EQ(two.next.size(), 3U);  // one moves both, two move one of them
  for (const InnerTiles::NextLoop& next : two.next) {
    ASSERT_EQ(next.reuse.size(), 1U);
    for (const int t : members(next.moved)) EXPECT_EQ(next.reuse.front()[at(t)], kReuseParts);
  }
  // One tensor alone stays for all steps of the dimension that it does not have, and for two of
  // another one that it has.
  for (int t = 0; t < solver.tensor_count; ++t) {
    const InnerTiles::Tiles& one = tiles.with(1U << t);
    ASSERT_EQ(one.next.size(), 1U);
    Int128 others = kReuseParts;
    for (int d = 0; d < solver.dim_count; ++d) {
      if (!contains(solver.tensor(t).relevant, d)) others *= solver.size(d);
    }
    ASSERT_EQ(one.next.front().reuse.size(), 1U);
    EXPECT_EQ(one.next.front().reuse.front()[at(t)], others);
  }
}

// A tensor alone stays no longer than one of the tiles into which a dimension falls.
TEST(InnerTiles, ReuseNoMoreThanTheLeastTilesLeave) {
  const Problem problem = testing::problem_of(kArray, "gemm: m=96 n=80 k=120");
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Ruby, restrictions);
  InnerTiles tiles(solver);
  PerDim least{};
  least.fill(7);
  std::uint64_t steps = 0;
  for (int t = 0; t < solver.tensor_count; ++t) {
    const InnerTiles::Tiles& few = tiles.with(1U << t, least, steps);
    ASSERT_EQ(few.next.size(), 1U);
    for (int d = 0; d < solver.dim_count; ++d) {
      if (contains(solver.tensor(t).relevant, d)) continue;
      EXPECT_EQ(few.next.front().reuse.front()[at(t)],
                ceil_div<Int128>(solver.size(d) * kReuseParts, 7));
    }
  }
  EXPECT_GT(steps, 0U);
}

TEST(InnerTiles, NeedALoopUnlessAllThatIsLeftHasRoom) {
  const Problem problem = testing::problem_of(kArray, "gemm: m=96 n=80 k=120");
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Ruby, restrictions);
  InnerTiles tiles(solver);
  for (int d = 0; d < solver.dim_count; ++d) {
    PerDim unrolled = solver.sizes;
    EXPECT_TRUE(tiles.may_need_no_loop(3, unrolled));
    --unrolled[at(d)];  // two words of one tensor, or of both
    EXPECT_FALSE(tiles.may_need_no_loop(3, unrolled));
    for (int t = 0; t < solver.tensor_count; ++t) {
      EXPECT_TRUE(tiles.may_need_no_loop(1U << t, unrolled));  // alone it has room for two
    }
  }
}

// Of the frames of this product, a million are below the best mapping as far as single loads say.
TEST(RefinedFloor, ClosesAWideArrayWithRemainders) {
  const Problem problem = testing::problem_of(R"(architecture: wide
levels:
  - memory: DRAM
    capacity: unlimited
    read: 560 pJ
  - memory: SRAM
    capacity: 31457280 words
    read: 21 pJ
    free: [input, weight, output]
  - fanout: PEs
    x: 256
    y: 256
  - memory: RegisterFile
    capacity: 2 words
    read: 0.02 pJ
    free: [input, weight, output]
  - compute: MAC
    energy: 0.4 pJ
)",
                                              "gemm: m=1024 n=512 k=4096");
  const Evaluator evaluator = testing::make_evaluator(problem);
  Asked asked;
  asked.objective = Objective::Energy;
  asked.threads = 1;
  const OptimalResult result =
      find_optimum(evaluator, SpaceKind::RubyS, *Restrictions::create(problem, {}).value, asked);
  EXPECT_EQ(result.status, Proof::Status::Proven);
  EXPECT_LT(result.frames, 20'000U);
}

}  // namespace
}  // namespace tilewright::optimal
