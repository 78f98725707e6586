// Problems on which the settings of an accelerator were once wrong.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "tilewright/io.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

Architecture arch_of(const std::string& rest) {
  const auto arch = io::read_architecture("architecture: small\n" + rest, "arch");
  EXPECT_TRUE(arch.ok()) << to_string(arch.problems.front());
  return arch.value.value_or(Architecture{});
}

MapOutcome best_of(const Architecture& arch, const Workload& workload,
                   Objective objective = Objective::Latency,
                   const std::vector<Constraint>& constraints = {}) {
  MapOptions options;
  options.space = SpaceKind::Ruby;
  options.objective = objective;
  options.constraints = constraints;
  return map_workload(workload, arch, options);
}

// The tile has two of four channels, and the array steps through it.
TEST(FlexRegression, OtherFanoutsDoNotEnlargeAFixedTile) {
  const Architecture arch = arch_of(
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited}\n"
      "  - {memory: Buffer, capacity: 100 words}\n"
      "  - {fanout: Array, y: 2}\n"
      "  - {fanout: Lanes, x: 2}\n"
      "  - {compute: MAC}\n"
      "flexibility: {array: Array, tile: 'fixed(K2,C1,Y1,X1,R1,S1)', parallel: [KC]}\n");
  const MapOutcome outcome = best_of(arch, make_gemm("gemm", 4, 1, 1));
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.search.score.cycles, 2);
}

// The tile has all four channels, so each buffer has.
TEST(FlexRegression, FanoutsOutsideDoNotCutAFixedTile) {
  const Architecture arch = arch_of(
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited}\n"
      "  - {fanout: Clusters, x: 2}\n"
      "  - {memory: Buffer, capacity: 100 words}\n"
      "  - {fanout: Array, y: 2}\n"
      "  - {compute: MAC}\n"
      "flexibility: {array: Array, tile: 'fixed(K4,C1,Y1,X1,R1,S1)', parallel: [KC]}\n");
  const MapOutcome outcome = best_of(arch, make_gemm("gemm", 4, 1, 1));
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.search.score.cycles, 2);
}

//  What has to come from outside was once counted as if a buffer without loops
//  held single elements; the array makes its tiles larger.
TEST(FlexRegression, TheArrayFillsABufferThatHasNoLoops) {
  const std::string levels =
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited, read_bandwidth: 1 words/cycle}\n"
      "  - {memory: Buffer, capacity: 100 words@}\n"
      "  - {fanout: Array, y: 4, x: 4}\n"
      "  - {compute: MAC}\n"
      "flexibility: {parallel: [YX, CK]}\n";
  const std::string rule = "constraints: [{level: Buffer, factors: {M: 1, K: 1, N: 1}}]\n";
  const auto with = [&](const std::string& key) {
    return std::string(levels).replace(levels.find('@'), 1, key);
  };
  for (const std::string& text : {with(", dims: []"), with("") + rule}) {
    const MapOutcome outcome = best_of(arch_of(text), make_gemm("gemm", 4, 3, 4));
    ASSERT_TRUE(outcome.found());
    EXPECT_EQ(outcome.search.score.cycles, 28);  // of reads: 16 weights, 12 inputs
    EXPECT_LE(outcome.setting->least_cycles, 28);
  }
}

const char* const kSquare =
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited}\n"
    "  - {memory: Buffer, capacity: 100 words}\n"
    "  - {fanout: Array, y: 4, x: 4}\n"
    "  - {compute: MAC}\n"
    "flexibility: {shape: any}\n";

// K over the columns and C over the rows is not C over the columns and K over
// the rows where one of them cannot be.
TEST(FlexRegression, RowsAndColumnsThatDifferAreNotExchanged) {
  Architecture arch = arch_of(kSquare);
  auto& array = std::get<Fanout>(arch.levels[2]);
  array.y.dims = std::vector<std::string>{"K"};
  array.x.dims = std::vector<std::string>{"M"};
  EXPECT_EQ(best_of(arch, make_gemm("gemm", 4, 1, 4)).search.score.cycles, 1);
}

TEST(FlexRegression, RowsAndColumnsUnderConstraintsAreNotExchanged) {
  const std::vector<Constraint> constraints = {{"Array", Axis::Y, DimsRule{{"K"}}, {}},
                                               {"Array", Axis::X, DimsRule{{"M"}}, {}}};
  Architecture arch = arch_of(kSquare);
  const Workload gemm = make_gemm("gemm", 4, 1, 4);
  EXPECT_EQ(best_of(arch, gemm, Objective::Latency, constraints).search.score.cycles, 1);
  arch.constraints = constraints;
  EXPECT_EQ(best_of(arch, gemm).search.score.cycles, 1);
}

const char* const kSeven =
    "leakage_of: all\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited}\n"
    "  - {memory: Buffer, capacity: 100 words}\n"
    "  - {fanout: Array, y: 7}\n"
    "  - {memory: Registers, capacity: 3 words, dims: []@}\n"
    "  - {compute: MAC}\n"
    "flexibility: {shape: any, parallel: [KC]}\n";

std::string seven_with(const std::string& key) {
  return std::string(kSeven).replace(std::string(kSeven).find('@'), 1, key);
}

// 4x1 is inside 7x1, but only of the former all can be used.
TEST(FlexRegression, ASmallerShapeMayBeUsedBetter) {
  const Workload gemm = make_gemm("gemm", 4, 1, 1);
  const std::vector<Constraint> all = {{"Array", {}, UseRule{{1, 1}}, {}}};
  const MapOutcome outcome = best_of(arch_of(seven_with("")), gemm, Objective::Latency, all);
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.setting->shape, (ArrayShape{4, 1}));
  EXPECT_EQ(outcome.search.score.cycles, 1);
}

// Four columns of seven are not all; four rows of four are.
TEST(FlexRegression, ASmallerShapeTurnedRoundIsNone) {
  Architecture arch = arch_of(seven_with(""));
  arch.flexibility->pairs = {{ConvDim::C, ConvDim::K}, {ConvDim::K, ConvDim::C}};
  const std::vector<Constraint> all = {{"Array", {}, UseRule{{1, 1}}, {}}};
  EXPECT_TRUE(best_of(arch, make_gemm("gemm", 4, 1, 1), Objective::Latency, all).found());
}

TEST(FlexRegression, ASmallerShapeMayLeakLess) {
  const Architecture arch = arch_of(seven_with(", leakage: 1 pJ/cycle"));
  const MapOutcome outcome = best_of(arch, make_gemm("gemm", 4, 1, 1), Objective::Energy);
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.setting->shape, (ArrayShape{4, 1}));
  EXPECT_EQ(outcome.search.score.energy_pj, 4);
}

// The first setting, 7x1, has no perfect factors of 25 that use all of it; 5x1 has.
TEST(FlexRegression, SettingsThatWereNotSearchedAreNotInfeasible) {
  const std::atomic<bool> cancelled = true;
  for (const Mapper* mapper : {find_mapper("optimal"), find_mapper("quickflow"),
                               find_mapper("random"), find_mapper("exhaustive")}) {
    MapOptions options;
    options.mapper = mapper;
    options.constraints = {{"Array", {}, UseRule{{1, 1}}, {}}};
    options.limits.cancelled = &cancelled;
    const MapOutcome outcome =
        map_workload(make_gemm("gemm", 25, 1, 1), arch_of(seven_with("")), options);
    EXPECT_EQ(outcome.status, MapOutcome::Status::NothingValid) << std::string(mapper->name);
    EXPECT_EQ(outcome.search.stop, SearchResult::Stop::Cancelled);
    EXPECT_TRUE(outcome.problem.has_value());
    EXPECT_EQ(outcome.settings_searched, 1U);
    if (mapper != find_mapper("optimal")) continue;
    EXPECT_EQ(outcome.proof->status, Proof::Status::Stopped);
    EXPECT_EQ(outcome.proof->stop, Proof::Stop::Cancelled);
  }
}

std::string flexible_with(const std::string& energy) {
  return "levels:\n"
         "  - {memory: DRAM, capacity: unlimited, read: " +
         energy +
         "}\n"
         "  - {memory: Buffer, capacity: 400 words, bandwidth: 4 words/cycle}\n"
         "  - {fanout: Array, y: 4, x: 8}\n"
         "  - {memory: Registers, capacity: 3 words, dims: []}\n"
         "  - {compute: MAC}\n"
         "flexibility: {tile: soft, order: all, parallel: all, shape: any}\n";
}

// With nothing that takes energy, every setting has the same, 0.
TEST(FlexRegression, SettingsThatAreEqualByTheObjectiveAreSearchedForTheRestOfItsKey) {
  const Architecture arch = arch_of(flexible_with("0 pJ"));
  MapOptions options;
  options.objective = Objective::Latency;
  const Workload workload = make_gemm("gemm", 12, 30, 50);
  const MapOutcome fastest = map_workload(workload, arch, options);
  ASSERT_TRUE(fastest.found());
  for (const Objective objective : {Objective::Energy, Objective::Edp}) {
    options.objective = objective;
    const MapOutcome outcome = map_workload(workload, arch, options);
    EXPECT_EQ(outcome.search.score, fastest.search.score) << to_string(objective);
    EXPECT_GT(outcome.settings_searched, 1U);
  }
}

// Out of time before all settings were searched: those that were had nothing better.
TEST(FlexRegression, SettingsThatWereNotSearchedMayBeBetterThanWhatWasToBeat) {
  const Architecture arch = arch_of(flexible_with("8 pJ"));
  const Workload workload = make_gemm("gemm", 7, 9, 10);
  const MapOutcome best = best_of(arch, workload, Objective::Energy);
  ASSERT_TRUE(best.found());
  MapOptions options;
  options.space = SpaceKind::Ruby;
  options.objective = Objective::Energy;
  for (const double more : {-0.5, 0.0, 0.5}) {
    options.to_beat = best.search.score;
    options.to_beat->energy_pj *= 1 + more;
    for (const double seconds : {1e-9, 0.02}) {
      options.limits.seconds = seconds;
      const MapOutcome outcome = map_workload(workload, arch, options);
      const bool settled = outcome.status == MapOutcome::Status::NoneBetter;
      EXPECT_EQ(settled, outcome.proof->status == Proof::Status::NoneBetter) << more;
      if (settled) {
        EXPECT_LE(more, 0);
      } else {
        EXPECT_LE(outcome.proof->bound, best.search.score.energy_pj * (1 + 1e-12)) << more;
      }
    }
  }
}

std::string two_orders_with(const std::string& capacity, const std::string& port) {
  return "levels:\n"
         "  - {memory: DRAM, capacity: unlimited, read: 8 pJ" +
         port +
         "}\n"
         "  - {memory: Buffer, capacity: " +
         capacity +
         "}\n"
         "  - {fanout: Array, y: 4, x: 4}\n"
         "  - {compute: MAC}\n"
         "flexibility: {order: [KCYXRS, YXRSCK], parallel: all}\n";
}

const std::string kNoPort, kFastPort = ", bandwidth: 1000 words/cycle";

// Words are not counted where no port and no energy makes them count. What fits no buffer, whatever
// the array, is not said of a single setting all the same.
TEST(FlexRegression, WhyNoSettingHasAMappingIsSaidWithoutPortsAsWithThem) {
  const Workload gemm = make_gemm("gemm", 4, 6, 4);
  for (const Objective objective : {Objective::Latency, Objective::Energy, Objective::Edp}) {
    SCOPED_TRACE(to_string(objective));
    const MapOutcome with =
        best_of(arch_of(two_orders_with("2 words", kFastPort)), gemm, objective);
    const MapOutcome without =
        best_of(arch_of(two_orders_with("2 words", kNoPort)), gemm, objective);
    for (const MapOutcome* outcome : {&with, &without}) {
      EXPECT_EQ(outcome->status, MapOutcome::Status::Infeasible);
      ASSERT_FALSE(outcome->problems.empty());
      EXPECT_EQ(to_string(outcome->problems.front()).find("settings"), std::string::npos);
    }
    EXPECT_EQ(to_string(with.problems.front()), to_string(without.problems.front()));
  }
}

}  // namespace
}  // namespace tilewright
