// Groups that share different memories, and tensors that are at home in several.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "support/flat_brute_force.h"
#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/problems.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {
namespace {

FuseOptions both_memories() {
  FuseOptions options;
  options.shared = "Buffer";
  options.also_shared = {"Near"};
  return options;
}

Memory priced(TestRng& rng, const std::string& name, std::int64_t words, std::int64_t least,
              std::int64_t most) {
  Memory memory = make_memory(name, words);
  memory.read_pj = static_cast<double>(rng.between(least, most));
  memory.write_pj = static_cast<double>(rng.between(least, most));
  memory.update_pj = static_cast<double>(rng.between(least, most));
  return memory;
}

// A buffer, and another one near the multipliers that takes less energy.
Architecture two_buffers(TestRng& rng, bool with_registers) {
  std::vector<Level> levels = {priced(rng, "DRAM", 0, 20, 60),
                               priced(rng, "Buffer", rng.between(4, 20), 4, 24),
                               priced(rng, "Near", rng.between(4, 20), 1, 5)};
  if (with_registers) levels.emplace_back(priced(rng, "Registers", rng.between(2, 6), 1, 2));
  return make_arch(std::move(levels));
}

// Chains that have few plans.
Cascade tiny_cascade(TestRng& rng) {
  const std::string m = rng.pick<std::string>({"2", "3", "4"});
  const std::string k = rng.pick<std::string>({"1", "2", "2"});
  switch (rng.between(0, 3)) {
    case 0:
      return make_cascade({"T[m] += A[m,k] * B[k]", "U[m] += T[m] * C[m]", "O[m] += U[m] * D[m]"},
                          "m=" + m + " k=" + k);
    case 1:
      return make_cascade({"T[m] += A[m,k] * B[k]", "U[m] += T[m] * C[m]", "O[n] += U[m] * D[m,n]"},
                          "m=" + m + " n=2 k=" + k);
    case 2:
      return make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m] += T[m,n] * C[n]"},
                          "m=2 n=" + m + " k=" + k);
    default:
      return make_cascade({"T[m] += A[m,k] * B[k]", "O[n] += T[m] * C[m,n]"},
                          "m=" + m + " n=" + k + " k=" + k);
  }
}

// The einsums of a range; what those behind it read also leaves.
Cascade part_of(const Cascade& cascade, int first, int last) {
  Cascade part = cascade;
  part.einsums.assign(cascade.einsums.begin() + first, cascade.einsums.begin() + last + 1);
  for (const Intermediate& one : intermediates_of(cascade)) {
    if (one.writer < first || one.writer > last || one.readers.back().einsum <= last) continue;
    part.einsums[at(one.writer - first)].leaves = true;
  }
  return part;
}

// The best plan of einsums all of whose groups share one memory: trees in the buffer, flat groups
// in the one that is near.
std::optional<double> best_in_one(const Cascade& part, const Architecture& arch, bool& complete) {
  std::optional<double> best;
  const auto take = [&](std::optional<double> pj) {
    if (pj) best = std::min(best.value_or(*pj), *pj);
  };
  const FusedBruteForce trees = fused_brute_force(part, arch, {2'000});
  complete = complete && trees.complete;
  if (!complete) return best;
  FlatPlans near{false, 2'000};
  near.shared = "Near";
  const FlatBruteForce flat = flat_brute_force(part, arch, near);
  complete = flat.complete;
  if (!trees.best.empty()) take(trees.best.front().pj);
  take(flat.pj);
  return best;
}

// The best plan each of whose groups shares the buffer or the one that is near. The longest parts
// come first: they are the ones that may have too many plans.
std::optional<double> best_of_all(const Cascade& cascade, const Architecture& arch,
                                  bool& complete) {
  const int count = cascade.einsum_count();
  std::map<std::pair<int, int>, std::optional<double>> parts;
  for (int length = count; length > 0; --length) {
    for (int begin = 0; begin + length <= count; ++begin) {
      const int last = begin + length - 1;
      parts[{begin, last}] = best_in_one(part_of(cascade, begin, last), arch, complete);
      if (!complete) return std::nullopt;
    }
  }
  std::vector<std::optional<double>> ends = {0.0};
  for (int end = 0; end < count; ++end) {
    std::optional<double> best;
    for (int begin = 0; begin <= end; ++begin) {
      const auto& pj = parts[{begin, end}];
      if (!pj || !ends[at(begin)]) continue;
      best = std::min(best.value_or(*ends[at(begin)] + *pj), *ends[at(begin)] + *pj);
    }
    ends.push_back(best);
  }
  return ends.back();
}

TEST(MemoriesOfGroups, AreTheBestOfAllThatCanBeTried) {
  int compared = 0, chosen = 0, moved = 0;
  const auto cases = static_cast<std::uint64_t>(affordable(40));
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TestRng rng(seed);
    const Cascade cascade = tiny_cascade(rng);
    const Architecture arch = two_buffers(rng, false);
    const FuseOutcome outcome = fuse(cascade, arch, both_memories());
    ASSERT_NE(outcome.status, FuseOutcome::Status::BadInput) << to_string(outcome.problems.front());
    bool complete = true;
    const auto best = best_of_all(cascade, arch, complete);
    if (!complete) continue;
    ASSERT_EQ(best.has_value(), outcome.found()) << "seed " << seed;
    if (!best) continue;
    ++compared;
    ASSERT_TRUE(outcome.one_memory_pj);
    const double found = *outcome.one_memory_pj;
    if (outcome.proven) EXPECT_NEAR(*best, found, 1e-9 * found) << "seed " << seed;
    EXPECT_GE(*best, outcome.bound_pj * (1 - 1e-9)) << "seed " << seed;
    EXPECT_LE(*best, found * (1 + 1e-9)) << "seed " << seed;
    EXPECT_LE(outcome.energy_pj, found) << "seed " << seed;
    for (const PlanNode& group : outcome.plan.groups) chosen += group.shared.empty() ? 0 : 1;
    moved += outcome.energy_pj < found ? 1 : 0;
    if (HasFailure()) return;
  }
  RecordProperty("compared", compared);
  RecordProperty("chosen", chosen);
  RecordProperty("moved", moved);
  if (slow_build()) return;  // too few to have some of each
  EXPECT_GE(compared, enough(6));
  EXPECT_GE(chosen, enough(2));
  EXPECT_GE(moved, enough(2));
}

// Windows, and more memories: what was found is counted again, element by element.
TEST(MemoriesOfGroups, CostWhatTheSearchSays) {
  int compared = 0, several = 0;
  const auto cases = static_cast<std::uint64_t>(affordable(60));
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TestRng rng(seed + 40'000);
    const Cascade cascade = rng.chance(50) ? flat_cascade(rng) : fusion_cascade(rng, {1, 2, 3, 4});
    const Architecture arch = two_buffers(rng, rng.chance(50));
    const FuseOutcome outcome = fuse(cascade, arch, both_memories());
    if (!outcome.found()) continue;
    ++compared;
    const PlanCase plan{cascade, arch, outcome.plan};
    bool same_live = false;
    const std::vector<std::string> differ = compare_with_oracle(plan, same_live);
    EXPECT_TRUE(differ.empty()) << "seed " << seed << ": " << differ.front();
    const auto evaluation = evaluate_plan(cascade, arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok());
    EXPECT_TRUE(evaluation.value->misfit.empty()) << evaluation.value->misfit.front();
    EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj);
    double sum = 0;
    for (const double pj : outcome.group_pj) sum += pj;
    EXPECT_NEAR(sum, outcome.energy_pj, 1e-9 * outcome.energy_pj) << "seed " << seed;
    several += has_several_homes(plan) ? 1 : 0;
    // One memory for all groups is never better.
    for (const char* shared : {"Buffer", "Near"}) {
      FuseOptions one;
      one.shared = shared;
      const FuseOutcome alone = fuse(cascade, arch, one);
      ASSERT_TRUE(alone.found()) << "seed " << seed;
      if (!alone.proven && !outcome.proven) continue;
      EXPECT_LE(*outcome.one_memory_pj, alone.energy_pj * (1 + 1e-9))
          << "seed " << seed << " in " << shared;
      EXPECT_NEAR(outcome.unfused_pj, alone.unfused_pj, 1e-9 * alone.unfused_pj);
    }
    if (HasFailure()) return;
  }
  if (slow_build()) return;
  EXPECT_GE(compared, 20);
  EXPECT_GE(several, enough(10));
}

TEST(MemoriesOfGroups, AreRefusedWhereTheyCannotBeSearched) {
  TestRng rng(3);
  const Cascade cascade = fusion_cascade(rng, {2});
  const Architecture arch = two_buffers(rng, false);
  const auto refusal = [&](const FuseOptions& options) {
    const FuseOutcome outcome = fuse(cascade, arch, options);
    EXPECT_EQ(outcome.status, FuseOutcome::Status::BadInput);
    return outcome.problems.empty() ? "" : outcome.problems.front().message;
  };
  FuseOptions options = both_memories();
  options.also_shared = {"Buffer"};
  EXPECT_EQ(refusal(options), "Buffer is named twice as a memory to be shared");
  options.also_shared = {"Far"};
  EXPECT_NE(refusal(options).find("no memory \"Far\" to be shared"), std::string::npos);
  options.also_shared = {"DRAM"};
  EXPECT_NE(refusal(options).find("DRAM is the outermost memory"), std::string::npos);
  options = both_memories();
  options.objective = Objective::Edp;
  EXPECT_EQ(refusal(options), "groups choose among memories for the least energy alone");
  options = both_memories();
  options.uneven_nests = true;
  EXPECT_EQ(refusal(options), "nests are even where groups choose among memories");
}

}  // namespace
}  // namespace tilewright::testing
