#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "support/problems.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Status = MapOutcome::Status;

Architecture small_arch(std::int64_t inner_words) {
  Memory outer = testing::make_memory("Outer");
  outer.read_pj = 50;
  return testing::make_arch(
      {outer, testing::make_fanout("Array", 4), testing::make_memory("Inner", inner_words)});
}

MapOptions quick(const Mapper* mapper = find_mapper("random")) {
  MapOptions options;
  options.mapper = mapper;
  if (mapper == find_mapper("random")) options.limits.evaluations = 500;
  return options;
}

TEST(MapWorkload, FindsAMappingThatScoresAsItSays) {
  for (const Mapper* mapper : {find_mapper("random"), find_mapper("exhaustive")}) {
    const MapOutcome outcome =
        map_workload(make_gemm("gemm", 4, 3, 4), small_arch(20), quick(mapper));
    ASSERT_EQ(outcome.status, Status::Found);
    EXPECT_TRUE(outcome.found());
    EXPECT_THAT(outcome.problems, IsEmpty());
    const Evaluator evaluator = testing::make_evaluator(*outcome.problem);
    EXPECT_EQ(evaluator.score(*outcome.search.best), outcome.search.score);
    if (mapper == find_mapper("exhaustive")) {
      EXPECT_EQ(BigUint(outcome.search.seen), outcome.space_size);
    }
  }
}

TEST(MapWorkload, NamesThatMeanNothingAreBadInput) {
  MapOptions options = quick();
  options.constraints = {{"Outer", {}, DimsRule{{"Z"}}, {"user.yaml", 1, 1}}};
  const MapOutcome outcome = map_workload(make_gemm("gemm", 4, 3, 4), small_arch(20), options);
  EXPECT_EQ(outcome.status, Status::BadInput);
  ASSERT_EQ(outcome.problems.size(), 1U);
  EXPECT_THAT(outcome.problems[0].message, HasSubstr("has no dimension Z"));
}

TEST(MapWorkload, AnArchitectureThatIsNoneIsBadInput) {
  const MapOutcome outcome = map_workload(make_gemm("gemm", 4, 3, 4), Architecture{}, quick());
  EXPECT_EQ(outcome.status, Status::BadInput);
  EXPECT_FALSE(outcome.problems.empty());
}

TEST(MapWorkload, ConstraintsWithoutAMappingAreInfeasible) {
  MapOptions options = quick();
  options.constraints = {{"Outer", {}, FactorRule{"M", FactorRule::Relation::Equal, 3}, {}}};
  const MapOutcome outcome = map_workload(make_gemm("gemm", 4, 3, 4), small_arch(20), options);
  EXPECT_EQ(outcome.status, Status::Infeasible);
  ASSERT_EQ(outcome.problems.size(), 1U);
  EXPECT_THAT(outcome.problems[0].message, HasSubstr("no chain of pfm factors makes up M = 4"));
}

TEST(MapWorkload, AnExhaustiveSearchThatTakesTooLongIsRefused) {
  MapOptions options = quick(find_mapper("exhaustive"));
  options.space = SpaceKind::Ruby;
  const MapOutcome outcome =
      map_workload(make_gemm("gemm", 1000, 1000, 1000), small_arch(1000), options);
  EXPECT_EQ(outcome.status, Status::TooLarge);
  ASSERT_EQ(outcome.problems.size(), 1U);
  EXPECT_THAT(outcome.problems[0].message, HasSubstr("to see them all would take about"));
  EXPECT_THAT(outcome.problems[0].hint, HasSubstr("search at random"));
}

TEST(MapWorkload, WhatFitsNowhereSaysWhy) {
  const MapOutcome outcome =
      map_workload(make_gemm("gemm", 4, 3, 4), small_arch(2), quick(find_mapper("exhaustive")));
  EXPECT_EQ(outcome.status, Status::NothingValid);
  EXPECT_TRUE(outcome.problem);
  ASSERT_FALSE(outcome.search.failures.empty());
  // A word of every tensor.
  EXPECT_EQ(outcome.search.failures[0].closest.needed, 3);
  EXPECT_EQ(outcome.search.failures[0].closest.available, 2);
}

TEST(MapWorkload, PaddingIsTakenWhereItPays) {
  // 7 has no perfect factor for 4 instances, 8 has.
  const Workload prime = make_gemm("gemm", 7, 1, 1);
  MapOptions options = quick(find_mapper("exhaustive"));
  options.objective = Objective::Latency;
  const MapOutcome plain = map_workload(prime, small_arch(20), options);
  EXPECT_EQ(plain.search.score.cycles, 7);
  options.padded = true;
  const MapOutcome padded = map_workload(prime, small_arch(20), options);
  EXPECT_EQ(padded.search.score.cycles, 2);
  EXPECT_EQ(padded.problem->workload().dims[0].size, 8);
  EXPECT_GT(padded.space_size, plain.space_size);
  EXPECT_EQ(BigUint(padded.search.seen), padded.space_size);
}

TEST(MapWorkload, PaddingIsLeftWhereItDoesNotPay) {
  MapOptions options = quick(find_mapper("exhaustive"));
  options.objective = Objective::Energy;
  const Workload prime = make_gemm("gemm", 7, 1, 1);
  const MapOutcome plain = map_workload(prime, small_arch(20), options);
  options.padded = true;
  const MapOutcome padded = map_workload(prime, small_arch(20), options);
  EXPECT_EQ(padded.problem->workload(), prime);
  EXPECT_EQ(padded.search.score, plain.search.score);
}

TEST(MapWorkload, PaddingMayMakeAnInfeasibleWorkloadFeasible) {
  MapOptions options = quick(find_mapper("exhaustive"));
  options.constraints = {{"Array", Axis::X, FactorRule{"M", FactorRule::Relation::Equal, 4}, {}}};
  const Workload prime = make_gemm("gemm", 7, 1, 1);
  EXPECT_EQ(map_workload(prime, small_arch(20), options).status, Status::Infeasible);
  options.padded = true;
  const MapOutcome padded = map_workload(prime, small_arch(20), options);
  EXPECT_EQ(padded.status, Status::Found);
  EXPECT_THAT(padded.problems, IsEmpty());
}

TEST(MapWorkload, OnceCancelledNoPaddingIsTried) {
  const std::atomic<bool> cancelled = true;
  MapOptions options;
  options.mapper = find_mapper("random");
  options.padded = true;
  options.limits.cancelled = &cancelled;
  const MapOutcome outcome = map_workload(make_gemm("gemm", 7, 9, 9), small_arch(20), options);
  EXPECT_EQ(outcome.search.stop, SearchResult::Stop::Cancelled);
  EXPECT_EQ(outcome.problem->workload().dims[0].size, 7);
}

TEST(MapWorkload, SameSeedSameMapping) {
  MapOptions options = quick();
  options.space = SpaceKind::RubyS;
  const auto map = [&] { return map_workload(make_gemm("g", 30, 20, 9), small_arch(60), options); };
  const MapOutcome first = map();
  options.limits.threads = 3;
  EXPECT_EQ(map().search.best, first.search.best);
  options.mapper_options.set("seed", std::int64_t{2});
  EXPECT_NE(map().search.best, first.search.best);
}

}  // namespace
}  // namespace tilewright
