// Fronts and sizes of the spaces of flexible accelerators, against all mappings gone through.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "support/flexible_case.h"
#include "support/slow_build.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using testing::FlexibleCase;

MapOptions with_remainders() {
  MapOptions options;
  options.space = SpaceKind::Ruby;
  return options;
}

// --- fronts ---------------------------------------------------------------------------

// Fastest first.
std::vector<Score> true_front(const FlexibleCase& flexible) {
  std::vector<Score> all, front;
  testing::for_each_that_runs(flexible, SpaceKind::Ruby, [&](const Mapping&, const Score& score) {
    if (score.verdict.fits()) all.push_back(score);
  });
  std::sort(all.begin(), all.end(), [](const Score& a, const Score& b) {
    return a.cycles != b.cycles ? a.cycles < b.cycles : a.energy_pj < b.energy_pj;
  });
  for (const Score& score : all) {
    const bool less = front.empty() || score.energy_pj < front.back().energy_pj * (1 - 1e-12);
    if (less) front.push_back(score);
  }
  return front;
}

TEST(FlexibleFront, IsThatOfAllMappingsWhichTheAcceleratorCanBeSetTo) {
  int with_points = 0, with_several = 0;
  for (int i = 0; i < testing::affordable(60); ++i) {
    const FlexibleCase flexible =
        testing::random_flexible_case(static_cast<std::uint64_t>(i), {.most_mappings = 4000});
    SCOPED_TRACE(testing::text_of(flexible));
    const std::vector<Score> truth = true_front(flexible);
    const auto front = find_flexible_front(flexible.workload, flexible.arch, with_remainders());
    ASSERT_TRUE(front.ok());
    EXPECT_TRUE(front.value->complete);
    ASSERT_EQ(front.value->points.size(), truth.size());
    for (std::size_t p = 0; p < truth.size(); ++p) {
      const ParetoFront::Point& point = front.value->points[p];
      EXPECT_EQ(point.score.cycles, truth[p].cycles);
      EXPECT_NEAR(point.score.energy_pj, truth[p].energy_pj, 1e-11 * truth[p].energy_pj);
      EXPECT_EQ(testing::why_not_run(flexible, point.mapping), "");
      EXPECT_TRUE(point.setting && point.apart);
    }
    with_points += truth.empty() ? 0 : 1;
    with_several += truth.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(with_points, testing::enough(20));
  EXPECT_GE(with_several, testing::enough(1));
}

TEST(FlexibleFront, IsNotCompleteWhenCancelled) {
  const FlexibleCase flexible = testing::random_flexible_case(1, {});
  const std::atomic<bool> cancelled{true};
  MapOptions options = with_remainders();
  options.limits.cancelled = &cancelled;
  const auto front = find_flexible_front(flexible.workload, flexible.arch, options);
  ASSERT_TRUE(front.ok());
  EXPECT_FALSE(front.value->complete);
  EXPECT_EQ(front.value->stop, Proof::Stop::Cancelled);
}

// --- sizes ----------------------------------------------------------------------------

// What a mapping does, in numbers that do not depend on the shape of the array.
std::vector<std::int64_t> numbers_of(const Mapping& mapping) {
  std::vector<std::int64_t> numbers;
  for (int slot = 0; slot < mapping.slot_count(); ++slot) {
    for (int d = 0; d < mapping.dim_count(); ++d) numbers.push_back(mapping.bound(slot, DimId{d}));
  }
  for (int m = 0; m < mapping.memory_count(); ++m) {
    numbers.push_back(mapping.kept(MemoryId{m}));
    for (int d = 0; d < mapping.dim_count(); ++d) {
      numbers.push_back(mapping.order(MemoryId{m})[d]);
    }
  }
  return numbers;
}

std::set<std::vector<std::int64_t>> mappings_of(const FlexibleCase& flexible,
                                                const Setting& setting) {
  const SetUp set = set_up(flexible.workload, flexible.arch, setting);
  const Problem problem = *Problem::create(flexible.workload, set.arch).value;
  const Restrictions rules = *Restrictions::create(problem, set.constraints).value;
  const MadeSpace space = MapSpace::create(problem, SpaceKind::Ruby, rules);
  std::set<std::vector<std::int64_t>> all;
  if (!space.ok()) return all;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) all.insert(numbers_of(*mapping));
  return all;
}

TEST(FlexibleSpace, CountsTheMappingsOfEverySettingAndThoseThatDiffer) {
  int overlapping = 0, counted = 0;
  for (int i = 0; i < testing::affordable(60); ++i) {
    const FlexibleCase flexible =
        testing::random_flexible_case(static_cast<std::uint64_t>(i), {.most_mappings = 2000});
    SCOPED_TRACE(testing::text_of(flexible));
    const auto space = count_flexible_space(flexible.workload, flexible.arch, with_remainders());
    ASSERT_TRUE(space.ok());
    EXPECT_TRUE(space.value->complete);
    std::set<std::vector<std::int64_t>> different;
    BigUint sum;
    for (const FlexibleSpace::OfSetting& one : space.value->settings) {
      const auto mappings = mappings_of(flexible, one.setting);
      EXPECT_EQ(one.mappings, BigUint(mappings.size())) << to_string(one.setting);
      sum += mappings.size();
      different.insert(mappings.begin(), mappings.end());
    }
    EXPECT_EQ(space.value->sum, sum);
    if (!space.value->different) continue;
    EXPECT_EQ(*space.value->different, BigUint(different.size()));
    ++counted;
    overlapping += sum > BigUint(different.size()) ? 1 : 0;
  }
  EXPECT_GT(counted, testing::enough(15));
  EXPECT_GT(overlapping, 0);
}

}  // namespace
}  // namespace tilewright
