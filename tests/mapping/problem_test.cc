#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/mapping.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;

Memory memory(const std::string& name) {
  Memory result;
  result.name = name;
  return result;
}

Fanout array() {
  Fanout result;
  result.name = "array";
  result.x = {14, std::vector<std::string>{"n", "Z"}};
  result.y = {12, std::nullopt};
  return result;
}

Architecture with(std::vector<Level> levels) {
  Architecture arch;
  arch.name = "small";
  arch.levels = std::move(levels);
  arch.levels.emplace_back(Compute{.name = "MAC"});
  return arch;
}

Problem create(const Architecture& arch) {
  Checked<Problem> problem = Problem::create(make_gemm("g", 4, 6, 8), arch);
  for (const Diagnostic& complaint : problem.problems) ADD_FAILURE() << to_string(complaint);
  return *problem.value;
}

TEST(Problem, LaysSlotsOutFromTheOutermostIn) {
  const Problem problem = create(with({memory("DRAM"), array(), memory("buffer")}));
  ASSERT_EQ(problem.slot_count(), 4);
  EXPECT_EQ(problem.slots()[0].kind, SlotKind::Temporal);
  EXPECT_EQ(problem.slots()[1].kind, SlotKind::SpatialY);
  EXPECT_EQ(problem.slots()[2].kind, SlotKind::SpatialX);
  EXPECT_EQ(problem.slots()[3].kind, SlotKind::Temporal);
  EXPECT_EQ(problem.slot_name(1), "array.y");
  EXPECT_EQ(problem.slot_name(2), "array.x");
  EXPECT_EQ(problem.slot_name(3), "buffer");
  EXPECT_EQ(problem.use(MemoryId{1}).slot, 3);
  EXPECT_EQ(problem.memory(MemoryId{1}).name, "buffer");
}

TEST(Problem, FindsDimensionsWhateverTheirCaseAndIgnoresOthers) {
  const Problem problem = create(with({memory("DRAM"), array()}));
  EXPECT_EQ(problem.slots()[1].allowed_dims, 0b111U);
  EXPECT_EQ(problem.slots()[2].allowed_dims, 0b010U);
}

TEST(Problem, PrefersADimensionSpeltExactly) {
  Workload workload = make_gemm("g", 4, 6, 8);
  workload.dims[0].name = "n";
  Checked<Problem> problem = Problem::create(workload, with({memory("DRAM"), array()}));
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem.value->slots()[2].allowed_dims, 0b001U);
}

TEST(Problem, KeepsWhatNoListNamesUnlessKeepIsGiven) {
  Memory buffer = memory("buffer");
  buffer.bypass = {"weight"};
  buffer.free = {"output"};
  Memory registers = memory("registers");
  registers.keep = {"weight"};
  const Problem problem = create(with({memory("DRAM"), buffer, registers}));
  EXPECT_THAT(problem.use(MemoryId{0}).residence,
              ElementsAre(Residence::Keep, Residence::Keep, Residence::Keep));
  EXPECT_THAT(problem.use(MemoryId{1}).residence,
              ElementsAre(Residence::Bypass, Residence::Keep, Residence::Free));
  EXPECT_EQ(problem.use(MemoryId{1}).keep_always, 0b010U);
  EXPECT_EQ(problem.use(MemoryId{1}).keep_allowed, 0b110U);
  EXPECT_THAT(problem.use(MemoryId{2}).residence,
              ElementsAre(Residence::Keep, Residence::Bypass, Residence::Bypass));
}

TEST(Problem, LetsATensorsOwnNameWinOverItsRole) {
  Memory buffer = memory("buffer");
  buffer.keep = {"weight"};
  buffer.bypass = {"W"};
  buffer.partitions["weight"] = {Capacity::Unit::Words, 1};
  buffer.partitions["W"] = {Capacity::Unit::Words, 2};
  const Problem problem = create(with({memory("DRAM"), buffer}));
  EXPECT_EQ(problem.use(MemoryId{1}).residence[0], Residence::Bypass);
  EXPECT_EQ(problem.partition(MemoryId{1}, TensorId{0})->amount, 2);
  EXPECT_EQ(problem.partition(MemoryId{1}, TensorId{1}), std::nullopt);
  EXPECT_EQ(problem.partition(MemoryId{0}, TensorId{0}), std::nullopt);
}

TEST(Problem, IgnoresTensorsThatTheWorkloadLacks) {
  Memory buffer = memory("buffer");
  buffer.bypass = {"Q"};
  buffer.partitions["V"] = {Capacity::Unit::Words, 1};
  const Problem problem = create(with({memory("DRAM"), buffer}));
  EXPECT_EQ(problem.use(MemoryId{1}).keep_always, 0b111U);
}

TEST(Problem, RefusesATensorThatNoMemoryMayKeep) {
  Memory dram = memory("DRAM");
  dram.bypass = {"weight"};
  const Checked<Problem> problem = Problem::create(make_gemm("g", 4, 6, 8), with({dram}));
  ASSERT_EQ(problem.problems.size(), 1U);
  EXPECT_EQ(to_string(problem.problems[0]), "no memory of small may keep tensor W (weight)");
}

TEST(Problem, RefusesUnsoundParts) {
  Workload workload = make_gemm("g", 4, 6, 8);
  workload.dims[0].size = 0;
  const Checked<Problem> problem = Problem::create(workload, with({}));
  EXPECT_FALSE(problem.value);
  ASSERT_EQ(problem.problems.size(), 2U);
  EXPECT_EQ(problem.problems[0].message, "workload: dimension M has size 0; sizes are at least 1");
  EXPECT_EQ(problem.problems[1].message,
            "architecture: MAC: the first (outermost) level must be a memory");
}

TEST(NamesTensor, TakesTheRoleOrTheName) {
  const Tensor tensor{.name = "A", .role = Role::Weight, .ranks = {}};
  EXPECT_TRUE(names_tensor("A", tensor));
  EXPECT_TRUE(names_tensor("weight", tensor));
  EXPECT_FALSE(names_tensor("a", tensor));
  EXPECT_FALSE(names_tensor("input", tensor));
}

}  // namespace
}  // namespace tilewright
