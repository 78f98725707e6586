// Mappers held against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/problems.h"
#include "tilewright/report.h"
#include "tilewright/study.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

Network two_layers() {
  Network network;
  network.name = "two";
  network.layers = {{"a", make_gemm("a", 12, 8, 6), 2, {}, {}},
                    {"b", make_gemm("b", 5, 7, 9), 1, {}, {}},
                    {"a again", make_gemm("a", 12, 8, 6), 1, {}, {}}};
  return network;
}

Architecture narrow() {
  Memory inner = testing::make_memory("Inner", 20);
  inner.read_pj = 0.5;
  return testing::make_arch(
      {testing::make_memory("Outer"), testing::make_fanout("Array", 4), inner});
}

StudyOptions plain_options() {
  StudyOptions options;
  options.map.objective = Objective::Edp;
  return options;
}

TEST(Arena, HoldsEveryMapperAgainstTheProvenOptimum) {
  const std::vector<const Mapper*> mappers = {find_mapper("optimal"), find_mapper("random"),
                                              find_mapper("loma")};
  const Arena arena = hold_arena({narrow()}, {two_layers()}, mappers, plain_options());
  ASSERT_EQ(arena.bouts.size(), 2U) << "a layer with the same work counts once";
  for (const Bout& bout : arena.bouts) {
    EXPECT_TRUE(bout.proven);
    ASSERT_EQ(bout.runs.size(), 3U);
    EXPECT_DOUBLE_EQ(*bout.best, value_of(Objective::Edp, bout.runs[0].score));
    for (const Bout::Run& run : bout.runs) {
      EXPECT_GE(value_of(Objective::Edp, run.score), *bout.best);
    }
  }
  const Standing standing = standing_of(arena, 0, Objective::Edp);
  EXPECT_EQ(standing.found, 2U);
  EXPECT_EQ(standing.within_percent, 2U);
  EXPECT_DOUBLE_EQ(standing.mean, 1);
  EXPECT_DOUBLE_EQ(standing.worst, 1);
}

// One that finds nothing, and one that is twice as far away on the second layer.
TEST(Arena, StandingsAreMeansOfWhatWasFound) {
  Arena arena;
  for (const double factor : {1.0, 4.0}) {
    Bout bout;
    bout.best = 100;
    bout.runs.resize(2);
    bout.runs[0].status = MapOutcome::Status::Found;
    bout.runs[0].score.energy_pj = 100 * factor;
    bout.runs[0].score.cycles = 1;
    bout.runs[0].seen = 7;
    bout.runs[1].status = MapOutcome::Status::NothingValid;
    arena.bouts.push_back(bout);
  }
  const Standing first = standing_of(arena, 0, Objective::Edp);
  EXPECT_EQ(first.found, 2U);
  EXPECT_EQ(first.within_percent, 1U);
  EXPECT_DOUBLE_EQ(first.mean, 2);
  EXPECT_DOUBLE_EQ(first.worst, 4);
  EXPECT_EQ(first.seen, 14U);
  const Standing second = standing_of(arena, 1, Objective::Edp);
  EXPECT_EQ(second.bouts, 2U);
  EXPECT_EQ(second.found, 0U);
}

TEST(Arena, StopsWhenItIsCancelled) {
  const std::atomic<bool> cancelled = true;
  StudyOptions options = plain_options();
  options.cancelled = &cancelled;
  const Arena arena = hold_arena({narrow()}, {two_layers()}, {find_mapper("optimal")}, options);
  EXPECT_TRUE(arena.cancelled);
  EXPECT_TRUE(arena.bouts.empty());
}

TEST(Arena, ReportsHaveARowForEachMapperAndStep) {
  report::ArenaReport report;
  report.archs = {narrow()};
  report.networks = {two_layers()};
  report.mappers = {find_mapper("optimal"), find_mapper("salsa")};
  report.arena = hold_arena(report.archs, report.networks, report.mappers, plain_options());
  EXPECT_THAT(report::arena_text(report), HasSubstr("of all the optimum is proven"));
  EXPECT_THAT(report::arena_text(report), HasSubstr("salsa"));
  const std::string rows = report::arena_csv(report);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 2 * 2);
  std::size_t steps = 0;
  for (const Bout& bout : report.arena.bouts) {
    for (const Bout::Run& run : bout.runs) steps += run.steps.size();
  }
  const std::string convergence = report::convergence_csv(report);
  EXPECT_EQ(std::count(convergence.begin(), convergence.end(), '\n'),
            static_cast<std::ptrdiff_t>(1 + steps));
  EXPECT_GT(steps, 2U);
}

}  // namespace
}  // namespace tilewright
