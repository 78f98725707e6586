#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/workload.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Workload sound() { return make_gemm("g", 4, 5, 6); }

TEST(WorkloadProblems, NoneInAShortForm) { EXPECT_THAT(problems_of(sound()), IsEmpty()); }

TEST(WorkloadProblems, AcceptAnOutputWithoutIndices) {
  Workload dot;
  dot.dims = {{"k", 9}};
  dot.tensors = {{"A", Role::Input, {{{DimId{0}, 1}}}, 8}, {"S", Role::Output, {}, 8}};
  EXPECT_THAT(problems_of(dot), IsEmpty());
}

TEST(WorkloadProblems, SeeDuplicateNames) {
  Workload workload = sound();
  workload.dims[1].name = "M";
  workload.tensors[1].name = "W";
  EXPECT_THAT(problems_of(workload),
              ElementsAre("two dimensions are named M", "two tensors are named W"));
}

TEST(WorkloadProblems, SeeNamesThatNoFileCouldCarry) {
  Workload workload = sound();
  workload.dims[0].name = "2m";
  workload.tensors[0].name = "";
  EXPECT_THAT(problems_of(workload),
              ElementsAre(HasSubstr("dimension name '2m'"), HasSubstr("tensor name ''")));
}

TEST(WorkloadProblems, SeeSizesCoefficientsAndWidthsOutOfRange) {
  Workload workload = sound();
  workload.dims[0].size = 0;
  workload.tensors[0].bits = 0;
  workload.tensors[1].ranks[0][0].coefficient = 0;
  EXPECT_THAT(problems_of(workload),
              ElementsAre("dimension M has size 0; sizes are at least 1",
                          "tensor W has 0 bits per element; it needs at least 1",
                          "an index of tensor I has dimension K with coefficient 0"));
}

TEST(WorkloadProblems, SeeAnOutputThatIsMissingOrNotLast) {
  Workload workload = sound();
  std::swap(workload.tensors[1], workload.tensors[2]);
  EXPECT_THAT(problems_of(workload),
              ElementsAre("tensor I is the last and must have the role output, not input",
                          "tensor O has the role output; only the last tensor can have it"));
}

TEST(WorkloadProblems, SeeThatInputsOrDimensionsAreMissing) {
  Workload workload = sound();
  workload.tensors.erase(workload.tensors.begin(), workload.tensors.begin() + 2);
  EXPECT_THAT(problems_of(workload),
              ElementsAre("dimension K is used by no tensor", "the workload has no input tensor"));
  EXPECT_THAT(problems_of(Workload{}),
              ElementsAre("the workload has no dimension", "the workload has no tensor"));
}

TEST(WorkloadProblems, SeeIndicesThatMakeNoSense) {
  Workload workload = sound();
  workload.tensors[0].ranks.push_back({});
  workload.tensors[0].ranks.push_back({{DimId{0}, 1}, {DimId{0}, 2}});
  workload.tensors[0].ranks.push_back({{DimId{7}, 1}});
  EXPECT_THAT(problems_of(workload),
              ElementsAre("an index of tensor W names no dimension",
                          "an index of tensor W names dimension M twice",
                          "tensor W uses dimension number 7, which does not exist"));
}

TEST(WorkloadProblems, SeeCountsThatCouldPassTheLimit) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 33;
  Workload workload = make_gemm("g", kLarge, kLarge, 2 * kLarge);  // 2^100
  EXPECT_THAT(problems_of(workload), IsEmpty());
  EXPECT_EQ(multiply_accumulates(workload), kMostMacs);
  workload.tensors[0].bits = 1 << 20;
  EXPECT_THAT(problems_of(workload), ElementsAre(HasSubstr("tensor W could pass 2^124")));
  workload.dims[0].size += 1;
  EXPECT_THAT(problems_of(workload), ElementsAre(HasSubstr("more than 2^100 multiply")));
  workload = sound();
  workload.dims[0].size = kCountLimit + 1;
  EXPECT_THAT(problems_of(workload), ElementsAre(HasSubstr("sizes are at most 2^60")));
  workload = sound();
  workload.tensors[1].ranks[0][0].coefficient = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(problems_of(workload),
              ElementsAre("an index of tensor I reaches over more than 2^60 places"));
}

TEST(WorkloadProblems, CountADiagonalsBoundingBox) {
  Workload diagonal;
  diagonal.dims = {{"m", std::int64_t{1} << 31}};
  diagonal.tensors = {{"A", Role::Input, {{{DimId{0}, 1}}}, 8}, {"S", Role::Output, {}, 8}};
  EXPECT_THAT(problems_of(diagonal), IsEmpty());
  diagonal.tensors[0].ranks.push_back({{DimId{0}, 1}});
  EXPECT_THAT(problems_of(diagonal),
              ElementsAre("an index of tensor A reaches over more than 2^60 places"));
}

TEST(WorkloadProblems, SeeMoreDimensionsAndTensorsThanTheModelHolds) {
  Workload workload;
  for (int i = 0; i <= kMaxDims; ++i) workload.dims.push_back({"d" + std::to_string(i), 2});
  std::vector<Rank> ranks;
  for (int i = 0; i <= kMaxDims; ++i) ranks.push_back({{DimId{i}, 1}});
  for (int i = 0; i < kMaxTensors; ++i) {
    workload.tensors.push_back({"T" + std::to_string(i), Role::Input, ranks, 8});
  }
  workload.tensors.push_back({"O", Role::Output, ranks, 8});
  EXPECT_THAT(problems_of(workload),
              ElementsAre("the workload has 17 dimensions; at most 16 are possible",
                          "the workload has 9 tensors; at most 8 are possible"));
}

}  // namespace
}  // namespace tilewright
