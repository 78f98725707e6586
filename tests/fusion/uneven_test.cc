// Uneven private nests in fused plans.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fusion/flat_search.h"
#include "support/flat_brute_force.h"
#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "support/uneven_case.h"
#include "tilewright/fusion.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

int uneven_nests(const Plan& plan) {
  int uneven = 0;
  for (const PlanLeaf& leaf : plan.leaves) {
    for (const PrivateNest& nest : leaf.nests) uneven += has_points(nest.problem) ? 1 : 0;
  }
  return uneven;
}

// Gives the nests of a plan storage points at random.
void take_apart(TestRng& rng, Plan& plan) {
  for (PlanLeaf& leaf : plan.leaves) {
    for (PrivateNest& nest : leaf.nests) {
      if (auto apart = with_random_points(rng, {nest.problem, nest.mapping})) {
        nest = {std::move(apart->problem), std::move(apart->mapping)};
      }
    }
  }
}

FuseOptions with_uneven_nests() {
  FuseOptions options;
  options.uneven_nests = true;
  return options;
}

// Counts, room and files of plans with storage points anywhere.
TEST(UnevenPlans, EqualTheOracleAndAreReadAsTheyAreWritten) {
  const int cases = affordable(600);
  int tried = 0, uneven = 0, fused = 0;
  for (std::uint64_t seed = 1; tried < cases; ++seed) {
    TestRng rng(seed + 9'000'000);
    std::optional<PlanCase> random = random_plan(rng);
    if (!random) continue;
    take_apart(rng, random->plan);
    ++tried;
    bool same_live = false;
    const std::vector<std::string> found = compare_with_oracle(*random, same_live);
    ASSERT_TRUE(found.empty()) << "seed " << seed << ": " << describe(*random) << "\n  "
                               << found.front();
    uneven += uneven_nests(random->plan) > 0 ? 1 : 0;
    fused += random->plan.groups.size() < random->cascade.einsums.size() ? 1 : 0;
    const std::string text = io::write_plan(random->cascade, random->plan);
    const auto again = io::read_plan(text, "plan.yaml", random->cascade, random->arch);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << to_string(again.problems.front()) << text;
    const auto before = evaluate_plan(random->cascade, random->arch, random->plan);
    const auto after = evaluate_plan(random->cascade, random->arch, *again.value);
    EXPECT_EQ(before.value->energy_pj, after.value->energy_pj) << "seed " << seed;
    EXPECT_EQ(before.value->cycles, after.value->cycles) << "seed " << seed;
  }
  EXPECT_GT(uneven, tried / 2);
  EXPECT_GT(fused, tried / 3);
}

// A matrix times a vector, twice, in a buffer of a few words.
struct SmallChain {
  Cascade cascade;
  Architecture arch;
};
SmallChain small_chain(TestRng& rng) {
  const std::string sizes =
      fmt::format(" m={} k={} p={}", rng.between(2, 4), rng.between(2, 4), rng.between(1, 3));
  const std::string arch = fmt::format(R"(architecture: few_words
levels:
  - {{memory: DRAM, capacity: unlimited, read: {} pJ}}
  - {{memory: Buffer, capacity: {} words, read: {} pJ}}
  - {{compute: MAC}}
)",
                                       rng.between(5, 50), rng.between(3, 7), rng.between(1, 4));
  return {make_cascade({"T[m] += A[m,k] * B[k]", "O[p] += T[m] * C[m,p]"}, sizes),
          *io::read_architecture(arch, "arch.yaml").value};
}

TEST(UnevenNests, OfFlatGroupsAreTheBestOfAllThatCanBeTried) {
  int compared = 0, fused = 0, gained = 0;
  const auto cases = static_cast<std::uint64_t>(affordable(60));
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TestRng rng(seed + 81'000);
    const SmallChain chain = small_chain(rng);
    const FlatBruteForce best =
        flat_brute_force(chain.cascade, chain.arch, {false, 5'000, true, 20'000});
    if (!best.complete) continue;
    const FuseOutcome even = fusion::fuse_flat(chain.cascade, chain.arch, {}, {"Buffer"});
    const FuseOutcome outcome =
        fusion::fuse_flat(chain.cascade, chain.arch, {}, {"Buffer"}, {Evenness::Uneven, {}, {}});
    ASSERT_EQ(best.pj.has_value(), outcome.found()) << "seed " << seed;
    if (!best.pj) continue;
    ++compared;
    if (outcome.proven) {
      EXPECT_NEAR(*best.pj, outcome.energy_pj, 1e-9 * *best.pj) << "seed " << seed;
    }
    EXPECT_GE(*best.pj, outcome.bound_pj * (1 - 1e-9)) << "seed " << seed;
    EXPECT_LE(*best.pj, outcome.energy_pj * (1 + 1e-9)) << "seed " << seed;
    fused += outcome.plan.groups.size() < chain.cascade.einsums.size() ? 1 : 0;
    gained += even.found() && outcome.energy_pj < even.energy_pj * (1 - 1e-9) ? 1 : 0;
    if (HasFailure()) return;
  }
  RecordProperty("compared", compared);
  RecordProperty("gained", gained);
  if (slow_build()) return;
  EXPECT_GE(compared, enough(30));
  EXPECT_GE(fused, 1);
  EXPECT_GE(gained, 1);
}

// Plans cost what is said, and no more than those of even nests.
TEST(UnevenNests, AreNoWorseThanEvenOnes) {
  int count = 0, gained = 0, uneven = 0;
  for_each_fused({.cases = 60, .first_seed = 5901, .most_words = 40}, [&](const FusedCase& found) {
    const FuseOutcome outcome = fuse(found.cascade, found.arch, with_uneven_nests());
    ASSERT_TRUE(outcome.found()) << found.name;
    ++count;
    EXPECT_TRUE(outcome.uneven_nests) << found.name;
    EXPECT_EQ(outcome.searched, found.outcome.searched) << found.name;
    const bool trees = outcome.searched == FuseOutcome::Searched::Trees;
    EXPECT_TRUE(outcome.proven || !trees) << found.name;
    EXPECT_EQ(outcome.unfused_pj, found.outcome.unfused_pj) << found.name;
    EXPECT_LE(outcome.energy_pj, found.outcome.energy_pj * (1 + 1e-12)) << found.name;
    EXPECT_LE(outcome.bound_pj, outcome.energy_pj) << found.name;
    const auto evaluation = evaluate_plan(found.cascade, found.arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok()) << found.name;
    EXPECT_TRUE(evaluation.value->misfit.empty()) << found.name;
    EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj);
    double groups_pj = 0;
    for (const double pj : outcome.group_pj) groups_pj += pj;
    EXPECT_NEAR(groups_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj) << found.name;
    gained += outcome.energy_pj < found.outcome.energy_pj * (1 - 1e-9) ? 1 : 0;
    uneven += uneven_nests(outcome.plan) > 0 ? 1 : 0;
  });
  EXPECT_GE(count, enough(20));
  EXPECT_GE(gained, enough(3));
  EXPECT_GE(uneven, gained);
}

TEST(UnevenNests, OfTreesAreTheBestOfAllThatCanBeTried) {
  int compared = 0, fused = 0, gained = 0;
  const auto cases = static_cast<std::uint64_t>(affordable(50));
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TestRng rng(seed + 82'002);
    const SmallChain chain = small_chain(rng);
    const Architecture random = fusion_arch(rng, rng.between(4, 12));
    const bool has_registers = rng.chance(50);
    if (has_registers && random.levels.size() > 5) continue;
    const Cascade& cascade = chain.cascade;
    const Architecture& arch = has_registers ? random : chain.arch;
    const FuseOutcome outcome = fuse(cascade, arch, with_uneven_nests());
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const FusedBruteForce best = fused_brute_force(cascade, arch, {2'000, false, true});
    if (!best.complete) continue;
    const auto least = least_value(best, Objective::Energy);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    ++compared;
    EXPECT_TRUE(outcome.proven) << "seed " << seed;
    ASSERT_NEAR(*least, outcome.energy_pj, 1e-9 * *least) << "seed " << seed;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
    gained += outcome.energy_pj < fuse(cascade, arch).energy_pj * (1 - 1e-9) ? 1 : 0;
  }
  RecordProperty("compared", compared);
  RecordProperty("gained", gained);
  if (slow_build()) return;
  EXPECT_GE(compared, enough(20));
  EXPECT_GE(fused, enough(5));
  EXPECT_GE(gained, 1);
}

// Results say what was searched, whichever plan is the best.
TEST(UnevenNests, LeaveWhatElseWasSearchedAsItIs) {
  for_each_fused({.cases = 6, .first_seed = 5971, .most_words = 40}, [](const FusedCase& found) {
    FuseOptions options = with_uneven_nests();
    options.remainders = true;
    const FuseOutcome outcome = fuse(found.cascade, found.arch, options);
    ASSERT_TRUE(outcome.found()) << found.name;
    EXPECT_TRUE(outcome.remainders) << found.name;
    EXPECT_LE(outcome.energy_pj, found.outcome.energy_pj * (1 + 1e-12)) << found.name;
    options.remainders = false;
    options.recompute = true;
    EXPECT_TRUE(fuse(found.cascade, found.arch, options).recomputes) << found.name;
  });
}

TEST(UnevenNests, OfOneEinsumAreThoseOfAnUnevenMapping) {
  int count = 0, gained = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(80)); ++seed) {
    TestRng rng(seed + 7'300);
    const Problem problem = fusion_problem(rng);
    const Cascade cascade{"one", "", {{problem.workload(), {}}}, {}};
    const FuseOutcome outcome = fuse(cascade, problem.arch(), with_uneven_nests());
    if (!outcome.found()) continue;
    MapOptions options;
    options.objective = Objective::Energy;
    options.evenness = Evenness::Uneven;
    const MapOutcome mapped = map_workload(problem.workload(), problem.arch(), options);
    ASSERT_TRUE(mapped.found()) << "seed " << seed;
    ++count;
    EXPECT_TRUE(outcome.proven) << "seed " << seed;
    EXPECT_NEAR(outcome.energy_pj, mapped.search.score.energy_pj, 1e-9 * outcome.energy_pj)
        << "seed " << seed;
    gained += outcome.energy_pj < outcome.unfused_pj * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GE(count, enough(20));
  if (!slow_build()) EXPECT_GE(gained, 1);
}

// Nests of even and uneven kinds, with ports that are slower than multipliers.
TEST(UnevenNests, OfTreesAreTheBestInTimeToo) {
  int compared = 0, gained = 0;
  const std::uint64_t cases = slow_build() ? 3 : 60;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TestRng rng(seed + 83'000);
    const Cascade cascade = small_chain(rng).cascade;
    const Architecture arch = fusion_arch_with_ports(rng, rng.between(4, 12));
    if (arch.levels.size() > 4) continue;
    FuseOptions options = with_uneven_nests();
    options.objective = rng.pick<Objective>({Objective::Edp, Objective::Latency, Objective::Ed2p});
    const FuseOutcome outcome = fuse(cascade, arch, options);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const FusedBruteForce best = fused_brute_force(cascade, arch, {1'000, true, true});
    if (!best.complete) continue;
    const auto least = least_value(best, options.objective);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    ++compared;
    EXPECT_TRUE(outcome.proven) << "seed " << seed;
    ASSERT_NEAR(*least, outcome.value, 1e-9 * *least) << "seed " << seed;
    const auto evaluation = evaluate_plan(cascade, arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok() && evaluation.value->misfit.empty()) << "seed " << seed;
    EXPECT_EQ(evaluation.value->cycles, *outcome.cycles) << "seed " << seed;
    options.uneven_nests = false;
    gained += outcome.value < fuse(cascade, arch, options).value * (1 - 1e-9) ? 1 : 0;
  }
  RecordProperty("compared", compared);
  RecordProperty("gained", gained);
  if (slow_build()) return;
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace tilewright::testing
