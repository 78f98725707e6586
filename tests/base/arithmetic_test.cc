#include <fmt/format.h>
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
  EXPECT_EQ(cycles_for(Int128{1} << 100U, {1, kCountLimit}), kWideLimit);
  EXPECT_EQ(cycles_for(Int128{5}, {0, 1}), kWideLimit);
}

// Words times the denominator would have more than 128 bits.
TEST(CyclesFor, TakesCountsOf128Bits) {
  const Int128 words = (Int128{1} << 100U) + 1;
  EXPECT_EQ(cycles_for(words, {1, 1}), words);
  EXPECT_EQ(cycles_for(words, {2, 1}), (Int128{1} << 99U) + 1);
  EXPECT_EQ(cycles_for(words, {kCountLimit, kCountLimit}), words);
  EXPECT_EQ(cycles_for(3 * words, {3, 1 << 20}), words << 20U);
  for (const std::int64_t n : {1, 2, 7, 1000}) {
    for (const Rational rate : {Rational{1, 3}, Rational{7, 2}, Rational{5, 5}}) {
      EXPECT_EQ(cycles_for(Int128{n}, rate), cycles_for(n, rate));
    }
  }
}

TEST(WideProduct, EndsAtItsLimit) {
  EXPECT_EQ(wide_product(kCountLimit, kCountLimit), Int128{1} << 120U);
  EXPECT_EQ(wide_product(Int128{1} << 100U, 1 << 20), Int128{1} << 120U);
  EXPECT_EQ(wide_product(Int128{1} << 100U, Int128{1} << 100U), kWideLimit);
  EXPECT_EQ(wide_product(0, kWideLimit), 0);
  EXPECT_EQ(narrowed(kWideLimit), kCountLimit);
  EXPECT_EQ(narrowed(12), 12);
}

TEST(BigNumbers, HoldThoseOf128Bits) {
  for (const Int128 number : {Int128{0}, Int128{1}, Int128{1} << 64U, kWideLimit - 1}) {
    EXPECT_EQ(BigUint::of(number).wide(), number);
    EXPECT_EQ(BigUint::of(number).to_string(), fmt::format("{}", number));
  }
}

}  // namespace
}  // namespace tilewright
