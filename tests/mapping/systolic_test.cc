#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/problems.h"

namespace tilewright::testing {
namespace {

using ::testing::HasSubstr;

Architecture systolic_arch(const std::string& stationary = "weight") {
  Fanout rows = make_fanout("Rows", 1, 8);
  Fanout columns = make_fanout("Columns", 4);
  rows.stationary = columns.stationary = stationary;
  rows.fills_diagonally = columns.fills_diagonally = true;
  columns.preload = Axis::X;
  Memory sums = make_memory("Sums", 16);
  sums.keep = {"output"};
  Memory registers = make_memory("Registers", 1);
  registers.keep = {"weight"};
  return make_arch({make_memory("DRAM"), rows, sums, columns, registers});
}

std::string complaint(const Architecture& arch) {
  const Checked<Problem> problem = Problem::create(make_gemm("gemm", 8, 8, 8), arch);
  return problem.ok() ? "" : to_string(problem.problems.front());
}

TEST(SystolicArray, MayBeWrittenAsSeveralFanouts) {
  const Problem problem = make_problem(make_gemm("gemm", 8, 8, 8), systolic_arch());
  ASSERT_TRUE(problem.systolic().has_value());
  EXPECT_EQ(problem.workload().tensor(problem.systolic()->tensor).name, "W");
  EXPECT_EQ(problem.memory(problem.systolic()->memory).name, "Registers");
  EXPECT_EQ(problem.systolic()->fill_cycles, 7 + 3);
  EXPECT_EQ(problem.systolic()->preload_cycles, 4);
}

TEST(SystolicArray, IsNoneWithoutFillAndPreload) {
  Architecture arch = systolic_arch();
  for (Level& level : arch.levels) {
    if (auto* fanout = std::get_if<Fanout>(&level)) {
      fanout->fills_diagonally = false;
      fanout->preload.reset();
    }
  }
  EXPECT_FALSE(make_problem(make_gemm("gemm", 8, 8, 8), arch).systolic().has_value());
}

TEST(SystolicArray, CyclesThatAreTooManyCountAsTheMost) {
  const SystolicArray array{TensorId{0}, MemoryId{1}, kCountLimit, kCountLimit};
  EXPECT_EQ(array.cycles_for(1, 1), 2 * Int128{kCountLimit} + 1);
  EXPECT_EQ(array.cycles_for(1, Int128{1} << 70), kWideLimit);
  EXPECT_EQ(array.fill_cycles_for(kWideLimit), kWideLimit);
}

TEST(SystolicArray, NeedsATensorThatStandsStill) {
  EXPECT_EQ(complaint(systolic_arch()), "");
  EXPECT_THAT(complaint(systolic_arch("V")),
              HasSubstr("Columns holds V still, but there is no such tensor in gemm"));
  EXPECT_THAT(complaint(systolic_arch("output")),
              HasSubstr("Columns holds O still, but no memory inside always keeps it"));
  Architecture free = systolic_arch();
  auto& registers = std::get<Memory>(free.levels[4]);
  registers.keep.reset();
  registers.free = {"weight"};
  EXPECT_THAT(complaint(free), HasSubstr("list W under keep of Registers"));
  Architecture homeless = systolic_arch();
  std::get<Memory>(homeless.levels[0]).bypass = {"weight"};
  EXPECT_THAT(complaint(homeless), HasSubstr("no memory outside Registers always keeps it"));
}

TEST(SystolicArray, HasNoRoleOfSeveralTensors) {
  Workload workload = make_gemm("gemm", 8, 8, 8);
  workload.tensors.insert(workload.tensors.begin(), workload.tensors.front());
  workload.tensors.front().name = "V";
  workload.tensors[0].role = workload.tensors[1].role = Role::Weight;
  const Checked<Problem> problem = Problem::create(workload, systolic_arch());
  ASSERT_FALSE(problem.ok());
  EXPECT_THAT(to_string(problem.problems.front()),
              HasSubstr("which is the role of several tensors of gemm"));
}

// Of several storage points of a memory, it stands still at its own.
TEST(SystolicArray, StandsStillAtAStoragePoint) {
  Architecture arch = systolic_arch();
  std::get<Memory>(arch.levels[4]).keep.reset();  // the registers keep all
  std::get<Memory>(arch.levels[4]).capacity.amount = 8;
  const Problem problem = make_problem(make_gemm("gemm", 8, 8, 8), arch);
  const std::uint32_t weight = 1U << index_of(problem.systolic()->tensor);
  const Checked<Problem> apart = with_points(problem, {{}, {}, {7 & ~weight, weight}});
  ASSERT_TRUE(apart.ok()) << to_string(apart.problems.front());
  ASSERT_TRUE(apart.value->systolic().has_value());
  EXPECT_EQ(apart.value->memory(apart.value->systolic()->memory).name, "Registers(W)");
  EXPECT_EQ(apart.value->systolic()->fill_cycles, problem.systolic()->fill_cycles);
}

}  // namespace
}  // namespace tilewright::testing
