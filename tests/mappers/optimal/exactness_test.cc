// Optimal mappings against every mapping of small map-spaces. Thousands more:
// `./run-tests --long`.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/check_optimum.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/widths.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

const auto kSeeds = static_cast<std::uint64_t>(affordable(20));

class OptimumIsExact : public ::testing::TestWithParam<std::tuple<SpaceKind, int>> {};

TEST_P(OptimumIsExact, OnSmallInstances) {
  const auto& [kind, range] = GetParam();
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    const std::uint64_t seed = 1'000 * static_cast<std::uint64_t>(range) + i;
    const CheckReport report = check_seed(seed, {.kind = kind, .most_mappings = 5'000});
    ASSERT_TRUE(report.failures.empty()) << report.failures;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, OptimumIsExact,
                         ::testing::Combine(::testing::ValuesIn(kSpaceKinds),
                                            ::testing::Range(1, 6)),
                         [](const auto& shard) {
                           std::string name = to_string(std::get<0>(shard.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(std::get<1>(shard.param));
                         });

// With the certificates that go with them.
TEST(OptimalMapper, IsExactWhereWidthsSetThePrices) {
  std::uint64_t valid = 0;
  for (std::uint64_t seed = 1; seed <= 2 * kSeeds; ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    SmallInstance instance = small_instance(61'000 + seed, {.kind = kind, .most_mappings = 5'000});
    TestRng rng(seed);
    instance.problem = with_widths(instance.problem, rng);
    const CheckReport report = check_instance(instance, kind);
    ASSERT_TRUE(report.failures.empty()) << report.failures;
    valid += report.valid;
  }
  EXPECT_GT(valid, 0U);
}

SmallInstance diagonal_instance(const std::string& window, int p, int r, const std::string& array,
                                const std::string& inner) {
  const auto arch = io::read_architecture(
      "architecture: diagonal\nlevels:\n"
      "  - {memory: Outer, capacity: unlimited, read: 64 pJ}\n"
      "  - {fanout: Array, " +
          array + "}\n" + inner + "  - {compute: mac}\n",
      "arch");
  const auto workload = io::read_workload_line(
      "O[p] += I[" + window + "]*W[r]; p=" + std::to_string(p) + " r=" + std::to_string(r),
      "workload");
  return {make_problem(*workload.value, *arch.value), {}};
}

// Branches of an array that hold both dimensions of a window share along diagonals; some are cut
// short, or have nothing. Frames differ in how many instances are in use, too. What a memory
// inside the array does not keep goes to the multipliers one element at a time.
TEST(OptimalMapper, IsExactWhereDiagonalsShareBesideRemainders) {
  const std::string memory = "  - {memory: Inner, capacity: 9 words, read: 1 pJ";
  for (const std::string window : {"p+r", "2*p+r", "p+2*r"}) {
    for (const int p : {3, 4, 5, 7}) {
      for (const int r : {2, 3}) {
        if (slow_build() && p + r != 7) continue;
        for (const std::string array : {"x: 2, y: 2", "x: 6", "x: 2, y: 3"}) {
          for (const std::string& inner :
               {memory + "}\n", memory + ", keep: [weight]}\n", std::string()}) {
            const SmallInstance instance = diagonal_instance(window, p, r, array, inner);
            for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
              const CheckReport report = check_instance(instance, kind);
              ASSERT_TRUE(report.failures.empty()) << report.failures;
            }
          }
        }
      }
    }
  }
}

// Instances hold parts of a transposed convolution's output; how many elements of it they ever
// hold, whose first reads are spared, is up to the loops outside.
SmallInstance transposed_instance(const std::string& index, int banks, int sums) {
  const auto arch = io::read_architecture(
      "architecture: transposed\nlevels:\n"
      "  - {memory: Outer, capacity: unlimited, read: 6 pJ}\n  - {fanout: Clusters, y: 2}\n"
      "  - {memory: Banks, read: 2 pJ, keep: [output], capacity: " +
          std::to_string(banks) +
          " words}\n  - {fanout: PEs, x: 2, y: 2}\n"
          "  - {memory: Sums, read: 1 pJ, keep: [output], capacity: " +
          std::to_string(sums) + " words}\n  - {compute: mac}\n",
      "arch");
  const auto workload = io::read_workload_line("O[" + index + "] += W[r]*I[p]; p=6 r=4", "line");
  return {make_problem(*workload.value, *arch.value), {}};
}

TEST(OptimalMapper, IsExactWhereInstancesHoldPartsOfWindows) {
  for (const std::string index : {"p+r", "2*p+r", "p+2*r", "r-p"}) {
    for (const int banks : {4, 20}) {
      for (const int sums : {1, 3}) {
        if (slow_build() && banks + sums != 7) continue;
        const SmallInstance instance = transposed_instance(index, banks, sums);
        for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
          const CheckReport report = check_instance(instance, kind);
          ASSERT_TRUE(report.failures.empty()) << index << " " << banks << " " << sums << " "
                                               << to_string(kind) << ": " << report.failures;
        }
      }
    }
  }
}

// Most subproblems are closed there before they are opened.
TEST(OptimalMapper, IsExactWhereTheInnermostMemoryHasNoLoops) {
  std::uint64_t valid = 0;
  for (std::uint64_t seed = 1; seed <= 2 * kSeeds; ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    SmallInstance instance = small_instance(44'000 + seed, {.kind = kind, .most_mappings = 5'000});
    Architecture arch = instance.problem.arch();
    for (auto level = arch.levels.rbegin(); level != arch.levels.rend(); ++level) {
      auto* memory = std::get_if<Memory>(&*level);
      if (memory == nullptr) continue;
      memory->dims.emplace();
      break;
    }
    instance.problem = make_problem(instance.problem.workload(), std::move(arch));
    const CheckReport report = check_instance(instance, kind);
    ASSERT_TRUE(report.failures.empty()) << report.failures;
    valid += report.valid;
  }
  EXPECT_GT(valid, 100U);
}

}  // namespace
}  // namespace tilewright::testing
