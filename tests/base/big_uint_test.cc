#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/random_problem.h"
#include "tilewright/base.h"

namespace tilewright {
namespace {

using testing::TestRng;

BigUint random_number(TestRng& rng, int limbs) {
  BigUint number;
  for (int i = 0; i < limbs; ++i) {
    number *= BigUint(std::uint64_t{1} << 32U);
    number += rng.next() >> 32U;
  }
  return number;
}

BigUint factorial(int n) {
  BigUint product = 1;
  for (int i = 2; i <= n; ++i) product *= static_cast<std::uint64_t>(i);
  return product;
}

TEST(BigUint, WritesAllDigits) {
  EXPECT_EQ(BigUint(0).to_string(), "0");
  EXPECT_EQ(BigUint(1'000'000'000'000'000'000).to_string(), "1000000000000000000");
  EXPECT_EQ(factorial(30).to_string(), "265252859812191058636308480000000");
  EXPECT_EQ(factorial(50).to_string(),
            "30414093201713378043612608166064768844377641568960512000000000000");
}

TEST(BigUint, DivisionUndoesMultiplication) {
  TestRng rng(11);
  for (int i = 0; i < 2000; ++i) {
    const BigUint a = random_number(rng, 1 + i % 9);
    BigUint b = random_number(rng, 1 + i % 5);
    b += 1;
    BigUint rest = random_number(rng, 1 + i % 9);
    rest = rest.divide(b);  // any number below b
    BigUint quotient = a * b + rest;
    const BigUint remainder = quotient.divide(b);
    EXPECT_EQ(quotient, a);
    EXPECT_EQ(remainder, rest);
  }
}

TEST(BigUint, MultiplicationDistributesOverAddition) {
  TestRng rng(12);
  for (int i = 0; i < 1000; ++i) {
    const BigUint a = random_number(rng, 1 + i % 7);
    const BigUint b = random_number(rng, 1 + i % 4);
    const BigUint c = random_number(rng, 1 + i % 6);
    EXPECT_EQ((a + b) * c, a * c + b * c);
    EXPECT_EQ((a + b) - b, a);
    EXPECT_EQ(a * b, b * a);
    BigUint sum = a;
    sum.add_product(b, c);
    EXPECT_EQ(sum, a + b * c);
  }
}

TEST(BigUint, ComparesByValue) {
  EXPECT_LT(BigUint(5), BigUint(6));
  EXPECT_LT(BigUint(~std::uint64_t{0}), factorial(40));
  EXPECT_EQ(factorial(40) - factorial(40), BigUint(0));
  EXPECT_TRUE((factorial(40) - factorial(40)).is_zero());
}

TEST(BigUint, KnowsItsBits) {
  EXPECT_EQ(BigUint(0).bit_count(), 0);
  EXPECT_EQ(BigUint(1).bit_count(), 1);
  BigUint power = 1;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(power.bit_count(), i + 1);
    EXPECT_EQ(power.high_bits(i), 1U);
    EXPECT_DOUBLE_EQ(power.value(), std::ldexp(1.0, i));
    power *= 2;
  }
}

TEST(BigUint, RefusesWhatItCannotHold) {
  BigUint power = 1;
  for (int i = 0; i < 2047; ++i) power *= 2;
  EXPECT_THROW(power + power, std::overflow_error);
  EXPECT_THROW(power * BigUint(2), std::overflow_error);
  EXPECT_THROW(power * factorial(30), std::overflow_error);
  EXPECT_THROW(power * power, std::overflow_error);
  BigUint sum = power;
  EXPECT_THROW(sum.add_product(power, 1), std::overflow_error);
}

TEST(BigUint, IsReadable) {
  EXPECT_EQ(readable(0), "0");
  EXPECT_EQ(readable(999), "999");
  EXPECT_EQ(readable(1'234'567), "1,234,567");
  EXPECT_EQ(readable(factorial(30)), "2.65e+32 (33 digits)");
}

TEST(Rng, GivesTheSameNumbersEverywhere) {
  Rng rng(1);
  const std::uint64_t first = rng.next();
  Rng again(1);
  EXPECT_EQ(again.next(), first);
  Rng stream(1, 1);
  EXPECT_NE(stream.next(), first);
  Rng other(2);
  EXPECT_NE(other.next(), first);
}

TEST(Rng, DrawsEveryValueBelowTheBoundAboutEquallyOften) {
  Rng rng(3);
  std::array<int, 7> hits{};
  for (int i = 0; i < 70'000; ++i) ++hits[rng.below(std::uint64_t{7})];
  // 10 000 expected, standard deviation 93.
  for (const int count : hits) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Rng, DrawsLargeNumbersBelowTheBound) {
  Rng rng(4);
  const BigUint bound = factorial(35);
  BigUint sum;
  for (int i = 0; i < 4000; ++i) {
    const BigUint drawn = rng.below(bound);
    ASSERT_LT(drawn, bound);
    sum += drawn;
  }
  EXPECT_NEAR(sum.value() / (4000 * bound.value()), 0.5, 0.03);
}

}  // namespace
}  // namespace tilewright
