#include "fraction.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tilewright::io {

namespace {

constexpr Int128 kTermLimit = Int128{1} << 120;

Int128 magnitude(Int128 value) { return value < 0 ? -value : value; }

Int128 common_divisor(Int128 a, Int128 b) {
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<Int128> times(Int128 a, Int128 b) {
  Int128 result = 0;
  if (__builtin_mul_overflow(a, b, &result) || magnitude(result) >= kTermLimit) return std::nullopt;
  return result;
}

// In lowest terms; `below` is above 0.
std::optional<Fraction> reduced(const std::optional<Int128>& above,
                                const std::optional<Int128>& below) {
  if (!above || !below) return std::nullopt;
  const Int128 common = std::max<Int128>(1, common_divisor(magnitude(*above), *below));
  return Fraction{*above / common, *below / common};
}

}  // namespace

std::optional<Fraction> sum(const Fraction& a, const Fraction& b) {
  const auto first = times(a.above, b.below);
  const auto second = times(b.above, a.below);
  if (!first || !second || magnitude(*first + *second) >= kTermLimit) return std::nullopt;
  return reduced(*first + *second, times(a.below, b.below));
}

std::optional<Fraction> difference(const Fraction& a, const Fraction& b) {
  return sum(a, {-b.above, b.below});
}

std::optional<Fraction> product(const Fraction& a, const Fraction& b) {
  return reduced(times(a.above, b.above), times(a.below, b.below));
}

std::optional<Fraction> quotient(const Fraction& a, const Fraction& b) {
  if (b.above == 0) return std::nullopt;
  const Int128 sign = b.above < 0 ? -1 : 1;
  return product(a, {sign * b.below, sign * b.above});
}

Fraction ten_to(int tens) {
  Int128 power = 1;
  for (int i = 0; i < (tens < 0 ? -tens : tens); ++i) power *= 10;
  return tens < 0 ? Fraction{1, power} : Fraction{power, 1};
}

std::optional<Fraction> to_fraction(const Decimal& decimal) {
  constexpr int kMostTens = 18;
  if (decimal.is_zero()) return Fraction{};
  const auto digits = number_in<std::int64_t>(decimal.digits);
  if (!digits || decimal.exponent > kMostTens || decimal.exponent < -kMostTens) return std::nullopt;
  return product({*digits, 1}, ten_to(decimal.exponent));
}

std::optional<std::int64_t> to_whole_number(const Fraction& value) {
  if (value.below != 1 || value.above < 0 || value.above > kCountLimit) return std::nullopt;
  return static_cast<std::int64_t>(value.above);
}

std::optional<Rational> to_rational(const Fraction& value) {
  if (value.above < 0 || value.above > kCountLimit || value.below > kCountLimit) {
    return std::nullopt;
  }
  return Rational{static_cast<std::int64_t>(value.above), static_cast<std::int64_t>(value.below)};
}

std::optional<double> to_rounded_double(const Fraction& value) {
  if (value.above < 0) return std::nullopt;
  if (value.above == 0) return 0.0;
  // 0.1 <= above / below < 1, times 10^exponent. Neither product overflows: one term is
  // multiplied only as long as it is the smaller one, and both are below 2^120.
  Int128 above = value.above;
  Int128 below = value.below;
  int exponent = 0;
  for (; above >= below; ++exponent) below *= 10;
  for (; above * 10 < below; --exponent) above *= 10;
  std::int64_t digits = 0;
  for (int i = 0; i < kComputedDigits; ++i) {
    above *= 10;
    digits = digits * 10 + static_cast<std::int64_t>(above / below);
    above %= below;
  }
  const Int128 twice = 2 * above;
  if (twice > below || (twice == below && digits % 2 == 1)) ++digits;
  return number_in<double>(fmt::format("{}e{}", digits, exponent - kComputedDigits));
}

}  // namespace tilewright::io
