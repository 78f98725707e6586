#include "model/open_orders.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/allocations.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "support/systolic.h"

namespace tilewright::testing {
namespace {

const int kCases = slow_build() ? 60 : 800;

// What the mapping's own orders say of every link that was left open.
OpenOrders::Totals add_up(const OpenOrders& open, const Mapping& mapping) {
  OpenOrders::Totals totals = open.fixed();
  for (int m = 0; m < mapping.memory_count(); ++m) {
    const MemoryId memory{m};
    const int slot = open.problem().use(memory).slot;
    for (const OpenOrders::Link& link : open.links(memory)) {
      std::uint32_t inside = 0;
      int place = mapping.dim_count() - 1;
      while (((link.movers >> mapping.order(memory)[place]) & 1U) == 0) {
        const DimId dim{mapping.order(memory)[place--]};
        if (mapping.bound(slot, dim) > 1) inside |= 1U << index_of(dim);
      }
      open.add(memory, link, DimId{mapping.order(memory)[place]}, inside, totals);
    }
  }
  return totals;
}

std::string difference(const Score& sum, const Score& truth) {
  if (sum.cycles != truth.cycles) {
    return fmt::format("{} cycles, {} in truth", sum.cycles, truth.cycles);
  }
  if (std::abs(sum.energy_pj - truth.energy_pj) > 1e-12 * truth.energy_pj) {
    return std::to_string(sum.energy_pj) + " pJ, " + std::to_string(truth.energy_pj) + " in truth";
  }
  return "";
}

struct Shard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
  bool systolic = false;
};

class OpenOrdersOfRandomMappings : public ::testing::TestWithParam<Shard> {};

TEST_P(OpenOrdersOfRandomMappings, AddUpToTheScore) {
  std::size_t links = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(GetParam().seed + static_cast<std::uint64_t>(i));
    RandomCase random = random_case(rng, GetParam().options);
    if (GetParam().systolic) random = make_systolic(rng, random).value_or(random);
    const Evaluator evaluator = make_evaluator(random.problem);
    OpenOrders open(evaluator);
    open.lay_out(random.mapping);
    // The orders may change after the rest was laid out.
    for (int again = 0; again < 3; ++again) {
      const Score sum = open.score(add_up(open, random.mapping));
      ASSERT_EQ(difference(sum, evaluator.score(random.mapping)), "")
          << "case " << i << ": " << describe(random);
      ASSERT_LE(open.compute_cycles(), sum.cycles);
      for (int m = 0; m < random.problem.memory_count(); ++m) {
        links += open.links(MemoryId{m}).size();
        random.mapping.set_order(MemoryId{m}, random_order(rng, random.problem.dim_count()));
      }
    }
  }
  EXPECT_GT(links, static_cast<std::size_t>(kCases));
}

INSTANTIATE_TEST_SUITE_P(
    Shards, OpenOrdersOfRandomMappings,
    ::testing::Values(Shard{"perfect", 11'000'000, {.imperfect = false, .largest_volume = 50'000}},
                      Shard{"remainders", 12'000'000, {.largest_volume = 50'000}},
                      Shard{"systolic", 15'000'000, {.largest_volume = 50'000}, true},
                      Shard{"largest_tables", 13'000'000, {.largest_tables = true}},
                      Shard{"timeloop",
                            14'000'000,
                            {.accounting = Accounting::Timeloop, .largest_volume = 50'000}}),
    [](const auto& shard) { return std::string(shard.param.name); });

// One memory's loops may move a tensor at every memory inside. Shared halos are counted in lists.
TEST(OpenOrders, AllocatesNothingOnceItIsMade) {
  for (const bool largest : {false, true}) {
    TestRng rng(7);
    for (int i = 0; i < 100; ++i) {
      RandomCase random = random_case(rng, {.largest_tables = largest, .halos = 0});
      const Evaluator evaluator = make_evaluator(random.problem);
      OpenOrders open(evaluator);
      const long before = allocation_count();
      open.lay_out(random.mapping);
      const Score score = open.score(add_up(open, random.mapping));
      EXPECT_EQ(allocation_count(), before) << describe(random);
      EXPECT_GT(score.cycles, 0);
    }
  }
}

TEST(OpenOrders, ForgetsTheMappingBefore) {
  TestRng rng(8);
  for (int i = 0; i < 50; ++i) {
    const RandomCase random = random_case(rng, {});
    const Evaluator evaluator = make_evaluator(random.problem);
    // Everything in the outermost memory's loops.
    Mapping plain(random.problem);
    for (int d = 0; d < random.problem.dim_count(); ++d) {
      plain.set_bound(0, DimId{d}, random.problem.workload().dim(DimId{d}).size);
    }
    OpenOrders open(evaluator);
    open.lay_out(random.mapping);
    open.lay_out(plain);
    EXPECT_EQ(difference(open.score(add_up(open, plain)), evaluator.score(plain)), "");
  }
}

// A GEMM whose outer loops are M and K: what the buffer gets of W they both
// move, of I and O one each.
TEST(OpenOrders, LeavesALinkOpenWhereTheOrderMatters) {
  const Problem problem =
      make_problem(make_gemm("g", 4, 1, 4), make_arch({make_memory("dram"), make_memory("buf")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"M", 2}, {"K", 4}});
  set_loops(problem, mapping, "buf", {{"M", 2}});
  OpenOrders open(make_evaluator(problem));
  open.lay_out(mapping);
  const auto links = open.links(MemoryId{0});
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].tensor, problem.workload().find_tensor("I"));
  EXPECT_EQ(links[0].movers, 1U << index_of(*problem.workload().find_dim("K")));
  EXPECT_EQ(links[1].tensor, problem.workload().find_tensor("O"));
  EXPECT_EQ(links[1].movers, 1U << index_of(*problem.workload().find_dim("M")));
  for (const OpenOrders::Link& link : links) {
    EXPECT_EQ(link.parent, MemoryId{0});
    EXPECT_EQ(link.child, MemoryId{1});
    EXPECT_EQ(link.sliding, 0U);
  }
  EXPECT_TRUE(open.links(MemoryId{1}).empty());
}

}  // namespace
}  // namespace tilewright::testing
