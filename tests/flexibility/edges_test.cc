// Flexion where there is little to choose, or nothing to count.
#include <gtest/gtest.h>

#include "flexibility/setup.h"

namespace tilewright {
namespace {

using testing::flexible_arch;
using testing::flexion;

Workload product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return make_gemm("product", m, n, k);
}

TEST(FlexionEdges, WithoutAChoiceEverythingIsSupported) {
  const Architecture arch = flexible_arch("T=soft,O=KCYXRS,P=CK,S=16x64");
  for (const TopsAxis axis : kTopsAxes) {
    SCOPED_TRACE(to_string(axis));
    EXPECT_EQ(flexion(product(1, 1, 1), arch, axis).workload(), 1);
  }
  const AxisFlexion pairs = flexion(product(7, 1, 1), arch, TopsAxis::Parallel);
  EXPECT_TRUE(pairs.of_workload.is_zero());
  EXPECT_TRUE(pairs.both.count.is_zero());
  EXPECT_EQ(pairs.workload(), 1);
}

TEST(FlexionEdges, OnePairIsLeftWhereNoneHasTwoLoops) {
  const AxisFlexion pairs =
      flexion(product(7, 1, 5), flexible_arch("P={RS,YX}"), TopsAxis::Parallel);
  EXPECT_EQ(pairs.both.count, 1U);
  EXPECT_EQ(pairs.of_workload, 2U);
}

TEST(FlexionEdges, RowsOfTheFirstPairDecideAboutShapes) {
  const Workload workload = product(7, 3, 2000);  // K, Y, C
  const auto rows = [&](const std::string& line) {
    return flexion(workload, flexible_arch(line + ",S=any"), TopsAxis::Shape).of_workload;
  };
  EXPECT_EQ(rows("P=CK"), 2000U);
  EXPECT_EQ(rows("P={KC,CK}"), 7U);
  EXPECT_EQ(rows("P=all"), 7U);
  const AxisFlexion shapes = flexion(workload, flexible_arch("P=CK,S=any"), TopsAxis::Shape);
  EXPECT_EQ(shapes.class_both.count, 1024U);
  EXPECT_EQ(shapes.both.count, 1024U);
}

TEST(FlexionEdges, OrdersThatDifferInLoopsThatRunOnceAreOne) {
  const AxisFlexion orders =
      flexion(product(7, 3, 5), flexible_arch("O={KCYXRS,XRKSCY,YKCXRS}"), TopsAxis::Order);
  EXPECT_EQ(orders.supported, 3U);
  EXPECT_EQ(orders.both.count, 2U);
  EXPECT_EQ(orders.of_workload, 6U);
}

TEST(FlexionEdges, BuffersWithoutLimitAreRefused) {
  Architecture arch = flexible_arch("T=soft");
  std::get<Memory>(arch.levels[1]).capacity = {};
  const auto result = flexion_of(product(2, 2, 2), arch, TopsAxis::Tile);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(to_string(result.problems[0]),
            "Buffer has no limit, so there is no end to the tiles that fit; name a memory with a "
            "capacity as the buffer of the flexibility");
  EXPECT_TRUE(flexion_of(product(2, 2, 2), arch, TopsAxis::Order).ok());
}

TEST(FlexionEdges, BuffersTooSmallForOneElementEachAreRefused) {
  const auto result = flexion_of(product(2, 2, 2), flexible_arch("T=soft", 2), TopsAxis::Tile);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].message, "Buffer cannot hold one element of each tensor");
}

TEST(FlexionEdges, APartWithoutRoomSupportsNoTile) {
  Architecture arch = flexible_arch("T=hard(0.01:0.5:0.4)");
  std::get<Memory>(arch.levels[1]).capacity = {Capacity::Unit::Bits, 700};  // 7 bits of weights
  const AxisFlexion tiles = flexion(product(2, 2, 2), arch, TopsAxis::Tile);
  EXPECT_TRUE(tiles.supported.is_zero());
  EXPECT_TRUE(tiles.both.count.is_zero());
  EXPECT_EQ(tiles.hardware(), 0);
  EXPECT_EQ(tiles.workload(), 0);
  EXPECT_EQ(tiles.class_both.count, 8U);
}

// A buffer of 2^55 words has about 2^162 footprints.
TEST(FlexionEdges, FootprintsMayBeMany) {
  const std::int64_t words = std::int64_t{1} << 55;
  const AxisFlexion tiles =
      flexion(product(2, 2, 2), flexible_arch("T=soft", words), TopsAxis::Tile);
  EXPECT_EQ(tiles.of_class.bit_count(), 3 * 55 - 2);
  EXPECT_EQ(tiles.hardware(), 1);
}

TEST(FlexionEdges, WidthsWithNothingInCommonAreRefused) {
  Workload workload = product(2, 2, 2);
  workload.tensors[0].bits = 65521;
  workload.tensors[1].bits = 65519;
  workload.tensors[2].bits = 65497;
  Architecture arch = flexible_arch("T=soft");
  std::get<Memory>(arch.levels[1]).capacity = {Capacity::Unit::Bits, 100'000'000};
  const auto result = flexion_of(workload, arch, TopsAxis::Tile);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_NE(result.problems[0].message.find("too little in common"), std::string::npos);
}

TEST(FlexionEdges, AStencilWithoutAWeightIsRefused) {
  const Workload workload =
      io::read_workload_line("O[m] += A[m,k]*B[k]*D[m]; m=4 k=4", "line").value.value();
  EXPECT_FALSE(flexion_of(workload, flexible_arch("T=soft"), TopsAxis::Order).ok());
}

// Every dimension is part of a window: nothing to solve for.
TEST(FlexionEdges, TilesOfWindowsAlone) {
  Conv2d conv;
  conv.p = 5;
  conv.r = 3;
  // r + (p + r - 1) + p <= 10: 2p + 2r <= 11.
  const AxisFlexion tiles =
      flexion(make_conv2d("line", conv), flexible_arch("T=soft", 10), TopsAxis::Tile);
  EXPECT_EQ(tiles.of_workload, 15U);
  EXPECT_EQ(tiles.both.count, 9U);
}

// Timeloop counts the gaps that a stride leaves.
TEST(FlexionEdges, TilesAreAsLargeAsTheAccountingSays) {
  Conv2d conv;
  conv.p = 5;
  conv.stride_h = 3;
  Architecture arch = flexible_arch("T=soft", 10);
  const auto fitting = [&](Accounting accounting) {
    arch.accounting = accounting;
    return flexion(make_conv2d("line", conv), arch, TopsAxis::Tile).both.count;
  };
  EXPECT_EQ(fitting(Accounting::Exact), 4U);     // 1 + p + p <= 10
  EXPECT_EQ(fitting(Accounting::Timeloop), 2U);  // 1 + 3p-2 + p <= 10
}

TEST(FlexionEdges, LayersOfANetworkAreNamedInComplaints) {
  Network network;
  network.layers = {{"first", product(2, 2, 2), 1, "", ""}};
  const auto result = flexion_of(network, flexible_arch("T=soft", 2));
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].message,
            "layer first: Buffer cannot hold one element of each tensor");
}

}  // namespace
}  // namespace tilewright
