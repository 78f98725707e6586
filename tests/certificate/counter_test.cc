// The checker's own counter against the oracle, which executes the mapping.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificate/count.h"
#include "oracle/oracle.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

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

void compare_many(std::uint64_t seed, int cases, const RandomOptions& options) {
  TestRng rng(seed);
  for (int i = 0; i < cases; ++i) {
    const RandomCase random = testing::random_case(rng, options);
    const Terms terms(random.problem);
    const Counter counter(terms, random.mapping);
    const oracle::Counts truth = oracle::execute(random.problem, random.mapping);
    ASSERT_EQ(counted(random.problem, counter), executed(random.problem, truth))
        << "case " << i << "\n"
        << describe(random);
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

}  // namespace
}  // namespace tilewright::certificate
