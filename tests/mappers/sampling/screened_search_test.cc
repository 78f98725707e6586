// A random search scores few of its samples, and gives what scores of all of them give.
#include <gtest/gtest.h>

#include "mappers/sampling/small_search.h"

namespace tilewright {
namespace {

// A convolution on an array whose memories have little room; what the buffer does with weights
// is a choice if that is wanted.
Problem layer(bool choice, std::int64_t stride) {
  Memory outer = testing::make_memory("Outer");
  outer.read_pj = 100;
  outer.read_bandwidth = Rational{2, 1};
  Memory buffer = testing::make_memory("Buffer", 600);
  buffer.read_pj = 3;
  if (choice) buffer.free = {"weight"};
  return testing::make_problem(
      make_conv2d("conv", {.in_channels = 8,
                           .out_channels = 12,
                           .p = 6,
                           .q = 6,
                           .r = 3,
                           .s = 3,
                           .stride_h = stride,
                           .stride_w = stride}),
      testing::make_arch({outer, buffer, testing::make_fanout("Array", 4, 3),
                          testing::make_memory("Registers", 24)}));
}

// One search of each kind, with the limits that both keep to.
void expect_the_same(const Problem& problem, SpaceKind kind, const SamplingOptions& options,
                     std::uint64_t seed) {
  const MapSpace space = testing::make_space(problem, kind);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const SearchResult scored =
      search(evaluator, *random_strategy(space, seed, Scoring::All), options);
  const SearchResult screened = search(evaluator, *random_strategy(space, seed), options);
  ASSERT_TRUE(scored.best);
  EXPECT_GT(scored.failures.size(), 1U);
  EXPECT_LT(scored.valid, scored.seen);
  EXPECT_TRUE(testing::same_result(scored, screened));
}

TEST(ScreenedSearch, GivesWhatScoresOfAllSamplesGive) {
  for (const Objective objective :
       {Objective::Edp, Objective::Energy, Objective::Latency, Objective::Ed2p, Objective{1, -1}}) {
    for (const bool choice : {false, true}) {
      for (const std::int64_t stride : {1, 2}) {
        SamplingOptions options;
        options.objective = objective;
        options.evaluations = 3000;
        expect_the_same(layer(choice, stride), SpaceKind::Perfect, options, 7);
      }
    }
  }
}

TEST(ScreenedSearch, IsPatientAsLongAsIfAllWereScored) {
  for (const int threads : {1, 3}) {
    SamplingOptions options;
    options.patience = 1500;
    options.threads = threads;
    expect_the_same(layer(false, 1), SpaceKind::Perfect, options, 3);
  }
}

TEST(ScreenedSearch, ScoresAllWhereFactorsLeaveRemainders) {
  SamplingOptions options;
  options.evaluations = 1500;
  expect_the_same(layer(false, 1), SpaceKind::RubyS, options, 1);
}

TEST(ScreenedSearch, ScoresAllWhereTensorsHaveRoomOfTheirOwn) {
  SamplingOptions options;
  options.evaluations = 1500;
  expect_the_same(testing::tight_problem(24, 10, 9, 40), SpaceKind::Perfect, options, 1);
}

}  // namespace
}  // namespace tilewright
