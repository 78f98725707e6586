// Dimensions that were cut into factors, against whole ones.
#include <gtest/gtest.h>

#include "support/fusion_case.h"
#include "support/slow_build.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using namespace testing;

// A product in which a dimension is one, or two factors that architectures know by its name.
Workload product(std::int64_t n, std::int64_t k, const std::vector<std::int64_t>& m) {
  Workload workload;
  workload.name = "product";
  workload.dims = {{"N", n}, {"K", k}};
  std::vector<Rank> factors;
  for (const std::int64_t size : m) {
    factors.push_back({{DimId{workload.dim_count()}, 1}});
    const std::string name = m.size() == 1 ? "M" : "M" + std::to_string(workload.dim_count());
    workload.dims.push_back({name, size, m.size() == 1 ? "" : "M"});
  }
  const Rank columns = {{DimId{0}, 1}}, sums = {{DimId{1}, 1}};
  const auto with = [&](const Rank& rank) {
    std::vector<Rank> ranks = factors;
    ranks.push_back(rank);
    return ranks;
  };
  workload.tensors = {{"W", Role::Weight, with(sums)},
                      {"I", Role::Input, {sums, columns}},
                      {"O", Role::Output, with(columns)}};
  return workload;
}

// Some unroll M and K alone.
Architecture arch_of(TestRng& rng) {
  Architecture arch = fusion_arch(rng, rng.between(6, 60));
  for (Level& level : arch.levels) {
    auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr || rng.chance(40)) continue;
    fanout->x = {rng.between(2, 6), {{"M"}}};
    fanout->y = {rng.between(1, 3), {{"K"}}};
  }
  return arch;
}

// Alone, a contraction takes no more energy with its factors, and on these architectures no less.
TEST(SplitDimensions, TakeTheEnergyOfWholeOnesAlone) {
  int compared = 0;
  for (int i = 0; i < affordable(120); ++i) {
    TestRng rng(7'700 + static_cast<std::uint64_t>(i));
    const std::int64_t h = rng.pick<std::int64_t>({2, 3, 4}), e = rng.pick<std::int64_t>({2, 4, 6});
    const std::int64_t n = rng.pick<std::int64_t>({1, 4, 6}), k = rng.pick<std::int64_t>({2, 4, 9});
    const Architecture arch = arch_of(rng);
    MapOptions options;
    options.objective = Objective::Energy;
    const MapOutcome whole = map_workload(product(n, k, {h * e}), arch, options);
    const MapOutcome split = map_workload(product(n, k, {h, e}), arch, options);
    ASSERT_EQ(whole.found(), split.found()) << "seed " << i;
    if (!whole.found()) continue;
    ++compared;
    EXPECT_NEAR(split.search.score.energy_pj, whole.search.score.energy_pj,
                1e-9 * whole.search.score.energy_pj)
        << "seed " << i;
  }
  EXPECT_GE(compared, enough(60));
}

}  // namespace
}  // namespace tilewright
