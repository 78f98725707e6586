// The checker's own counter against the oracle, which executes the mapping.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificate/count.h"
#include "oracle/oracle.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/uneven_case.h"

namespace tilewright::certificate {
namespace {

using testing::affordable;
using testing::describe;
using testing::RandomCase;
using testing::RandomOptions;
using testing::TestRng;

std::string words_text(const oracle::Words& words) {
  return fmt::format("{}/{}/{} ", words.reads, words.fills, words.updates);
}
std::string words_text(const PortWords& words) {
  return fmt::format("{}/{}/{} ", words.reads, words.fills, words.updates);
}

std::string counted(const Problem& problem, const Counter& counter) {
  std::string text;
  for (const MemoryCount& memory : counter.memories()) {
    text += fmt::format("x{} ", memory.instances);
    for (const PortWords& words : memory.total) text += words_text(words);
    text += words_text(memory.first);
  }
  std::size_t f = 0;
  for (const Level& level : problem.arch().levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout != nullptr && fanout->word_pj != 0) {
      text += fmt::format(" {}", counter.fanout_words()[f]);
    }
    f += fanout != nullptr ? 1U : 0U;
  }
  return text;
}

std::string executed(const Problem& problem, const oracle::Counts& counts) {
  std::string text;
  for (const oracle::MemoryCounts& memory : counts.memories) {
    text += fmt::format("x{} ", memory.instances);
    for (const oracle::TensorCounts& tensor : memory.tensors) text += words_text(tensor.total);
    text += words_text(memory.first);
  }
  std::size_t f = 0;
  for (const Level& level : problem.arch().levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout != nullptr && fanout->word_pj != 0) {
      std::int64_t sum = 0;
      for (const std::int64_t words : counts.fanout_words[f]) sum += words;
      text += fmt::format(" {}", sum);
    }
    f += fanout != nullptr ? 1U : 0U;
  }
  return text;
}

void compare_with_oracle(const RandomCase& random) {
  const Terms terms(random.problem);
  const Counter counter(terms, random.mapping);
  const oracle::Counts truth = oracle::execute(random.problem, random.mapping);
  ASSERT_EQ(counted(random.problem, counter), executed(random.problem, truth)) << describe(random);
}

void compare_many(std::uint64_t seed, int cases, const RandomOptions& options) {
  TestRng rng(seed);
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE(fmt::format("case {}", i));
    compare_with_oracle(testing::random_case(rng, options));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Counter, CountsWhatTheOracleExecutes) {
  compare_many(41, affordable(2000), {.imperfect = true, .largest_volume = 300});
}

TEST(Counter, CountsPerfectFactorsAsTheOracleDoes) {
  compare_many(42, affordable(500), {.imperfect = false, .largest_volume = 300});
}

TEST(Counter, CountsBoxesAsTheOracleDoes) {
  compare_many(43, affordable(500), {.accounting = Accounting::Timeloop, .largest_volume = 200});
}

// Storage points share the room and the ports of their memory, as the model has them.
void compare_uneven(std::uint64_t seed, int cases, const RandomOptions& options) {
  TestRng rng(seed);
  int overflowing = 0;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE(fmt::format("case {}", i));
    RandomCase random = testing::random_uneven_case(rng, options);
    compare_with_oracle(random);
    if (::testing::Test::HasFatalFailure()) return;
    Architecture arch = random.problem.arch();
    const std::int64_t words = rng.between(4, 60);
    for (Level& level : arch.levels) {
      auto* memory = std::get_if<Memory>(&level);
      if (memory != nullptr && memory->partitions.empty()) {
        memory->capacity = {Capacity::Unit::Words, words};
      }
    }
    random.problem = testing::make_problem(random.problem.workload(), arch);
    const Terms terms(random.problem);
    const Counter counter(terms, random.mapping);
    const Score score = testing::make_evaluator(random.problem).score(random.mapping);
    EXPECT_EQ(counter.overflows().empty(), score.verdict.fits()) << describe(random);
    const Nest nest(random.problem, random.mapping);
    EXPECT_EQ(Held(terms, nest).fits(), score.verdict.fits()) << describe(random);
    overflowing += score.verdict.fits() ? 0 : 1;
    if (!score.verdict.fits()) continue;
    EXPECT_EQ(counter.cost().cycles, score.cycles) << describe(random);
    EXPECT_EQ(Counter(terms, random.mapping, PortsCounted::Waited).cost(), counter.cost())
        << describe(random);
    EXPECT_EQ(counter.cost().instances, score.instances) << describe(random);
  }
  EXPECT_GT(overflowing, cases / 10);
  if (!testing::slow_build()) EXPECT_LT(overflowing, cases);
}

TEST(Counter, CountsStoragePointsAsTheOracleDoes) {
  compare_uneven(44, affordable(600), {.imperfect = true, .largest_volume = 300});
  compare_uneven(45, affordable(200), {.accounting = Accounting::Timeloop, .largest_volume = 200});
}

}  // namespace
}  // namespace tilewright::certificate
