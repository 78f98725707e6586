// Problems whose counts need more than 64 bits.
#include <gtest/gtest.h>

#include <numeric>

#include "model/open_orders.h"
#include "model/scorer.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "support/systolic.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

const int kCases = slow_build() ? 60 : 600;

struct Shard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
  bool systolic = false;
};

class RandomMappings : public ::testing::TestWithParam<Shard> {};

void expect_same(const Evaluation& wide, const Evaluation& narrow, const std::string& what) {
  EXPECT_EQ(wide.score, narrow.score) << what;
  EXPECT_EQ(wide.tensor_words, narrow.tensor_words) << what;
  EXPECT_EQ(wide.compute_cycles, narrow.compute_cycles) << what;
  EXPECT_EQ(wide.stationary_changes, narrow.stationary_changes) << what;
  ASSERT_EQ(wide.memories.size(), narrow.memories.size());
  for (std::size_t m = 0; m < wide.memories.size(); ++m) {
    EXPECT_EQ(wide.memories[m].cycles(), narrow.memories[m].cycles()) << what;
    for (std::size_t t = 0; t < wide.memories[m].tensors.size(); ++t) {
      const Holding& a = wide.memories[m].tensors[t];
      const Holding& b = narrow.memories[m].tensors[t];
      EXPECT_EQ(a.total, b.total) << what;
      EXPECT_EQ(a.busiest, b.busiest) << what;
      EXPECT_EQ(a.tile_words, b.tile_words) << what;
      EXPECT_EQ(a.reductions, b.reductions) << what;
    }
  }
  for (std::size_t f = 0; f < wide.fanouts.size(); ++f) {
    EXPECT_EQ(wide.fanouts[f].words, narrow.fanouts[f].words) << what;
  }
}

// The two instances of the model are one source; here they are held to give one answer.
TEST_P(RandomMappings, CostTheSameInBothWidths) {
  const Shard& shard = GetParam();
  int fitting = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(shard.seed + static_cast<std::uint64_t>(i));
    RandomCase random = random_case(rng, shard.options);
    if (shard.systolic) random = make_systolic(rng, random).value_or(random);
    const Evaluator narrow = make_evaluator(random.problem);
    const Evaluator wide = in_wide_counts(narrow);
    const Score score = narrow.score(random.mapping);
    ASSERT_EQ(wide.score(random.mapping), score) << describe(random);
    ASSERT_EQ(Scorer(wide).score(random.mapping), score) << describe(random);
    ASSERT_EQ(wide.violations(random.mapping), narrow.violations(random.mapping));
    expect_same(wide.evaluate(random.mapping), narrow.evaluate(random.mapping), describe(random));
    OpenOrders in_wide(wide);
    OpenOrders in_narrow(narrow);
    in_wide.lay_out(random.mapping);
    in_narrow.lay_out(random.mapping);
    ASSERT_EQ(in_wide.score(in_wide.fixed()), in_narrow.score(in_narrow.fixed()));
    fitting += score.verdict.fits() ? 1 : 0;
  }
  EXPECT_GT(fitting, kCases / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Shards, RandomMappings,
    ::testing::Values(
        Shard{"perfect", 31'000'000, {.imperfect = false, .largest_volume = 50'000}},
        Shard{"remainders", 32'000'000, {.largest_volume = 50'000}},
        Shard{"systolic", 33'000'000, {.imperfect = false}, true},
        Shard{"timeloop",
              34'000'000,
              {.imperfect = false, .accounting = Accounting::Timeloop, .largest_volume = 50'000}}),
    [](const auto& shard) { return std::string(shard.param.name); });

Workload large(const std::string& line) { return *io::read_workload_line(line, "test").value; }

// All of it in time at the outermost memory, but for up to 2^5 of each dimension at the next.
Mapping mostly_outside(const Problem& problem) {
  Mapping mapping(problem);
  for (int d = 0; d < problem.dim_count(); ++d) {
    const std::int64_t size = problem.workload().dim(DimId{d}).size;
    const std::int64_t inside = std::gcd(size, std::int64_t{32});
    mapping.set_bound(problem.use(MemoryId{0}).slot, DimId{d}, size / inside);
    mapping.set_bound(problem.use(MemoryId{1}).slot, DimId{d}, inside);
  }
  return mapping;
}

Architecture two_memories() {
  return make_arch({make_memory("far"), make_memory("near", 1 << 20)});
}

// Twice as many iterations of the outermost loop move twice as much, exactly.
TEST(WideCounts, DoubleWithTheOutermostLoop) {
  Evaluation before;
  for (int bits = 20; bits <= 33; ++bits) {
    const std::int64_t m = std::int64_t{1} << bits;
    const Problem problem = make_problem(
        large("gemm: m=" + std::to_string(m) + " n=8589934592 k=8589934592"), two_memories());
    Mapping mapping = mostly_outside(problem);
    mapping.set_order(MemoryId{0}, {DimId{0}, DimId{1}, DimId{2}});
    const Evaluation now = make_evaluator(problem).evaluate(mapping);
    EXPECT_TRUE(now.score.verdict.fits());
    EXPECT_EQ(now.macs, Int128{1} << (bits + 66));
    if (bits > 20) {
      EXPECT_EQ(now.score.cycles, 2 * before.score.cycles);
      for (std::size_t t = 0; t < 3; ++t) {
        EXPECT_EQ(now.memories[0].tensors[t].total.reads,
                  2 * before.memories[0].tensors[t].total.reads);
        EXPECT_EQ(now.memories[1].tensors[t].total.fills,
                  2 * before.memories[1].tensors[t].total.fills);
      }
      EXPECT_DOUBLE_EQ(now.score.energy_pj, 2 * before.score.energy_pj);
    }
    before = now;
  }
}

TEST(WideCounts, CountWholeTensorsExactly) {
  const Problem problem =
      make_problem(large("gemm: m=5000000000 n=7000000001 k=3"), two_memories());
  const Evaluation evaluation = make_evaluator(problem).evaluate(mostly_outside(problem));
  EXPECT_EQ(evaluation.macs, Int128{5000000000} * 7000000001 * 3);
  EXPECT_EQ(evaluation.tensor_words.back(), Int128{5000000000} * 7000000001);
}

// A tile of 2^66 words is no small one.
TEST(WideCounts, DoNotFitWhereTheyWouldWrapRound) {
  const Problem problem =
      make_problem(large("gemm: m=8589934592 n=8589934592 k=1"), two_memories());
  Mapping mapping(problem);
  for (int d = 0; d < problem.dim_count(); ++d) {
    mapping.set_bound(problem.use(MemoryId{1}).slot, DimId{d},
                      problem.workload().dim(DimId{d}).size);
  }
  const Score score = make_evaluator(problem).score(mapping);
  EXPECT_EQ(score.verdict.kind, Verdict::Kind::CapacityExceeded);
  EXPECT_EQ(score.verdict.needed, kCountLimit);
}

}  // namespace
}  // namespace tilewright::testing
