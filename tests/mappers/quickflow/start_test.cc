#include "mappers/quickflow/start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mappers/quickflow/setting.h"

namespace tilewright::quickflow {
namespace {

using ::testing::ElementsAre;
using testing::make_arch;
using testing::make_fanout;
using testing::make_memory;
using testing::make_problem;

std::vector<std::int64_t> chain_of(const Allocation& allocation, int dim) {
  std::vector<std::int64_t> bounds;
  for (int s = 0; s < allocation.tables().slots; ++s) {
    bounds.push_back(allocation.mapping().bound(s, DimId{dim}));
  }
  return bounds;
}

Constraint factor(const std::string& level, const std::string& dim, FactorRule::Relation relation,
                  std::int64_t value) {
  return {level, {}, FactorRule{dim, relation, value}, {}};
}

TEST(Start, LeavesFactorsAsFarOutsideAsConstraintsLetThem) {
  const Problem problem =
      make_problem(make_gemm("gemm", 12, 10, 7),
                   make_arch({make_memory("Outer"), make_memory("Middle"), make_memory("Inner")}));
  const Setting setting(problem, SpaceKind::Perfect,
                        {factor("Outer", "M", FactorRule::Relation::AtMost, 2),
                         factor("Inner", "N", FactorRule::Relation::AtLeast, 3)});
  const auto start = start_of(setting.tables);
  ASSERT_TRUE(start);
  EXPECT_THAT(chain_of(*start, 0), ElementsAre(2, 6, 1));
  EXPECT_THAT(chain_of(*start, 1), ElementsAre(2, 1, 5));
  EXPECT_THAT(chain_of(*start, 2), ElementsAre(7, 1, 1));
}

TEST(Start, FillsAxesThatOneDimensionMayUse) {
  Fanout array = make_fanout("Array", 16, 4);
  array.x.dims = std::vector<std::string>{"M"};
  const Problem problem =
      make_problem(make_gemm("gemm", 127, 12, 7), make_arch({make_memory("Outer"), array}));
  const Setting perfect(problem, SpaceKind::Perfect);
  EXPECT_THAT(chain_of(*start_of(perfect.tables), 0), ElementsAre(127, 1, 1));
  const Setting uneven(problem, SpaceKind::RubyS);
  EXPECT_THAT(chain_of(*start_of(uneven.tables), 0), ElementsAre(8, 1, 16));
  EXPECT_THAT(chain_of(*start_of(uneven.tables), 1), ElementsAre(12, 1, 1));
}

TEST(Start, BypassesWhatDoesNotFit) {
  Memory inner = make_memory("Inner", 2);
  inner.free = {"weight", "input", "output"};
  const Problem problem =
      make_problem(make_gemm("gemm", 4, 4, 4), make_arch({make_memory("Outer"), inner}));
  const Setting setting(problem, SpaceKind::Perfect);
  const auto start = start_of(setting.tables);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->mapping().kept(MemoryId{0}), 7U);
  EXPECT_EQ(std::popcount(start->mapping().kept(MemoryId{1})), 2);
}

// The outermost keeper must hold all of a tensor.
TEST(Start, KeepsATensorFurtherOutsideWhereItsHomeIsTooSmall) {
  Memory outer = make_memory("Outer");
  outer.free = {"weight", "input", "output"};
  const Problem problem =
      make_problem(make_gemm("gemm", 4, 4, 4), make_arch({outer, make_memory("Inner", 3)}));
  const Setting setting(problem, SpaceKind::Perfect);
  EXPECT_EQ(start_of(setting.tables).value().mapping().kept(MemoryId{0}), 7U);
}

TEST(Start, IsNothingWhereNothingFits) {
  const Problem problem = make_problem(make_gemm("gemm", 4, 4, 4),
                                       make_arch({make_memory("Outer"), make_memory("Inner", 2)}));
  EXPECT_FALSE(start_of(Setting(problem, SpaceKind::Perfect).tables));
}

TEST(Start, IsNothingWhereADimensionHasNoFactors) {
  const Problem problem =
      make_problem(make_gemm("gemm", 7, 4, 4), make_arch({make_memory("Outer")}));
  const Setting setting(problem, SpaceKind::Perfect,
                        {factor("Outer", "M", FactorRule::Relation::AtMost, 6)});
  EXPECT_FALSE(start_of(setting.tables));
}

TEST(Start, OfAStationaryTensorPushesTheOthersInside) {
  const Problem problem = make_problem(make_gemm("gemm", 8, 6, 5),
                                       make_arch({make_memory("Outer"), make_memory("Inner", 20)}));
  const Setting setting(problem, SpaceKind::Perfect);
  Allocation start = start_of(setting.tables).value();
  make_stationary(start, 0);  // the weights, which N does not move: 6 + 6 + 1 words
  EXPECT_THAT(chain_of(start, 0), ElementsAre(8, 1));
  EXPECT_THAT(chain_of(start, 1), ElementsAre(1, 6));
  EXPECT_THAT(chain_of(start, 2), ElementsAre(5, 1));
}

// Whose size here takes long to count up to.
TEST(Start, DoesNotGoThroughADimension) {
  constexpr std::int64_t kPrime = 10'000'000'019;
  Fanout array = make_fanout("Array", 16);
  array.x.dims = std::vector<std::string>{"M"};
  const Problem problem = make_problem(
      make_gemm("gemm", kPrime, 1, 1),
      make_arch({make_memory("Outer"), make_memory("Middle"), array, make_memory("Inner")}));
  const Setting perfect(problem, SpaceKind::Perfect);
  Allocation start = start_of(perfect.tables).value();
  make_stationary(start, 1);  // the input, which M does not move
  EXPECT_THAT(chain_of(start, 0), ElementsAre(1, 1, 1, 1, kPrime));
  const Setting uneven(problem, SpaceKind::Ruby);
  EXPECT_THAT(chain_of(start_of(uneven.tables).value(), 0),
              ElementsAre(ceil_div(kPrime, 16), 1, 1, 16, 1));
}

}  // namespace
}  // namespace tilewright::quickflow
