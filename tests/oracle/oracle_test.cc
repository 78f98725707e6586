// Cases small enough to count by hand.

#include "oracle/oracle.h"

#include <gtest/gtest.h>

#include "support/problems.h"

namespace tilewright::oracle {
namespace {

using namespace tilewright::testing;

constexpr std::size_t kInput = 0, kWeight = 1, kOutput = 2;

// O[P] += I[P+R] * W[R]
Workload conv1d(std::int64_t p, std::int64_t r) {
  Workload workload;
  workload.name = "conv1d";
  workload.dims = {{"P", p}, {"R", r}};
  const Rank window = {{DimId{0}, 1}, {DimId{1}, 1}};
  workload.tensors = {{"I", Role::Input, {window}, 8},
                      {"W", Role::Weight, {{{DimId{1}, 1}}}, 8},
                      {"O", Role::Output, {{{DimId{0}, 1}}}, 8}};
  return workload;
}

TEST(Oracle, SlidesAWindowAndLoadsOnlyWhatIsNew) {
  const Problem problem =
      make_problem(conv1d(4, 3), make_arch({make_memory("dram"), make_memory("buf")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"P", 4}});
  set_loops(problem, mapping, "buf", {{"R", 3}});
  const Counts counts = execute(problem, mapping);
  // Windows of 3, each one element further: 3 + 1 + 1 + 1.
  EXPECT_EQ(counts.memories[1].tensors[kInput].total.fills, 6);
  EXPECT_EQ(counts.memories[0].tensors[kInput].total.reads, 6);
  EXPECT_EQ(counts.memories[1].tensors[kInput].tile_words, 3);
  // The filter stays: it is loaded once.
  EXPECT_EQ(counts.memories[1].tensors[kWeight].total.fills, 3);
}

TEST(Oracle, LoadsTheWholeWindowAgainWhenAnOuterLoopAdvances) {
  Workload workload = conv1d(4, 3);
  workload.dims.push_back({"M", 2});
  workload.tensors[kWeight].ranks.push_back({{DimId{2}, 1}});
  workload.tensors[kOutput].ranks.push_back({{DimId{2}, 1}});
  const Problem problem =
      make_problem(workload, make_arch({make_memory("dram"), make_memory("buf")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"M", 2}, {"P", 4}});
  set_loops(problem, mapping, "buf", {{"R", 3}});
  EXPECT_EQ(execute(problem, mapping).memories[1].tensors[kInput].total.fills, 12);
  // With M innermost the window rests while M runs.
  set_loops(problem, mapping, "dram", {{"P", 4}, {"M", 2}});
  EXPECT_EQ(execute(problem, mapping).memories[1].tensors[kInput].total.fills, 6);
}

TEST(Oracle, ReadsPartialSumsBackExceptAtTheFirstVisit) {
  const Problem problem =
      make_problem(make_gemm("g", 2, 1, 6), make_arch({make_memory("dram"), make_memory("buf")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"K", 3}, {"M", 2}});
  set_loops(problem, mapping, "buf", {{"K", 2}});
  const Counts counts = execute(problem, mapping);
  const TensorCounts& outer = counts.memories[0].tensors[kOutput];
  EXPECT_EQ(outer.total.updates, 6);  // two sums, sent out three times each
  EXPECT_EQ(outer.total.reads, 4);    // and taken back twice
  EXPECT_EQ(counts.memories[1].tensors[kOutput].total.fills, 4);
  EXPECT_EQ(outer.total.fills, 0);
}

TEST(Oracle, SharesOneReadAmongInstancesWithTheSameTile) {
  for (const bool multicast : {true, false}) {
    Fanout fanout = make_fanout("array", 4);
    fanout.multicast = multicast;
    const Problem problem =
        make_problem(make_gemm("g", 4, 1, 3), make_arch({make_memory("buf"), fanout}));
    Mapping mapping(problem);
    set_loops(problem, mapping, "buf", {{"K", 3}});
    set_loops(problem, mapping, "array.x", {{"M", 4}});
    const Counts counts = execute(problem, mapping);
    // GEMM's tensors are W, I, O; the input I[K,N] is the same for all M.
    EXPECT_EQ(counts.memories[0].tensors[1].total.reads, multicast ? 3 : 12);
    EXPECT_EQ(counts.memories[0].tensors[0].total.reads, 12);
  }
}

TEST(Oracle, AddsUpReplicasOfAnOutputOnTheWayOut) {
  for (const bool reduction : {true, false}) {
    Fanout fanout = make_fanout("array", 4);
    fanout.reduction = reduction;
    const Problem problem =
        make_problem(make_gemm("g", 2, 1, 4), make_arch({make_memory("buf"), fanout}));
    Mapping mapping(problem);
    set_loops(problem, mapping, "buf", {{"M", 2}});
    set_loops(problem, mapping, "array.x", {{"K", 4}});
    const Counts counts = execute(problem, mapping);
    EXPECT_EQ(counts.memories[0].tensors[kOutput].total.updates, reduction ? 2 : 8);
    EXPECT_EQ(counts.memories[0].tensors[kOutput].total.reads, reduction ? 0 : 6);
  }
}

TEST(Oracle, SharesAlongTheDiagonalsOfAnArrayThatHoldsAWindow) {
  const Problem problem =
      make_problem(conv1d(3, 2), make_arch({make_memory("buf"), make_fanout("array", 3, 2)}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "array.x", {{"P", 3}});
  set_loops(problem, mapping, "array.y", {{"R", 2}});
  const Counts counts = execute(problem, mapping);
  EXPECT_EQ(counts.memories[0].tensors[kInput].total.reads, 4);  // p + r is 0, 1, 2 or 3
  EXPECT_EQ(counts.memories[0].tensors[kInput].delivered, 6);
}

// QuickFlow's example: eight neighbours with a window of three words have ten different ones.
TEST(Oracle, SharesOverlapsOfNeighboursWhereHalosAreShared) {
  for (const bool shared : {true, false}) {
    Fanout fanout = make_fanout("array", 8);
    fanout.shares_halos = shared;
    const Problem problem = make_problem(
        conv1d(8, 3), make_arch({make_memory("buf"), fanout, make_memory("register")}));
    Mapping mapping(problem);
    set_loops(problem, mapping, "array.x", {{"P", 8}});
    set_loops(problem, mapping, "register", {{"R", 3}});
    const Counts counts = execute(problem, mapping);
    EXPECT_EQ(counts.memories[0].tensors[kInput].total.reads, shared ? 10 : 24);
    EXPECT_EQ(counts.memories[1].tensors[kInput].total.fills, 24);
  }
}

TEST(Oracle, RunsAHundredElementsOnSixInstancesInSeventeenSteps) {
  Workload workload;
  workload.name = "elements";
  workload.dims = {{"X", 100}};
  workload.tensors = {{"I", Role::Input, {{{DimId{0}, 1}}}, 8},
                      {"O", Role::Output, {{{DimId{0}, 1}}}, 8}};
  const Problem problem =
      make_problem(workload, make_arch({make_memory("buf"), make_fanout("row", 6)}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "buf", {{"X", 17}});
  set_loops(problem, mapping, "row.x", {{"X", 6}});
  const Counts counts = execute(problem, mapping);
  EXPECT_EQ(counts.compute_steps, 17);
  EXPECT_EQ(counts.macs, 100);
  EXPECT_EQ(counts.compute_instances, 6);
  EXPECT_EQ(counts.memories[0].tensors[0].total.reads, 100);
}

TEST(Oracle, LetsABypassedMemorySeeNothing) {
  Memory buffer = make_memory("buf");
  buffer.bypass = {"weight"};
  const Problem problem =
      make_problem(make_gemm("g", 4, 2, 2), make_arch({make_memory("dram"), buffer}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"M", 4}});
  set_loops(problem, mapping, "buf", {{"N", 2}, {"K", 2}});
  const Counts counts = execute(problem, mapping);
  EXPECT_FALSE(counts.memories[1].tensors[0].kept);
  EXPECT_EQ(counts.memories[0].tensors[0].total.reads, 16);  // one per multiplication
}

TEST(Oracle, CountsBoundingBoxesOnlyUnderTimeloopAccounting) {
  Workload workload = conv1d(3, 1);
  workload.tensors[kInput].ranks[0][0].coefficient = 2;
  for (const Accounting accounting : {Accounting::Exact, Accounting::Timeloop}) {
    Architecture arch = make_arch({make_memory("dram"), make_memory("buf")});
    arch.accounting = accounting;
    const Problem problem = make_problem(workload, arch);
    Mapping mapping(problem);
    set_loops(problem, mapping, "buf", {{"P", 3}});
    EXPECT_EQ(execute(problem, mapping).memories[1].tensors[kInput].total.fills,
              accounting == Accounting::Exact ? 3 : 5);
  }
}

}  // namespace
}  // namespace tilewright::oracle
