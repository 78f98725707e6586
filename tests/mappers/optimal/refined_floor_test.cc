// Floors that know how much memories hold, against all mappings of small map-spaces.
#include "mappers/optimal/refined_floor.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "mappers/optimal/subproblem_queue.h"
#include "mappers/optimal/subproblem_search.h"
#include "support/asked.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/small_instance.h"
#include "tilewright/io.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);
constexpr std::int64_t kBytes = std::int64_t{1} << 28;
constexpr std::uint64_t kAnySteps = std::uint64_t{1} << 40U;

// What the memories keep, and how far each fan-out unrolls each dimension.
using Key = std::vector<std::int64_t>;

Key key_of(const SolverTables& solver, const Candidate& candidate) {
  Key key;
  for (int m = 0; m < solver.memory_count; ++m) key.push_back(candidate.placement.kept[at(m)]);
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) key.push_back(candidate.spatial->unrolled(f, d));
  }
  return key;
}

Key key_of(const SolverTables& solver, const Mapping& mapping) {
  Key key;
  for (int m = 0; m < solver.memory_count; ++m) key.push_back(mapping.kept(MemoryId{m}));
  for (const FanoutShape& fanout : solver.fanouts) {
    for (int d = 0; d < solver.dim_count; ++d) {
      const DimId dim = solver.original(d);
      key.push_back(mapping.bound(fanout.slot, dim) * mapping.bound(fanout.slot + 1, dim));
    }
  }
  return key;
}

// All subproblems with their floors; refined ones if there is a filling to be found.
std::map<Key, Candidate> drain(const SolverTables& solver, OuterFilling* outer) {
  const Aim energy{Objective::Energy, true};
  SubproblemQueue queue(solver, energy, kBytes, {}, {outer, 0, 0, 0, kAnySteps});
  Goal anything(energy);
  anything.add(Cost{});
  std::map<Key, Candidate> all;
  std::optional<Cost> before;
  while (std::optional<Candidate> next = queue.next(anything, kForever)) {
    EXPECT_FALSE(before && is_less(energy, next->floor, *before)) << "out of order";
    before = next->floor;
    all.emplace(key_of(solver, *next), std::move(*next));
  }
  return all;
}

// The least energy of all mappings of each subproblem, one after the other.
std::map<Key, double> least_energies(const SolverTables& solver) {
  std::map<Key, double> least;
  const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
  if (!space.ok()) return least;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    const Score score = solver.evaluator->score(*mapping);
    if (!score.verdict.fits()) continue;
    const auto [known, is_new] = least.try_emplace(key_of(solver, *mapping), score.energy_pj);
    if (!is_new) known->second = std::min(known->second, score.energy_pj);
  }
  return least;
}

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
    const auto least = [&](const EnergyLimit& below, const FillingAhead* ahead) {
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

struct Seen {
  int higher = 0, filled = 0;  // floors than plain ones, and memories
  int pooled = 0;              // whose instances' rooms count together
  int ahead = 0;               // subproblems whose states are bounded by them
  int homes = 0;               // the same with remainders
  int choices = 0;             // problems whose memories may keep one thing or another there
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
  for (const auto& [key, candidate] : all) {
    const auto found = refined.find(key);
    ASSERT_NE(found, refined.end());
    EXPECT_GE(found->second.floor.energy, candidate.floor.energy);
    seen.higher += found->second.floor.energy > candidate.floor.energy ? 1 : 0;
  }
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
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(testing::affordable(150));
       ++seed) {
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
      const auto instance = testing::small_instance(seed, {.kind = kind});
      const Restrictions restrictions = testing::restrictions_of(instance);
      if (!restrictions.contradictions().empty()) continue;
      const Evaluator evaluator = testing::make_evaluator(instance.problem);
      compare(make_solver_tables(evaluator, kind, restrictions), seen);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << " " << to_string(kind);
    }
  }
  EXPECT_GT(seen.higher, testing::affordable(100));
  EXPECT_GT(seen.filled, testing::slow_build() ? 0 : testing::affordable(10));
  EXPECT_GT(seen.pooled, testing::slow_build() ? 0 : testing::affordable(6));
}

// Few problems have memories below fan-outs that keep the same tensors in all mappings.
TEST(RefinedFloor, IsBelowAllMappingsWhereRoomsOfInstancesCountTogether) {
  Seen seen;
  for (int seed = 1001; seed <= 1000 + testing::affordable(1500); ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const auto instance = testing::small_instance(number, {.kind = SpaceKind::Perfect});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Perfect, restrictions);
    if (!PooledFilling(solver, 0).can_be_known()) continue;
    compare(solver, seen);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(seen.pooled, testing::slow_build() ? 0 : testing::affordable(60));
  EXPECT_GT(seen.ahead, testing::slow_build() ? 0 : testing::affordable(60));
}

TEST(RefinedFloor, IsBelowAllMappingsWithRemaindersWhereRoomsOfInstancesCountTogether) {
  Seen seen;
  for (int seed = 1; seed <= testing::affordable(1500); ++seed) {
    const auto number = static_cast<std::uint64_t>(2000 + seed);
    const SpaceKind kind = seed % 3 == 0   ? SpaceKind::RubyS
                           : seed % 3 == 1 ? SpaceKind::RubyT
                                           : SpaceKind::Ruby;
    const auto instance = testing::small_instance(number, {.kind = kind});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
    if (home_fillings(solver).empty()) continue;
    compare(solver, seen);
    ASSERT_FALSE(HasFailure()) << "seed " << number << " " << to_string(kind);
  }
  EXPECT_GT(seen.homes, testing::slow_build() ? 0 : testing::affordable(60));
  EXPECT_GT(seen.choices, testing::slow_build() ? 0 : testing::affordable(20));
  EXPECT_GT(seen.apart, testing::slow_build() ? 0 : testing::affordable(20));
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

Problem problem_of(const std::string& arch, const std::string& workload) {
  const auto read = io::read_architecture(arch, "array");
  const auto line = io::read_workload_line(workload, "line");
  return *Problem::create(*line.value, *read.value).value;
}

// The same memories around one multiplier, which costs nothing.
TEST(OuterFilling, IsTheLeastEnergyOfTheOuterMemoriesAlone) {
  const std::string workload = "gemm: m=96 n=80 k=120";
  const Problem problem = problem_of(kArray, workload);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Problem alone = problem_of(R"(architecture: alone
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
  const Problem problem = problem_of(kClusters, workload);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Problem alone = problem_of(R"(architecture: alone
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
  const Problem problem = problem_of(kClusters, "gemm: m=24 n=16 k=36");
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
    const Problem problem = problem_of(arch, "gemm: m=24 n=16 k=36");
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
  const Problem problem = problem_of(kArray, "gemm: m=96 n=80 k=120");
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
    for (const int t : members(next.moved)) EXPECT_EQ(next.reuse.front()[at(t)], 1);
  }
  // One tensor alone stays for all steps of the dimension that it does not have, and for two of
  // another one that it has.
  for (int t = 0; t < solver.tensor_count; ++t) {
    const InnerTiles::Tiles& one = tiles.with(1U << t);
    ASSERT_EQ(one.next.size(), 1U);
    Int128 others = 1;
    for (int d = 0; d < solver.dim_count; ++d) {
      if (!contains(solver.tensor(t).relevant, d)) others *= solver.size(d);
    }
    ASSERT_EQ(one.next.front().reuse.size(), 1U);
    EXPECT_EQ(one.next.front().reuse.front()[at(t)], others);
  }
}

// Of the frames of this product, a million are below the best mapping as far as single loads say.
// --- sets that differ in the outermost fan-out alone -----------------------------------

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
    return problem_of(arch,
                      "gemm: m=" + number(2, 9) + " n=" + number(2, 9) + " k=" + number(2, 9));
  }
  const std::string window = number(1, 3) + "*p+" + number(1, 3) + "*r";
  const bool is_transposed = rng.below(4) == 0;
  const std::string einsum = is_transposed ? "O[m," + window + "] += I[c,p]*W[m,c,r]"
                                           : "O[m,p] += I[c," + window + "]*W[m,c,r]";
  return problem_of(arch, einsum + "; m=" + number(2, 5) + " c=" + number(2, 5) +
                              " p=" + number(3, 9) + " r=" + number(2, 4));
}

// The plain floor of a subproblem, and what its best mapping takes.
struct OnItsOwn {
  Energy floor = 0, energy = 0;
};

std::map<Key, OnItsOwn> solve_one_by_one(const SolverTables& solver) {
  std::map<Key, OnItsOwn> all;
  MemoryBudget tables(kBytes);
  const std::vector<Port> no_ports;
  const Granularity granularity;
  const SearchSetting setting{solver, no_ports, kForever, tables, granularity};
  for (const auto& [key, one] : drain(solver, nullptr)) {
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
void compare_groups(const SolverTables& solver, const std::map<Key, OnItsOwn>& known, Energy limit,
                    SeenGroups& seen) {
  const Aim aim{Objective::Energy, true};
  Goal goal(aim);
  goal.add({limit, kWideLimit, kCountLimit});
  const int dives = static_cast<int>(limit % 3);
  SubproblemQueue queue(solver, aim, kBytes, {}, {nullptr, 0, 0, 0, 1, 0, 0, dives});
  std::map<Key, Energy> floors;
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
    const std::map<Key, OnItsOwn> known = solve_one_by_one(solver);
    if (known.empty()) continue;
    Energy best = kWideLimit;
    for (const auto& [key, one] : known) best = std::min(best, one.energy);
    for (const Energy limit : {best + 1, best + best / 20, best + best / 4, 4 * best}) {
      compare_groups(solver, known, limit, seen);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(seen.closed, testing::affordable(50));
  EXPECT_GT(seen.raised, testing::affordable(50));
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
    for (const auto& [key, one] : drain(solver, nullptr)) {
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
        ahead.leave_out(sub, lattice, m, relaxation.least() + 1, some);
        EXPECT_FALSE(some.empty()) << "seed " << seed;
        ++seen;
      }
      const double before = lattice.vectors();
      ASSERT_TRUE(ahead.narrow(lattice)) << "seed " << seed;
      narrowed += lattice.vectors() < before ? 1 : 0;
    }
  }
  EXPECT_GT(seen, testing::affordable(40));
  EXPECT_GT(narrowed, testing::affordable(40));
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
  EXPECT_GT(proven, testing::affordable(40));
}

// No dimension of 5 indices can be unrolled over 4 clusters evenly.
TEST(SubproblemGroups, AreNotMadeWhereTheOutermostFanoutHasNoChoice) {
  const Problem problem = problem_of(R"(architecture: clusters
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

TEST(RefinedFloor, ClosesAWideArrayWithRemainders) {
  const Problem problem = problem_of(R"(architecture: wide
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
