#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "support/problems.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using Status = MapOutcome::Status;

Architecture small_arch() {
  return testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Array", 4),
                             testing::make_memory("Inner", 12)});
}

// The first and the third layer are the same work under other names.
Network three_layers() {
  Network network;
  network.name = "three";
  network.layers = {{"a", make_gemm("first", 4, 3, 4), 2, {}, {}},
                    {"b", make_gemm("second", 5, 3, 4), 1, {}, {}},
                    {"c", make_gemm("third", 4, 3, 4), 3, {}, {}}};
  return network;
}

MapOptions quick() {
  MapOptions options;
  options.mapper = find_mapper("random");
  options.limits.evaluations = 600;
  options.each_layer = true;
  return options;
}

TEST(MapNetwork, IdenticalLayersAreMappedOnce) {
  const Network network = three_layers();
  std::set<std::size_t> mapped;
  std::size_t distinct = 0;
  const NetworkOutcome outcome =
      map_network(network, small_arch(), quick(), [&](const NetworkProgress& progress) {
        mapped.insert(progress.layer);
        distinct = progress.distinct;
        EXPECT_EQ(progress.done, mapped.size() - 1);
      });
  EXPECT_EQ(mapped, (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(distinct, 2U);
  ASSERT_EQ(outcome.layers.size(), 3U);
  EXPECT_EQ(outcome.layers[2].first, 0U);
  EXPECT_EQ(&outcome.of(2), &outcome.layers[0].outcome);
  EXPECT_EQ(outcome.layers[2].count, 3);
  EXPECT_FALSE(outcome.cancelled);
}

// A framework keeps weights as [K, M] in one layer and as [M, K] in the next.
TEST(MapNetwork, LayersThatDifferInTheOrderOfIndicesAreMappedOnce) {
  Network network = three_layers();
  std::swap(network.layers[2].workload.tensors[0].ranks[0],
            network.layers[2].workload.tensors[0].ranks[1]);
  EXPECT_EQ(first_with_same_work(network, 2), 0U);
  std::swap(network.layers[1].workload.tensors[0].ranks,
            network.layers[1].workload.tensors[1].ranks);
  network.layers[1].workload.dims = network.layers[0].workload.dims;
  EXPECT_EQ(first_with_same_work(network, 1), 1U);
}

TEST(MapNetwork, LayersAreMappedAsOnTheirOwn) {
  const Network network = three_layers();
  const NetworkOutcome outcome = map_network(network, small_arch(), quick());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const MapOutcome alone = map_workload(network.layers[i].workload, small_arch(), quick());
    EXPECT_EQ(outcome.of(i).search.best, alone.search.best) << i;
    EXPECT_EQ(outcome.of(i).search.score, alone.search.score) << i;
  }
}

TEST(MapNetwork, TotalCountsEveryOccurrence) {
  const NetworkOutcome outcome = map_network(three_layers(), small_arch(), quick());
  const Score& a = outcome.of(0).search.score;
  const Score& b = outcome.of(1).search.score;
  const Score total = total_of(outcome);
  EXPECT_EQ(total.cycles, 5 * a.cycles + b.cycles);
  EXPECT_DOUBLE_EQ(total.energy_pj, 5 * a.energy_pj + b.energy_pj);
}

TEST(MapNetwork, TotalLeavesOutLayersWithoutAMapping) {
  Network network = three_layers();
  MapOptions options = quick();
  // Only the second layer has five of M.
  options.constraints = {{"Outer", {}, FactorRule{"M", FactorRule::Relation::Equal, 5}, {}}};
  const NetworkOutcome outcome = map_network(network, small_arch(), options);
  EXPECT_EQ(outcome.of(0).status, Status::Infeasible);
  ASSERT_EQ(outcome.of(1).status, Status::Found);
  EXPECT_EQ(total_of(outcome).cycles, outcome.of(1).search.score.cycles);
}

TEST(MapNetwork, ACancelledOneSaysSo) {
  const std::atomic<bool> cancelled = true;
  MapOptions options = quick();
  options.limits.cancelled = &cancelled;
  const NetworkOutcome outcome = map_network(three_layers(), small_arch(), options);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.layers.size(), 3U);
  EXPECT_FALSE(outcome.of(0).found());
  EXPECT_EQ(total_of(outcome).cycles, 0);
}

}  // namespace
}  // namespace tilewright
