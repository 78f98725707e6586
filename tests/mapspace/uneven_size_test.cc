// The number of all mappings, even and uneven, against listing them.
#include <gtest/gtest.h>

#include "support/brute_force.h"
#include "support/slow_build.h"
#include "support/uneven_case.h"

namespace tilewright::testing {
namespace {

// Points of one memory without a loop between them are one point: such a mapping is listed
// again where they are.
bool has_idle_point(const Problem& problem, const Mapping& mapping) {
  for (int m = 0; m + 1 < problem.memory_count(); ++m) {
    const std::string& memory = problem.memory(MemoryId{m}).point_of;
    if (memory.empty() || problem.memory(MemoryId{m + 1}).point_of != memory) continue;
    bool idle = true;
    for (int d = 0; d < problem.dim_count(); ++d) {
      idle = idle && mapping.bound(problem.use(MemoryId{m}).slot, DimId{d}) == 1;
    }
    if (idle) return true;
  }
  return false;
}

class UnevenSizeIsExact : public ::testing::TestWithParam<SpaceKind> {};

TEST_P(UnevenSizeIsExact, OnSmallInstances) {
  const SpaceKind kind = GetParam();
  int counted = 0, larger = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    const SmallInstance instance =
        small_instance(seed, {.kind = kind, .most_mappings = 4'096, .halos = 0});
    std::uint64_t listed = 0, even = 0;
    const auto visit = [&](const Evaluator& apart, const Mapping& mapping) {
      if (has_idle_point(apart.problem(), mapping)) return;
      ++listed;
      even += has_points(apart.problem()) ? 0 : 1;
    };
    if (!go_through_uneven(instance, kind, 10'000, visit)) continue;
    const std::uint32_t all = ~0U;
    const UnevenSize size = count_uneven(instance.problem, kind, instance.constraints, all);
    ASSERT_TRUE(size.ok()) << text_of(instance);
    ASSERT_EQ(size.value->to_string(), std::to_string(listed)) << "seed " << seed << "\n"
                                                               << text_of(instance);
    ++counted;
    larger += listed > even ? 1 : 0;
  }
  EXPECT_GE(counted, enough(5));
  EXPECT_GE(larger, slow_build() ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, UnevenSizeIsExact, ::testing::ValuesIn(kSpaceKinds));

}  // namespace
}  // namespace tilewright::testing
