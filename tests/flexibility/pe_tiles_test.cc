// Fixed tiles of each PE: settings, mappings, fronts and sizes of spaces against every mapping
// that the accelerator can be set to run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/io.h"
#include "tilewright/map.h"
#include "tilewright/study.h"

namespace tilewright::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// 4 x 4 PEs, each with a memory that steps through its tile.
Architecture arch_with(const std::string& flexibility) {
  return testing::with_flexibility(
      "architecture: small\n"
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited}\n"
      "  - {memory: Buffer, capacity: 9000 words}\n"
      "  - {fanout: Array, y: 4, x: 4}\n"
      "  - {memory: Local, capacity: 300 words}\n"
      "  - {memory: Registers, capacity: 3 words}\n"
      "  - {compute: MAC}\n",
      "tile_of=Local," + flexibility);
}

std::vector<std::string> settings(const Workload& workload, const std::string& flexibility) {
  std::vector<std::string> texts;
  const auto found = settings_of(workload, arch_with(flexibility));
  for (const Setting& setting : *found.value) {
    EXPECT_TRUE(setting.unrolled.empty());
    texts.push_back(fmt::format("{}, {}", to_string(setting), setting.least_cycles));
  }
  return texts;
}

// --- settings ---------------------------------------------------------------------------

TEST(TilesOfPes, AreNotSharedOutOverRowsAndColumns) {
  EXPECT_THAT(settings(make_gemm("gemm", 12, 1, 7), "T=fixed(K6,C9,Y1,X1,R1,S1),O=KCYXRS,P=CK"),
              ElementsAre("4x4 array, rows C, columns K, order KCYXRS, 42"))
      << "two tiles of K beside each other, and all of C in each PE";
}

TEST(TilesOfPes, TakeAsLongAsTheBusiestPe) {
  const auto cycles = [](std::int64_t m, const char* tile) {
    return settings_of(make_gemm("gemm", m, 1, 1),
                       arch_with(fmt::format("T=fixed({},C1,Y1,X1,R1,S1),P=CK,S=1x4", tile)))
        .value->front()
        .least_cycles;
  };
  EXPECT_EQ(cycles(32, "K64"), 32) << "one PE has all of it";
  EXPECT_EQ(cycles(32, "K8"), 8);
  EXPECT_EQ(cycles(31, "K8"), 8) << "the last tile is smaller, the others are not";
  EXPECT_EQ(cycles(33, "K8"), 9) << "the fifth tile has one step";
  EXPECT_EQ(cycles(48, "K8"), 16) << "two PEs have two tiles";
  EXPECT_EQ(cycles(32, "K1"), 8);
}

TEST(TilesOfPes, LeaveOutShapesThatNoTilesFill) {
  // Two tiles of K and one of C fill two columns.
  EXPECT_THAT(settings(make_gemm("gemm", 16, 1, 16), "T=fixed(K8,C16,Y1,X1,R1,S1),P=CK,S=any"),
              ElementsAre("1x16 array, rows C, columns K, order any, 128"));
}

TEST(TilesOfPes, AreWhatOneMemoryStepsThrough) {
  const Workload gemm = make_gemm("gemm", 12, 1, 7);
  const Architecture arch = arch_with("T=fixed(K6,C9,Y1,X1,R1,S1),O=all,P=CK");
  const auto set = set_up(gemm, arch, settings_of(gemm, arch).value->front());
  std::vector<std::string> rules;
  for (const Constraint& constraint : set.constraints) rules.push_back(to_string(constraint));
  EXPECT_THAT(rules, UnorderedElementsAre("Array.y: dims K", "Array.x: dims M", "Local: M = 6",
                                          "Registers: M = 1", "DRAM: K = 1", "Buffer: K = 1",
                                          "Array.x: K = 1", "Array.y: K = 1"));
}

TEST(TilesOfPes, LeaveTilesOfTheBufferFree) {
  // Soft and hard tiles are those of the buffer, whoever has the fixed ones.
  const Workload gemm = make_gemm("gemm", 12, 5, 7);
  for (const std::string tile : {"T=soft", "T=hard(1:1:1)"}) {
    const Architecture arch = arch_with(tile);
    Architecture without = arch;
    without.flexibility->tile_of.reset();
    EXPECT_EQ(*settings_of(gemm, arch).value, *settings_of(gemm, without).value);
    const auto count = [&](const Architecture& of) {
      return flexion_of(gemm, of, TopsAxis::Tile).value->both.count;
    };
    EXPECT_EQ(count(arch), count(without));
  }
}

TEST(TilesOfPes, OfADesignAreRefused) {
  Network network;
  network.layers.push_back({"gemm", make_gemm("gemm", 4, 4, 4), 1, {}, {}});
  EXPECT_THAT(design_fixed(network, arch_with("T=soft"), usual_study()).problem,
              ::testing::HasSubstr("the tile is that of Local; give a baseline instead"));
}

// --- against every mapping ------------------------------------------------------------------

FlexibleCase case_of(std::uint64_t seed, SpaceKind kind) {
  return random_flexible_case(seed, {.kind = kind, .tiles_of_pes = true});
}

void expect_best(const FlexibleCase& flexible, SpaceKind kind, const BruteForce& truth) {
  for (std::size_t o = 0; o < kObjectives.size(); ++o) {
    SCOPED_TRACE(to_string(kObjectives[o]));
    MapOptions options;
    options.space = kind;
    options.objective = kObjectives[o];
    const MapOutcome outcome = map_workload(flexible.workload, flexible.arch, options);
    ASSERT_EQ(outcome.found(), truth.best[o].has_value());
    if (!outcome.found()) continue;
    const Score& score = outcome.search.score;
    EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "");
    EXPECT_TRUE(
        same_value(value_of(kObjectives[o], score), value_of(kObjectives[o], truth.best[o]->score)))
        << value_of(kObjectives[o], score) << " where the best has "
        << value_of(kObjectives[o], truth.best[o]->score);
    EXPECT_EQ(outcome.proof->status, Proof::Status::Proven);
    EXPECT_LE(outcome.setting->least_cycles, score.cycles);
  }
}

TEST(TilesOfPes, HaveTheBestMappingOfAllSettings) {
  int feasible = 0, fastest = 0;
  for (int i = 0; i < 500 && feasible < affordable(20); ++i) {
    const SpaceKind kind = i % 3 == 0 ? SpaceKind::Perfect : SpaceKind::Ruby;
    const FlexibleCase flexible = case_of(static_cast<std::uint64_t>(i), kind);
    SCOPED_TRACE("seed " + std::to_string(i) + "\n" + text_of(flexible));
    const BruteForce truth = flexible_brute_force(flexible, kind);
    expect_best(flexible, kind, truth);
    if (HasFailure()) return;
    if (!truth.best[0]) continue;
    ++feasible;
    const auto found = settings_of(flexible.workload, flexible.arch);
    Int128 cycles = kWideLimit;
    for (const auto& best : truth.best) cycles = std::min<Int128>(cycles, best->score.cycles);
    fastest += found.value->front().least_cycles == cycles ? 1 : 0;
  }
  EXPECT_EQ(feasible, affordable(20));
  EXPECT_GE(fastest, feasible / 10) << "bounds that are reached";
}

TEST(TilesOfPes, AreKeptToByMappersThatProveNothing) {
  int feasible = 0;
  for (int i = 0; i < 500 && feasible < affordable(30); ++i) {
    const FlexibleCase flexible = case_of(static_cast<std::uint64_t>(100 + i), SpaceKind::Ruby);
    SCOPED_TRACE("seed " + std::to_string(i) + "\n" + text_of(flexible));
    const auto best = flexible_brute_force(flexible, SpaceKind::Ruby).best[0];
    for (const char* mapper : {"genetic", "quickflow", "random"}) {
      MapOptions options;
      options.space = SpaceKind::Ruby;
      options.objective = kObjectives[0];
      options.mapper = find_mapper(mapper);
      options.limits.evaluations = 2000;
      const MapOutcome outcome = map_workload(flexible.workload, flexible.arch, options);
      if (!outcome.found()) continue;
      ASSERT_TRUE(best) << mapper;
      EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "") << mapper;
      EXPECT_GE(value_of(kObjectives[0], outcome.search.score),
                value_of(kObjectives[0], best->score) * (1 - 1e-9));
      ++feasible;
    }
  }
  EXPECT_GE(feasible, enough(30));
}

TEST(TilesOfPes, AreInEveryPointOfAFront) {
  for (int i = 0; i < affordable(20); ++i) {
    const FlexibleCase flexible = random_flexible_case(
        static_cast<std::uint64_t>(200 + i), {.most_mappings = 8000, .tiles_of_pes = true});
    SCOPED_TRACE("seed " + std::to_string(i) + "\n" + text_of(flexible));
    MapOptions options;
    options.space = SpaceKind::Ruby;
    const auto front = find_flexible_front(flexible.workload, flexible.arch, options);
    ASSERT_TRUE(front.ok() && front.value->complete);
    std::size_t unbeaten = 0;
    for_each_that_runs(flexible, SpaceKind::Ruby, [&](const Mapping&, const Score& score) {
      if (!score.verdict.fits()) return;
      const auto& points = front.value->points;
      const bool beaten = std::any_of(points.begin(), points.end(), [&](const auto& point) {
        return point.score.cycles <= score.cycles &&
               point.score.energy_pj <= score.energy_pj * (1 + 1e-11);
      });
      unbeaten += beaten ? 0 : 1;
    });
    EXPECT_EQ(unbeaten, 0U);
    for (const auto& point : front.value->points) {
      EXPECT_EQ(why_not_run(flexible, point.mapping), "");
    }
  }
}

TEST(TilesOfPes, HaveSpacesThatAreCountedExactly) {
  int counted = 0;
  for (int i = 0; i < affordable(30); ++i) {
    FlexibleCase flexible = random_flexible_case(static_cast<std::uint64_t>(300 + i),
                                                 {.most_mappings = 8000, .tiles_of_pes = true});
    // All mappings, so with all settings: rows and columns are not to be exchanged.
    if (flexible.arch.flexibility->shape.kind == ShapeFreedom::Kind::Any) {
      flexible.arch.flexibility->shape = {ShapeFreedom::Kind::Fixed, {1, 1}};
    }
    SCOPED_TRACE("seed " + std::to_string(i) + "\n" + text_of(flexible));
    MapOptions options;
    options.space = SpaceKind::Ruby;
    const auto space = count_flexible_space(flexible.workload, flexible.arch, options);
    ASSERT_TRUE(space.ok());
    if (!space.value->different) continue;
    std::uint64_t all = 0;
    for_each_that_runs(flexible, SpaceKind::Ruby, [&](const Mapping&, const Score&) { ++all; });
    EXPECT_EQ(*space.value->different, BigUint(all));
    counted += all > 0 ? 1 : 0;
  }
  EXPECT_GT(counted, enough(5));
}

}  // namespace
}  // namespace tilewright::testing
