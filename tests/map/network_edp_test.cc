// The lowest EDP of a whole network, against every choice of mappings of its layers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using testing::TestRng;

// Slow ports and unlike energies, so that less energy takes more cycles.
Architecture random_arch(TestRng& rng) {
  const auto hundredths = [&](std::int64_t low, std::int64_t high) {
    return static_cast<double>(rng.between(low, high)) / 100;
  };
  Memory outer = testing::make_memory("Outer");
  outer.read_pj = outer.write_pj = outer.update_pj = hundredths(100, 3000);
  if (rng.chance(70)) outer.shared_bandwidth = Rational{rng.between(1, 6), rng.between(1, 3)};
  if (rng.chance(30)) outer.leakage_pj_per_cycle = hundredths(1, 300);
  Memory inner = testing::make_memory("Inner", rng.between(4, 40));
  inner.read_pj = inner.write_pj = inner.update_pj = hundredths(1, 400);
  if (rng.chance(50)) inner.shared_bandwidth = Rational{rng.between(1, 4), 1};
  if (rng.chance(50)) inner.free = {"input", "weight"};
  Fanout array = testing::make_fanout("Array", rng.between(1, 4), rng.between(1, 3));
  array.multicast = rng.chance(50);
  if (rng.chance(50)) array.word_pj = hundredths(1, 500);
  Architecture arch = testing::make_arch({outer, array, inner});
  std::get<Compute>(arch.levels.back()).mac_pj = hundredths(0, 100);
  return arch;
}

Network random_network(TestRng& rng) {
  Network network;
  network.name = "network";
  for (std::int64_t i = rng.between(1, 4); i > 0; --i) {
    const std::string name = fmt::format("layer{}", i);
    network.layers.push_back(
        {name,
         make_gemm(name, rng.between(1, 8), rng.between(1, 8), rng.between(1, 8)),
         rng.between(1, 5),
         {},
         {}});
  }
  return network;
}

struct Pair {
  double energy = 0, cycles = 0;
};

// Of all mappings that fit, those that no other beats in both.
std::vector<Pair> front_of(const Workload& workload, const Architecture& arch, SpaceKind kind) {
  const Problem problem = testing::make_problem(workload, arch);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const MadeSpace space = MapSpace::create(problem, kind, *Restrictions::create(problem).value);
  std::vector<Pair> all;
  Walk walk(*space.value, BigUint(0), space.value->size());
  while (const Mapping* mapping = walk.next()) {
    const Score score = evaluator.score(*mapping);
    if (!score.verdict.fits()) continue;
    all.push_back({score.energy_pj, static_cast<double>(score.cycles)});
  }
  std::sort(all.begin(), all.end(), [](const Pair& a, const Pair& b) {
    return a.cycles != b.cycles ? a.cycles < b.cycles : a.energy < b.energy;
  });
  std::vector<Pair> front;
  for (const Pair& one : all) {
    if (front.empty() || one.energy < front.back().energy) front.push_back(one);
  }
  return front;
}

// The least energy * cycles^power over every choice of a point from each layer's front.
double least_product(const std::vector<std::vector<Pair>>& fronts,
                     const std::vector<std::int64_t>& counts, int power, std::size_t layer,
                     Pair sum) {
  if (layer == fronts.size()) return sum.energy * std::pow(sum.cycles, power);
  double least = INFINITY;
  for (const Pair& one : fronts[layer]) {
    const auto count = static_cast<double>(counts[layer]);
    least = std::min(
        least, least_product(fronts, counts, power, layer + 1,
                             {sum.energy + count * one.energy, sum.cycles + count * one.cycles}));
  }
  return least;
}

double brute_force(const Network& network, const Architecture& arch, SpaceKind kind,
                   int power = 1) {
  std::vector<std::vector<Pair>> fronts;
  std::vector<std::int64_t> counts;
  for (const Layer& layer : network.layers) {
    fronts.push_back(front_of(layer.workload, arch, kind));
    counts.push_back(layer.count);
  }
  return least_product(fronts, counts, power, 0, {});
}

TEST(NetworkEdp, IsTheLeastOverAllChoicesOfMappings) {
  TestRng rng(5);
  int improved = 0;
  for (int i = 0; i < testing::affordable(120); ++i) {
    const Architecture arch = random_arch(rng);
    const Network network = random_network(rng);
    MapOptions options;
    options.space = i % 3 == 2 ? SpaceKind::RubyS : SpaceKind::Perfect;
    const NetworkOutcome outcome = map_network(network, arch, options);
    ASSERT_TRUE(outcome.whole.has_value()) << i;
    const double best = total_of(outcome).edp();
    EXPECT_NEAR(best / brute_force(network, arch, options.space), 1, 1e-11) << i;
    EXPECT_TRUE(outcome.whole->proven) << i;
    EXPECT_LE(outcome.whole->bound, best) << i;
    EXPECT_LE(best, outcome.whole->each_layer.edp() * (1 + 1e-12)) << i;
    if (best < outcome.whole->each_layer.edp() * (1 - 1e-9)) ++improved;
  }
  // Now and then the layers' own lowest EDPs are not the network's.
  EXPECT_GE(improved, testing::slow_build() ? 0 : 1);
}

TEST(NetworkEdp, OfCyclesSquaredIsTheLeastOverAllChoicesOfMappings) {
  TestRng rng(8);
  for (int i = 0; i < testing::affordable(40); ++i) {
    const Architecture arch = random_arch(rng);
    const Network network = random_network(rng);
    MapOptions options;
    options.objective = Objective::Ed2p;
    options.space = i % 3 == 2 ? SpaceKind::RubyS : SpaceKind::Perfect;
    const NetworkOutcome outcome = map_network(network, arch, options);
    ASSERT_TRUE(outcome.whole.has_value()) << i;
    const double best = value_of(Objective::Ed2p, total_of(outcome));
    EXPECT_NEAR(best / brute_force(network, arch, options.space, 2), 1, 1e-11) << i;
    EXPECT_TRUE(outcome.whole->proven) << i;
    EXPECT_LE(outcome.whole->bound, best) << i;
  }
}

TEST(NetworkEdp, IsNoHigherThanWithAnyOtherObjective) {
  TestRng rng(6);
  for (int i = 0; i < testing::affordable(20); ++i) {
    const Architecture arch = random_arch(rng);
    const Network network = random_network(rng);
    const double best = total_of(map_network(network, arch, {})).edp();
    for (const Objective objective : {Objective::Energy, Objective::Latency, Objective::Edp}) {
      MapOptions options;
      options.objective = objective;
      options.each_layer = true;
      EXPECT_LE(best, total_of(map_network(network, arch, options)).edp() * (1 + 1e-12)) << i;
    }
  }
}

TEST(NetworkEdp, OtherMappersFindNothingBetterAndClaimNothing) {
  TestRng rng(7);
  for (int i = 0; i < testing::affordable(10); ++i) {
    const Architecture arch = random_arch(rng);
    const Network network = random_network(rng);
    const double best = total_of(map_network(network, arch, {})).edp();
    for (const Mapper* mapper : {find_mapper("quickflow"), find_mapper("random")}) {
      MapOptions options;
      options.mapper = mapper;
      options.limits.evaluations = 400;
      const NetworkOutcome outcome = map_network(network, arch, options);
      ASSERT_TRUE(outcome.whole.has_value());
      EXPECT_FALSE(outcome.whole->proven);
      EXPECT_LE(best, total_of(outcome).edp() * (1 + 1e-12)) << i;
      EXPECT_LE(total_of(outcome).edp(), outcome.whole->each_layer.edp()) << i;
    }
  }
}

TEST(NetworkEdp, BoundsHoldWhereMappingsAreNotProven) {
  TestRng rng(8);
  for (int i = 0; i < testing::affordable(10); ++i) {
    const Architecture arch = random_arch(rng);
    const Network network = random_network(rng);
    const double best = total_of(map_network(network, arch, {})).edp();
    MapOptions options;
    options.limits.gap = 0.5;
    const NetworkOutcome outcome = map_network(network, arch, options);
    EXPECT_LE(outcome.whole->bound, best * (1 + 1e-12)) << i;
    EXPECT_NEAR(total_of(outcome).edp() / outcome.whole->bound - 1, outcome.whole->gap, 1e-7);
  }
}

// A layer's own proof speaks of its own EDP, also where the network wants another mapping.
TEST(NetworkEdp, LayersKeepTheBoundsOfTheirOwnEdp) {
  TestRng rng(5);
  for (int i = 0; i < testing::affordable(30); ++i) {
    const Architecture arch = random_arch(rng);
    const Network network = random_network(rng);
    MapOptions each;
    each.each_layer = true;
    const NetworkOutcome apart = map_network(network, arch, each);
    const NetworkOutcome whole = map_network(network, arch, {});
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
      const Proof& proof = *whole.of(l).proof;
      const double best = apart.of(l).search.score.edp();
      EXPECT_NEAR(proof.bound / best, 1, 1e-11) << i;
      const bool own = whole.of(l).search.score.edp() <= best * (1 + 1e-12);
      EXPECT_EQ(proof.status == Proof::Status::Proven, own) << i;
    }
  }
}

TEST(NetworkEdp, OfNothingButCyclesIsProven) {
  TestRng rng(10);
  Architecture arch = random_arch(rng);
  for (Level& level : arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) {
      memory->read_pj = memory->write_pj = memory->update_pj = memory->leakage_pj_per_cycle = 0;
    } else if (auto* fanout = std::get_if<Fanout>(&level)) {
      fanout->word_pj = 0;
    } else {
      std::get<Compute>(level).mac_pj = 0;
    }
  }
  const Network network = random_network(rng);
  const NetworkOutcome outcome = map_network(network, arch, {});
  EXPECT_TRUE(outcome.whole->proven);
  MapOptions fastest;
  fastest.objective = Objective::Latency;
  EXPECT_EQ(total_of(outcome).cycles, total_of(map_network(network, arch, fastest)).cycles);
}

TEST(NetworkEdp, IsLeftAloneWhereItIsNotAskedFor) {
  TestRng rng(9);
  const Architecture arch = random_arch(rng);
  const Network network = random_network(rng);
  MapOptions options;
  options.each_layer = true;
  EXPECT_FALSE(map_network(network, arch, options).whole.has_value());
  options = {};
  options.objective = Objective::Energy;
  EXPECT_FALSE(map_network(network, arch, options).whole.has_value());
}

}  // namespace
}  // namespace tilewright
