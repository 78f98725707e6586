#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "mappers/sampling/small_search.h"
#include "support/naive_space.h"

namespace tilewright {
namespace {

using ::testing::IsEmpty;
using testing::make_space;
using testing::same_result;
using ::testing::SizeIs;
using Stop = SearchResult::Stop;

// Kind of verdict, level, tensor and axis.
using Reason = std::tuple<int, int, int, int>;
Reason reason_of(const Verdict& verdict) {
  return {static_cast<int>(verdict.kind), index_of(verdict.level), index_of(verdict.tensor),
          static_cast<int>(verdict.axis)};
}

// A space gone through by index.
struct BruteForce {
  std::optional<Score> best;
  std::uint64_t seen = 0, valid = 0;
  std::map<Reason, std::uint64_t> counts;
  std::map<Reason, double> closest;  // needed over available

  BruteForce(const Evaluator& evaluator, const MapSpace& space, Objective objective) {
    for (BigUint i; i < space.size(); i += 1) {
      const Score score = evaluator.score(space.at(i));
      ++seen;
      if (score.verdict.fits()) {
        ++valid;
        if (!best || is_better(objective, score, *best)) best = score;
        continue;
      }
      const Reason reason = reason_of(score.verdict);
      const double share =
          static_cast<double>(score.verdict.needed) / static_cast<double>(score.verdict.available);
      ++counts[reason];
      const auto [known, added] = closest.try_emplace(reason, share);
      if (!added) known->second = std::min(known->second, share);
    }
  }
};

void expect_equal(const SearchResult& result, const BruteForce& naive, const Evaluator& evaluator) {
  EXPECT_EQ(result.stop, Stop::Complete);
  EXPECT_EQ(result.seen, naive.seen);
  EXPECT_EQ(result.valid, naive.valid);
  ASSERT_EQ(result.best.has_value(), naive.best.has_value());
  if (naive.best) {
    EXPECT_EQ(result.score, *naive.best);
    EXPECT_EQ(evaluator.score(*result.best), *naive.best);
  }
  EXPECT_THAT(result.failures, SizeIs(naive.counts.size()));
  std::uint64_t failed = 0;
  for (const Failure& failure : result.failures) {
    const Reason reason = reason_of(failure.closest);
    failed += failure.count;
    EXPECT_EQ(failure.count, naive.counts.at(reason));
    EXPECT_EQ(static_cast<double>(failure.closest.needed) /
                  static_cast<double>(failure.closest.available),
              naive.closest.at(reason));
    EXPECT_EQ(evaluator.score(failure.mapping).verdict, failure.closest);
  }
  EXPECT_EQ(result.valid + failed, result.seen);
}

TEST(ExhaustiveSearch, IsScoringEveryMapping) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    const Problem problem = testing::tight_problem(4, 3, kind == SpaceKind::Ruby ? 2 : 4, 9);
    const MapSpace space = make_space(problem, kind);
    ASSERT_LT(space.size(), BigUint(200'000));
    const Evaluator evaluator = testing::make_evaluator(problem);
    for (const Objective objective : {Objective::Edp, Objective::Latency}) {
      const BruteForce naive(evaluator, space, objective);
      EXPECT_GT(naive.valid, 0U);
      EXPECT_GT(naive.counts.size(), 1U);
      SamplingOptions options;
      options.objective = objective;
      const SearchResult alone = search(evaluator, *exhaustive_strategy(space), options);
      expect_equal(alone, naive, evaluator);
      for (const int threads : {2, 5}) {
        options.threads = threads;
        EXPECT_TRUE(same_result(alone, search(evaluator, *exhaustive_strategy(space), options)));
      }
    }
  }
}

// Mappings that fail are passed over with all their loop orders.
TEST(ExhaustiveSearch, IsScoringEveryMappingOfRandomSpaces) {
  testing::TestRng rng(301);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    Architecture arch = small.problem.arch();
    for (Level& level : arch.levels) {
      auto* memory = std::get_if<Memory>(&level);
      if (memory == nullptr || memory->name == "Outer") continue;
      memory->capacity = {Capacity::Unit::Words, rng.between(3, 12)};
    }
    const Problem problem = testing::make_problem(small.problem.workload(), arch);
    const auto restrictions = Restrictions::create(problem, small.constraints);
    const auto space = MapSpace::create(problem, SpaceKind::Ruby, *restrictions.value);
    if (!space.ok() || space.value->size() > BigUint(10'000)) continue;
    const Evaluator evaluator = testing::make_evaluator(problem);
    const BruteForce naive(evaluator, *space.value, Objective::Edp);
    expect_equal(search(evaluator, *exhaustive_strategy(*space.value), {}), naive, evaluator);
    compared += naive.valid < naive.seen ? 1 : 0;
  }
  EXPECT_GT(compared, 10);
}

TEST(ExhaustiveSearch, SeesExactlyAsManyAsWereAllowed) {
  const Problem problem = testing::tight_problem(4, 3, 4, 9);
  const MapSpace space = make_space(problem, SpaceKind::Perfect);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const std::uint64_t size = *space.size().small();
  SamplingOptions options;
  for (const std::uint64_t count : {std::uint64_t{100}, std::uint64_t{5000}, size, size + 1}) {
    options.evaluations = count;
    const SearchResult result = search(evaluator, *exhaustive_strategy(space), options);
    EXPECT_EQ(result.seen, std::min(count, size));
    EXPECT_EQ(result.stop, count < size ? Stop::Evaluations : Stop::Complete);
  }
}

TEST(ExhaustiveSearch, IsNeverHopeless) {
  const Problem problem = testing::tight_problem(4, 4, 4, 1);
  const MapSpace space = make_space(problem, SpaceKind::Perfect);
  SamplingOptions options;
  options.hopeless = 1;
  const SearchResult result =
      search(testing::make_evaluator(problem), *exhaustive_strategy(space), options);
  EXPECT_EQ(result.stop, Stop::Complete);
  EXPECT_EQ(result.seen, *space.size().small());
  EXPECT_FALSE(result.best);
}

// --- what is recorded -----------------------------------------------------------

TEST(Search, OfEquallyGoodMappingsTheFirstIsKept) {
  const Problem problem = testing::tight_problem(2, 2, 1, 100);
  Mapping first(problem);
  testing::set_loops(problem, first, "Outer", {{"M", 2}, {"N", 2}});
  Mapping twin(problem);
  testing::set_loops(problem, twin, "Outer", {{"M", 2}, {"N", 2}});
  // The order of loops of bound 1 changes nothing but the mapping's value.
  twin.set_order(MemoryId{2}, {DimId{2}, DimId{1}, DimId{0}});
  ASSERT_NE(first, twin);
  const Evaluator evaluator = testing::make_evaluator(problem);
  for (const int threads : {1, 3}) {
    SamplingOptions options;
    options.threads = threads;
    const SearchResult result =
        search(evaluator, testing::ListStrategy({first, twin, twin, first, twin}), options);
    EXPECT_EQ(result.best, first);
    EXPECT_THAT(result.steps, SizeIs(1));
    EXPECT_EQ(result.seen, 5U);
  }
}

TEST(Search, FailuresComeMostFrequentFirst) {
  const Problem problem = testing::tight_problem(4, 3, 4, 9);
  const MapSpace space = make_space(problem, SpaceKind::Perfect);
  const SearchResult result =
      search(testing::make_evaluator(problem), *exhaustive_strategy(space), {});
  ASSERT_GT(result.failures.size(), 1U);
  for (std::size_t i = 1; i < result.failures.size(); ++i) {
    EXPECT_GE(result.failures[i - 1].count, result.failures[i].count);
  }
}

TEST(Recorder, KeepsOnlyWhatBeatsWhatWasKnown) {
  const Problem problem = testing::tight_problem(2, 2, 1, 100);
  const Evaluator evaluator = testing::make_evaluator(problem);
  Mapping mapping(problem);
  testing::set_loops(problem, mapping, "Outer", {{"M", 2}, {"N", 2}});
  const Score score = evaluator.score(mapping);
  Scorer scorer(evaluator);
  Recorder strict(scorer, Objective::Edp, score);
  EXPECT_TRUE(strict.note(mapping));
  EXPECT_THAT(strict.improvements(), IsEmpty());
  EXPECT_EQ(strict.valid(), 1U);
  Recorder fresh(scorer, Objective::Edp, std::nullopt);
  EXPECT_TRUE(fresh.note(mapping));
  EXPECT_TRUE(fresh.note(mapping));
  ASSERT_THAT(fresh.improvements(), SizeIs(1));
  EXPECT_EQ(fresh.improvements()[0].seen, 1U);
}

}  // namespace
}  // namespace tilewright
