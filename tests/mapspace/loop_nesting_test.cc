#include "mapspace/loop_nesting.h"

#include <gtest/gtest.h>

#include "mapspace/constraints.h"

namespace tilewright {
namespace {

using namespace testing::constraints;  // NOLINT(google-build-using-namespace): names of rules

constexpr DimId kM{0}, kN{1}, kK{2};
constexpr MemoryId kOuter{0}, kInner{1};
const std::vector<DimId> kAll = {kM, kN, kK};
constexpr std::uint32_t kMBit = 1, kNBit = 2, kKBit = 4;

TEST(LoopNesting, IsFreeWithoutConstraintsOfTheMemory) {
  const Restrictions some = resolved(example(), {order({"K"}, {})});
  const LoopNesting nesting(some, kInner, kAll);
  EXPECT_TRUE(nesting.is_free());
  EXPECT_EQ(nesting.next(kMBit | kKBit), kMBit | kKBit);
}

TEST(LoopNesting, InnermostLoopsComeFirstAndOutermostOnesLast) {
  const Restrictions some = resolved(example(), {order({"K"}, {"N"})});
  const LoopNesting nesting(some, kOuter, kAll);
  EXPECT_FALSE(nesting.is_free());
  EXPECT_EQ(nesting.next(kMBit | kNBit | kKBit), kNBit);
  EXPECT_EQ(nesting.next(kMBit | kKBit), kMBit);
  EXPECT_EQ(nesting.next(kKBit), kKBit);
  EXPECT_EQ(nesting.inside(2), kMBit | kNBit);
}

TEST(LoopNesting, ListsAreFromTheOutsideIn) {
  const Restrictions some = resolved(example(), {order({"K", "M"}, {})});
  const LoopNesting nesting(some, kOuter, kAll);
  EXPECT_EQ(nesting.next(kMBit | kNBit | kKBit), kNBit);
  EXPECT_EQ(nesting.next(kMBit | kKBit), kMBit);
}

TEST(LoopNesting, NumbersDimensionsAsTheCallerDoes) {
  const Restrictions some = resolved(example(), {order({"K", "M"}, {"N"})});
  const std::vector<DimId> without_m = {kK, kN};
  const LoopNesting nesting(some, kOuter, without_m);
  EXPECT_EQ(nesting.inside(0), 2U);
  EXPECT_EQ(nesting.inside(1), 0U);
}

}  // namespace
}  // namespace tilewright
