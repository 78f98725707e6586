// Problems on which the settings of an accelerator were once wrong.
#include <gtest/gtest.h>

#include <string>

#include "tilewright/io.h"
#include "tilewright/mapper.h"

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
  options.search.objective = objective;
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

}  // namespace
}  // namespace tilewright
