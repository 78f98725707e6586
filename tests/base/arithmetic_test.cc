#include <gtest/gtest.h>

#include <limits>

#include "tilewright/base.h"

namespace tilewright {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(CheckedProduct, MultipliesAndTakesNothingAsOne) {
  EXPECT_EQ(checked_product({}), 1);
  EXPECT_EQ(checked_product({3, 5, 7}), 105);
}

TEST(CheckedProduct, ReachesTheLimitButDoesNotPassIt) {
  EXPECT_EQ(checked_product({std::int64_t{1} << 30, std::int64_t{1} << 30}), kCountLimit);
  EXPECT_EQ(checked_product({kCountLimit, 2}), std::nullopt);
  EXPECT_EQ(checked_product({kLargest, kLargest, kLargest}), std::nullopt);
}

TEST(CheckedProduct, IsZeroWhereverTheZeroStands) {
  EXPECT_EQ(checked_product({kLargest, kLargest, 0}), 0);
}

TEST(RationalText, IsShortAndExact) {
  EXPECT_EQ(to_string(Rational{1, 2}), "0.5");
  EXPECT_EQ(to_string(Rational{7, 1}), "7");
  EXPECT_EQ(to_string(Rational{401, 40}), "10.025");
  EXPECT_EQ(to_string(Rational{1, 3}), "1/3");
  EXPECT_EQ(to_string(Rational{2, 4}), "2/4");
}

TEST(DurationText, HasThreeDigitsOrSo) {
  EXPECT_EQ(duration_text(0.0012), "1.2 ms");
  EXPECT_EQ(duration_text(0.0423), "42 ms");
  EXPECT_EQ(duration_text(0.0996), "0.10 s");
  EXPECT_EQ(duration_text(1.234), "1.23 s");
  EXPECT_EQ(duration_text(42.4), "42 s");
  EXPECT_EQ(duration_text(61), "1 min 01 s");
  EXPECT_EQ(duration_text(5400), "1.5 h");
}

TEST(CyclesFor, RoundsUp) {
  EXPECT_EQ(cycles_for(0, {1, 1}), 0);
  EXPECT_EQ(cycles_for(9, {4, 1}), 3);
  EXPECT_EQ(cycles_for(8, {4, 1}), 2);
  EXPECT_EQ(cycles_for(3, {1, 2}), 6);
  EXPECT_EQ(cycles_for(1, {2, 3}), 2);
}

TEST(CyclesFor, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(cycles_for(kLargest, {1, kLargest}), kLargest);
  EXPECT_EQ(cycles_for(5, {0, 1}), kLargest);
}

}  // namespace
}  // namespace tilewright
