#include "io/decimal.h"

#include <gtest/gtest.h>

namespace tilewright::io {
namespace {

Decimal decimal(std::string_view text) { return take_decimal(text).value_or(Decimal{"?", 0}); }

TEST(TakeDecimal, StopsWhereTheNumberEnds) {
  std::string_view text = "12.50e-1 pJ";
  const auto number = take_decimal(text);
  ASSERT_TRUE(number);
  EXPECT_EQ(number->digits, "125");
  EXPECT_EQ(number->exponent, -2);
  EXPECT_EQ(text, " pJ");
}

TEST(TakeDecimal, LeavesALetterThatIsNoExponent) {
  std::string_view text = "4EB";
  EXPECT_TRUE(take_decimal(text));
  EXPECT_EQ(text, "EB");
}

TEST(TakeDecimal, RefusesWhatIsNoNumber) {
  for (std::string_view text : {"", ".", "-1", "e5", "nan", "inf", "+1", " 1"}) {
    EXPECT_FALSE(take_decimal(text)) << text;
  }
}

TEST(ToDouble, IsTheNearestDouble) {
  EXPECT_EQ(to_double(decimal("0.1"), 0), 0.1);
  EXPECT_EQ(to_double(decimal("000"), 3), 0.0);
  EXPECT_EQ(to_double(decimal("1.7976931348623157e308"), 0), 1.7976931348623157e308);
  EXPECT_EQ(to_double(decimal("5e-324"), 0), 5e-324);
  EXPECT_EQ(to_double(decimal("1e309"), 0), std::nullopt);
  EXPECT_EQ(to_double(decimal("1e99999999999999"), 0), std::nullopt);
  EXPECT_EQ(to_double(decimal("0e99999999999999"), 0), 0.0);
}

TEST(ToWholeNumber, IsExactOrNothing) {
  EXPECT_EQ(to_whole_number(decimal("1.5"), 8), 12);
  EXPECT_EQ(to_whole_number(decimal("1.5"), 1), std::nullopt);
  EXPECT_EQ(to_whole_number(decimal("1e18"), 1), 1'000'000'000'000'000'000);
  EXPECT_EQ(to_whole_number(decimal("1152921504606846976"), 1), kCountLimit);
  EXPECT_EQ(to_whole_number(decimal("1152921504606846977"), 1), std::nullopt);
  EXPECT_EQ(to_whole_number(decimal("1e19"), 1), std::nullopt);
}

TEST(ToRational, IsInLowestTerms) {
  EXPECT_EQ(to_rational(decimal("0.50")), (Rational{1, 2}));
  EXPECT_EQ(to_rational(decimal("120")), (Rational{120, 1}));
  EXPECT_EQ(to_rational(decimal("0.000000000000000001")), (Rational{1, 1'000'000'000'000'000'000}));
  EXPECT_EQ(to_rational(decimal("0.0000000000000000001")), std::nullopt);
}

TEST(DecimalText, IsShortAndReadsBack) {
  EXPECT_EQ(decimal_text(0.1), "0.1");
  EXPECT_EQ(decimal_text(64.0), "64");
}

}  // namespace
}  // namespace tilewright::io
