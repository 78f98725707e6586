#include "tilewright/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DimId kM{0}, kN{1}, kK{2};
constexpr int kDram = 0, kArrayY = 1, kArrayX = 2, kBuffer = 3;

// GEMM of 4 x 6 x 65 on DRAM, a 3 x 14 array and a buffer in each instance.
Problem small_problem() {
  Memory dram;
  dram.name = "DRAM";
  Fanout array;
  array.name = "array";
  array.x = {14, std::vector<std::string>{"K", "N"}};
  array.y = {3, std::nullopt};
  Memory buffer;
  buffer.name = "buffer";
  buffer.bypass = {"weight"};
  buffer.free = {"input"};
  buffer.dims = std::vector<std::string>{};
  Architecture arch;
  arch.name = "small";
  arch.levels = {dram, array, buffer, Compute{.name = "MAC"}};
  return *Problem::create(make_gemm("g", 4, 6, 65), arch).value;
}

// M 4 and N 6 at DRAM; K as 17 x 4 with a last pass of 1.
Mapping sound_mapping(const Problem& problem) {
  Mapping mapping(problem);
  mapping.set_bound(kDram, kM, 4);
  mapping.set_bound(kDram, kN, 6);
  mapping.set_bound(kDram, kK, 17);
  mapping.set_bound(kArrayX, kK, 4);
  return mapping;
}

TEST(Mapping, StartsWithBoundsOfOneAndAllKept) {
  const Problem problem = small_problem();
  const Mapping mapping(problem);
  EXPECT_EQ(mapping.slot_count(), 4);
  EXPECT_EQ(mapping.memory_count(), 2);
  EXPECT_EQ(mapping.bound(kArrayX, kK), 1);
  EXPECT_EQ(mapping.kept(MemoryId{0}), 0b111U);
  EXPECT_EQ(mapping.kept(MemoryId{1}), 0b110U);
  EXPECT_EQ(mapping.order(MemoryId{1})[2], 2);
}

TEST(Mapping, OrdersUnnamedDimensionsLast) {
  const Problem problem = small_problem();
  Mapping mapping(problem);
  mapping.set_order(MemoryId{1}, {kK});
  EXPECT_THAT(std::vector<int>(mapping.order(MemoryId{1}), mapping.order(MemoryId{1}) + 3),
              ElementsAre(2, 0, 1));
}

TEST(LastPasses, AreTheDigitsOfTheLastIndexPlusOne) {
  const Problem problem = small_problem();
  const Mapping mapping = sound_mapping(problem);
  EXPECT_THAT(last_passes(problem, mapping, kK), ElementsAre(17, 1, 1, 1));
  EXPECT_THAT(last_passes(problem, mapping, kM), ElementsAre(4, 1, 1, 1));
}

TEST(IsPerfect, AsksThatBoundsMultiplyToTheSize) {
  const Problem problem = small_problem();
  Mapping mapping = sound_mapping(problem);
  EXPECT_FALSE(is_perfect(problem, mapping));
  mapping.set_bound(kDram, kK, 13);
  mapping.set_bound(kArrayX, kK, 5);
  EXPECT_TRUE(is_perfect(problem, mapping));
}

TEST(Canonical, MovesDimensionsWithoutALoopToTheEnd) {
  const Problem problem = small_problem();
  Mapping mapping(problem);
  mapping.set_bound(kDram, kN, 6);
  mapping.set_order(MemoryId{0}, {kK, kM, kN});
  const Mapping tidy = canonical(problem, mapping);
  EXPECT_THAT(std::vector<int>(tidy.order(MemoryId{0}), tidy.order(MemoryId{0}) + 3),
              ElementsAre(1, 0, 2));
  EXPECT_EQ(tidy.bound(kDram, kN), 6);
}

TEST(StructuralProblems, NoneForBoundsThatCover) {
  const Problem problem = small_problem();
  EXPECT_THAT(structural_problems(problem, sound_mapping(problem)), IsEmpty());
}

TEST(StructuralProblems, TellHowMuchOfADimensionIsMissing) {
  const Problem problem = small_problem();
  Mapping mapping = sound_mapping(problem);
  mapping.set_bound(kDram, kK, 5);
  mapping.set_bound(kDram, kM, 1);
  EXPECT_THAT(structural_problems(problem, mapping),
              ElementsAre("the bounds of M (all 1) multiply to 1, but its size is 4: 4 times "
                          "more is needed",
                          "the bounds of K (DRAM 5 x array.x 4) multiply to 20, but its size is "
                          "65: 4 times more is needed"));
}

TEST(StructuralProblems, SeeABoundBeyondWhatIsLeft) {
  const Problem problem = small_problem();
  Mapping mapping = sound_mapping(problem);
  mapping.set_bound(kDram, kK, 18);
  mapping.set_bound(kArrayY, kM, 0);
  EXPECT_THAT(structural_problems(problem, mapping),
              ElementsAre("array.y has bound 0 for M; bounds are at least 1",
                          "DRAM has bound 18 for K, but the levels inside it leave 17 of its 65 "
                          "iterations"));
}

TEST(StructuralProblems, SeeTensorsWhereTheHardwareDoesNotKeepThem) {
  const Problem problem = small_problem();
  Mapping mapping = sound_mapping(problem);
  mapping.set_kept(MemoryId{1}, 0b101U);
  EXPECT_THAT(structural_problems(problem, mapping),
              ElementsAre("the mapping keeps W in buffer, which the architecture makes it bypass"));
  mapping.set_kept(MemoryId{1}, 0b000U);
  EXPECT_THAT(
      structural_problems(problem, mapping),
      ElementsAre("the mapping lets O bypass buffer, which the architecture makes keep it"));
}

TEST(StructuralProblems, SeeATensorKeptNowhere) {
  Memory dram;
  dram.name = "DRAM";
  dram.free = {"input"};
  Architecture arch;
  arch.name = "free";
  arch.levels = {dram, Compute{.name = "MAC"}};
  const Problem problem = *Problem::create(make_gemm("g", 1, 1, 1), arch).value;
  Mapping mapping(problem);
  mapping.set_kept(MemoryId{0}, 0b101U);
  EXPECT_THAT(structural_problems(problem, mapping), ElementsAre("no memory keeps I"));
}

TEST(StructuralProblems, SeeAMappingOfAnotherProblem) {
  const Problem problem = small_problem();
  const Problem other =
      *Problem::create(make_batched_matmul("b", 2, 2, 2, 2), problem.arch()).value;
  EXPECT_THAT(structural_problems(problem, Mapping(other)),
              ElementsAre("the mapping was made for another problem"));
}

TEST(HardwareProblems, CountTheInstancesThatAreTooMany) {
  const Problem problem = small_problem();
  Mapping mapping = sound_mapping(problem);
  EXPECT_THAT(hardware_problems(problem, mapping), IsEmpty());
  mapping.set_bound(kArrayX, kN, 6);
  EXPECT_THAT(hardware_problems(problem, mapping),
              ElementsAre("fan-out array.x has 14 instances, the mapping uses N 6 x K 4 = 24: 10 "
                          "too many"));
}

TEST(HardwareProblems, SeeDimensionsThatALevelDoesNotAllow) {
  const Problem problem = small_problem();
  Mapping mapping = sound_mapping(problem);
  mapping.set_bound(kArrayX, kM, 2);
  mapping.set_bound(kBuffer, kM, 2);
  EXPECT_THAT(hardware_problems(problem, mapping),
              ElementsAre("array.x has bound 2 for M, but it allows only N, K",
                          "buffer has bound 2 for M, but it allows no dimension"));
}

}  // namespace
}  // namespace tilewright
