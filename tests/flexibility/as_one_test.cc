// All settings as one map-space against settings one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/map.h"

namespace tilewright::testing {
namespace {

const int kSeeds = affordable(150);
constexpr std::array<SpaceKind, 4> kKinds = {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT,
                                             SpaceKind::Ruby};

FlexibleCase case_of(int number, SpaceKind kind) {
  return random_flexible_case(static_cast<std::uint64_t>(70'000 + number), {.kind = kind});
}

// The optimal mapper; counts tasks that stand for all settings.
Mapper counting(int& as_one) {
  Mapper mapper = *find_mapper("optimal");
  mapper.run = [&as_one, run = mapper.run](const MappingTask& task, const Limits& limits,
                                           const OptionValues& options) {
    as_one += task.arrays.empty() ? 0 : 1;
    return run(task, limits, options);
  };
  return mapper;
}

MapOptions options_for(int number, SpaceKind kind, const Mapper& mapper) {
  MapOptions options;
  options.space = kind;
  options.objective = kObjectives[static_cast<std::size_t>(number) % kObjectives.size()];
  options.mapper = &mapper;
  return options;
}

TEST(SettingsAsOne, HaveTheBestMappingOfSettingsOneByOne) {
  int as_one = 0;
  const Mapper mapper = counting(as_one);
  Mapper one_by_one = mapper;
  one_by_one.knows_arrays = false;
  for (int i = 0; i < kSeeds; ++i) {
    const SpaceKind kind = kKinds[static_cast<std::size_t>(i) % kKinds.size()];
    const FlexibleCase flexible = case_of(i, kind);
    SCOPED_TRACE(std::to_string(i) + "\n" + text_of(flexible));
    const MapOutcome best =
        map_workload(flexible.workload, flexible.arch, options_for(i, kind, mapper));
    const MapOutcome expected =
        map_workload(flexible.workload, flexible.arch, options_for(i, kind, one_by_one));
    ASSERT_EQ(best.status, expected.status);
    EXPECT_EQ(best.settings, expected.settings);
    if (!best.found()) continue;
    EXPECT_TRUE(same_value(best.search.score.energy_pj, expected.search.score.energy_pj));
    EXPECT_EQ(best.search.score.cycles, expected.search.score.cycles);
    EXPECT_EQ(best.search.score.instances, expected.search.score.instances);
    EXPECT_EQ(best.proof->status, Proof::Status::Proven);
    EXPECT_EQ(why_not_run(flexible, *best.search.best), "");
    const Evaluator evaluator = make_evaluator(*best.problem);
    EXPECT_EQ(evaluator.score(*best.search.best), best.search.score);
    if (HasFailure()) return;
  }
  EXPECT_GT(as_one, kSeeds / 10);
}

// The mapping with all of the array along x; nothing if a dimension is on both axes.
std::optional<Mapping> in_one_row(const Problem& problem, const Mapping& mapping) {
  Mapping row = mapping;
  int slot = 0;
  while (problem.slot_name(slot) != "Array.y") ++slot;
  for (int d = 0; d < problem.dim_count(); ++d) {
    const std::int64_t rows = mapping.bound(slot, DimId{d});
    if (rows > 1 && mapping.bound(slot + 1, DimId{d}) > 1) return std::nullopt;
    row.set_bound(slot, DimId{d}, 1);
    row.set_bound(slot + 1, DimId{d}, rows * mapping.bound(slot + 1, DimId{d}));
  }
  return row;
}

TEST(SettingsAsOne, MappingsCostTheSameInOneRow) {
  std::uint64_t compared = 0;
  for (int i = 0; i < kSeeds; ++i) {
    const SpaceKind kind = kKinds[static_cast<std::size_t>(i) % kKinds.size()];
    const FlexibleCase flexible = case_of(i, kind);
    if (!shapes_nest(flexible.arch)) continue;
    SCOPED_TRACE(std::to_string(i) + "\n" + text_of(flexible));
    const Problem problem = unshaped_problem(flexible);
    Architecture arch = problem.arch();
    auto& array = std::get<Fanout>(
        arch.levels[static_cast<std::size_t>(index_of(*arch.find_level("Array")))]);
    array.x.size *= array.y.size;
    array.y.size = 1;
    array.x.dims = array.y.dims = std::nullopt;
    const Evaluator of_row = make_evaluator(make_problem(flexible.workload, arch));
    for_each_that_runs(flexible, kind, [&](const Mapping& mapping, const Score& score) {
      const auto row = in_one_row(problem, mapping);
      if (!row || HasFailure()) return;
      EXPECT_EQ(of_row.score(*row), score);
      ++compared;
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 100U);
}

// However early a search ends, no mapping is below its bound.
TEST(SettingsAsOne, GiveABoundWhenTimeIsUp) {
  int as_one = 0;
  const Mapper mapper = counting(as_one);
  for (int i = 0; i < kSeeds / 3; ++i) {
    const SpaceKind kind = kKinds[static_cast<std::size_t>(i) % kKinds.size()];
    const FlexibleCase flexible = case_of(i, kind);
    SCOPED_TRACE(std::to_string(i) + "\n" + text_of(flexible));
    MapOptions options = options_for(i, kind, mapper);
    const MapOutcome best = map_workload(flexible.workload, flexible.arch, options);
    if (!best.found()) continue;
    const double least = value_of(options.objective, best.search.score);
    for (const bool proof_wanted : {true, false}) {
      for (const double seconds : {1e-9, 0.001}) {
        options.proof_wanted = proof_wanted;
        options.limits.seconds = seconds;
        const MapOutcome outcome = map_workload(flexible.workload, flexible.arch, options);
        if (!outcome.proof) continue;
        EXPECT_LE(outcome.proof->bound, least * (1 + 1e-12));
        if (!outcome.found()) continue;
        const double value = value_of(options.objective, outcome.search.score);
        EXPECT_GE(value, least * (1 - 1e-12));
        EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "");
        if (outcome.proof->status == Proof::Status::Proven) {
          EXPECT_TRUE(same_value(value, least));
        }
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(as_one, 0);
}

}  // namespace
}  // namespace tilewright::testing
