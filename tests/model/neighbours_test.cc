#include "model/neighbours.h"

#include <gtest/gtest.h>

#include "support/allocations.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "support/small_instance.h"
#include "support/systolic.h"

namespace tilewright::testing {
namespace {

const int kCases = slow_build() ? 60 : 1000;

// Settles what a memory's order in a mapping says; gives how much there was to settle.
std::size_t settle_order(Neighbours& orders, const Mapping& mapping, MemoryId memory) {
  for (const Neighbours::Choice& choice : orders.choices(memory)) {
    std::uint32_t inside = 0;
    int place = mapping.dim_count() - 1;
    for (; ((choice.movers >> mapping.order(memory)[place]) & 1U) == 0; --place) {
      inside |= orders.loops(memory) & (1U << mapping.order(memory)[place]);
    }
    orders.settle(memory, choice, DimId{mapping.order(memory)[place]}, inside);
  }
  return orders.choices(memory).size();
}

struct Shard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
  bool systolic = false;
};

class OrdersOfRandomMappings : public ::testing::TestWithParam<Shard> {};

// Windows, strides, bypass, blocks, ports, networks, fan-outs that share or do not: to the last
// digit, in whatever orders the memories were before.
TEST_P(OrdersOfRandomMappings, HaveTheScoresOfTheEvaluator) {
  const Shard& shard = GetParam();
  std::size_t choices = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(shard.seed + static_cast<std::uint64_t>(i));
    RandomCase random = random_case(rng, shard.options);
    if (shard.systolic) random = make_systolic(rng, random).value_or(random);
    const Evaluator evaluator = make_evaluator(random.problem);
    Neighbours orders(evaluator);
    for (int again = 0; again < 3; ++again) {
      Mapping other = random.mapping;
      ASSERT_EQ(orders.score(random.mapping), evaluator.score(random.mapping)) << describe(random);
      for (int change = 0; change < 6; ++change) {
        const MemoryId memory{static_cast<int>(rng.between(0, other.memory_count() - 1))};
        other.set_order(memory, random_order(rng, other.dim_count()));
        const std::size_t settled = settle_order(orders, other, memory);
        choices += settled;
        const Score expected = evaluator.score(other);
        if (!expected.verdict.fits()) {
          ASSERT_EQ(settled, 0U);
          break;
        }
        ASSERT_EQ(orders.score_settled(), expected) << "case " << i << ": " << describe(random);
      }
      random.mapping = random_mapping(rng, random.problem, shard.options.imperfect && again != 1);
    }
  }
  EXPECT_GT(choices, static_cast<std::size_t>(kCases));
}

INSTANTIATE_TEST_SUITE_P(
    Shards, OrdersOfRandomMappings,
    ::testing::Values(
        Shard{"perfect", 31'000'000, {.imperfect = false, .largest_volume = 50'000}},
        Shard{"remainders", 32'000'000, {.largest_volume = 50'000}},
        Shard{"systolic", 33'000'000, {.largest_volume = 50'000}, true},
        Shard{"largest_tables", 34'000'000, {.largest_volume = 5'000, .largest_tables = true}},
        Shard{"timeloop",
              35'000'000,
              {.imperfect = false, .accounting = Accounting::Timeloop, .largest_volume = 50'000}}),
    [](const auto& shard) { return std::string(shard.param.name); });

// Where all moves of prime factors lead.
struct Moved {
  int scored = 0, misfits = 0, none_lower = 0;
};

// What is left unscored is no better in any way, and what is scored has its score.
void check_lower(Neighbours& neighbours, const Neighbours::Move& move, const Score& before,
                 const Score& expected, Moved& moved) {
  using Tried = Neighbours::Tried;
  Score score;
  const Tried tried = neighbours.score_lower(move, score);
  ASSERT_EQ(tried != Tried::Misfit, expected.verdict.fits());
  if (tried == Tried::Scored) {
    ASSERT_EQ(score, expected);
  }
  if (tried != Tried::NoneLower) return;
  ++moved.none_lower;
  ASSERT_GE(expected.energy_pj, before.energy_pj);
  ASSERT_GE(expected.cycles, before.cycles);
  ASSERT_EQ(expected.instances, before.instances);
}

void check_moves(const Evaluator& evaluator, Neighbours& neighbours, const Mapping& mapping,
                 Moved& moved) {
  const Problem& problem = evaluator.problem();
  const Score before = evaluator.score(mapping);
  const std::uint32_t dims = neighbours.start_moves(mapping);
  for (int d = 0; d < problem.dim_count(); ++d) {
    for (int from = 0; from < problem.memory_count(); ++from) {
      for (int to = 0; to < problem.memory_count(); ++to) {
        const int source = problem.use(MemoryId{from}).slot;
        const int target = problem.use(MemoryId{to}).slot;
        const std::int64_t bound = mapping.bound(source, DimId{d});
        std::int64_t prime = 2;
        while (bound % prime != 0 && prime < bound) ++prime;
        if (((dims >> d) & 1U) == 0 || bound == 1 || to == from) continue;
        Mapping other = mapping;
        other.set_bound(source, DimId{d}, bound / prime);
        other.set_bound(target, DimId{d}, other.bound(target, DimId{d}) * prime);
        const Score expected = evaluator.score(other);
        const Neighbours::Move move{DimId{d}, prime, MemoryId{from}, MemoryId{to}};
        Score score;
        ASSERT_EQ(neighbours.score_moved(move, score), expected.verdict.fits());
        ASSERT_NO_FATAL_FAILURE(check_lower(neighbours, move, before, expected, moved));
        ++(expected.verdict.fits() ? moved.scored : moved.misfits);
        if (expected.verdict.fits()) {
          ASSERT_EQ(score, expected);
        }
      }
    }
  }
}

class MovesOfRandomMappings : public ::testing::TestWithParam<Shard> {};

TEST_P(MovesOfRandomMappings, HaveTheScoresOfTheEvaluator) {
  const Shard& shard = GetParam();
  Moved moved;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(shard.seed + static_cast<std::uint64_t>(i));
    const RandomCase random = random_case(rng, shard.options);
    const Evaluator evaluator = make_evaluator(random.problem);
    Neighbours neighbours(evaluator);
    if (!neighbours.score(random.mapping).verdict.fits()) continue;
    // Factors move in whatever orders were settled before, and leave them as they were.
    Mapping other = random.mapping;
    for (int again = 0; again < 2; ++again) {
      const Score before = neighbours.score_settled();
      check_moves(evaluator, neighbours, other, moved);
      if (HasFatalFailure()) FAIL() << "case " << i << ": " << describe(random);
      ASSERT_EQ(neighbours.score_settled(), before);
      for (int m = 0; m < random.problem.memory_count(); ++m) {
        other.set_order(MemoryId{m}, random_order(rng, random.problem.dim_count()));
        settle_order(neighbours, other, MemoryId{m});
      }
    }
  }
  EXPECT_GT(moved.scored, 2 * kCases);
  EXPECT_GT(moved.none_lower, kCases / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Shards, MovesOfRandomMappings,
    ::testing::Values(
        Shard{"perfect", 41'000'000, {.imperfect = false, .largest_volume = 50'000}},
        Shard{"largest_tables",
              42'000'000,
              {.imperfect = false, .largest_volume = 5'000, .largest_tables = true}},
        Shard{"timeloop",
              43'000'000,
              {.imperfect = false, .accounting = Accounting::Timeloop, .largest_volume = 50'000}}),
    [](const auto& shard) { return std::string(shard.param.name); });

// Small memories, with partitions and homes.
TEST(Neighbours, DoNotFitWhereTheEvaluatorFindsNoRoom) {
  Moved moved;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(300)); ++seed) {
    const SmallInstance instance = small_instance(seed, {.kind = SpaceKind::Perfect});
    const MadeSpace space =
        MapSpace::create(instance.problem, SpaceKind::Perfect, restrictions_of(instance));
    if (!space.ok()) continue;
    const Evaluator evaluator = make_evaluator(instance.problem);
    Neighbours neighbours(evaluator);
    Sampler sampler(*space.value);
    Rng rng(seed);
    for (int i = 0; i < 10; ++i) {
      const Mapping mapping = sampler.draw(rng);
      if (!neighbours.score(mapping).verdict.fits()) continue;
      check_moves(evaluator, neighbours, mapping, moved);
      if (HasFatalFailure()) FAIL() << "seed " << seed << "\n" << text_of(instance);
    }
  }
  EXPECT_GT(moved.scored, enough(300));
  EXPECT_GT(moved.misfits, enough(100));
}

TEST(Neighbours, OfRemaindersHaveNoFactorsToMove) {
  const Problem problem =
      make_problem(make_gemm("g", 5, 4, 4), make_arch({make_memory("dram"), make_memory("buf")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"M", 2}, {"N", 4}, {"K", 4}});
  set_loops(problem, mapping, "buf", {{"M", 3}});
  Neighbours neighbours(make_evaluator(problem));
  ASSERT_TRUE(neighbours.score(mapping).verdict.fits());
  EXPECT_EQ(neighbours.start_moves(mapping), 0U);
}

TEST(Neighbours, AllocateNothingOnceTheyAreMade) {
  TestRng rng(9);
  int moves = 0;
  for (int i = 0; i < 100; ++i) {
    const RandomCase random = random_case(rng, {.imperfect = false, .halos = 0});
    const int memories = random.problem.memory_count();
    Neighbours neighbours(make_evaluator(random.problem));
    const long before = allocation_count();
    const Score score = neighbours.score(random.mapping);
    for (int m = 0; m < memories; ++m) settle_order(neighbours, random.mapping, MemoryId{m});
    if (score.verdict.fits()) {
      EXPECT_EQ(neighbours.score_settled(), score) << describe(random);
      const std::uint32_t dims = neighbours.start_moves(random.mapping);
      const int slot = random.problem.use(MemoryId{memories - 1}).slot;
      const std::int64_t bound = random.mapping.bound(slot, DimId{0});
      if ((dims & 1U) != 0 && bound > 1 && memories > 1) {
        Score moved;
        moves += neighbours.score_moved({{}, bound, MemoryId{memories - 1}, {}}, moved) ? 1 : 0;
      }
    }
    EXPECT_EQ(allocation_count(), before) << describe(random);
  }
  EXPECT_GT(moves, 5);
}

}  // namespace
}  // namespace tilewright::testing
