#include "decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace tilewright::io {

namespace {

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// Beyond any double, and small enough to add to the length of a text.
constexpr int kLargestExponent = 100'000'000;

// "e-3"; takes nothing if no digit follows, since the letter may begin a unit.
int take_exponent(std::string_view& text) {
  std::string_view rest = text;
  if (rest.empty() || (rest[0] != 'e' && rest[0] != 'E')) return 0;
  rest.remove_prefix(1);
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  const std::string_view digits = take_digits(rest);
  if (digits.empty()) return 0;
  text = rest;
  int exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kLargestExponent / 10);
  return negative ? -exponent : exponent;
}

// 10^exponent for 0 <= exponent <= 18.
std::int64_t power_of_ten(int exponent) {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

constexpr int kMaxDigits = 18;

std::optional<std::int64_t> mantissa(const Decimal& decimal) {
  return decimal.is_zero() ? 0 : number_in<std::int64_t>(decimal.digits);
}

}  // namespace

std::optional<Decimal> take_decimal(std::string_view& text) {
  std::string_view rest = text;
  std::string digits(take_digits(rest));
  int exponent = 0;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    const std::string_view fraction = take_digits(rest);
    digits += fraction;
    exponent = -static_cast<int>(fraction.size());
  }
  if (digits.empty()) return std::nullopt;
  exponent += take_exponent(rest);
  text = rest;

  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  if (digits.empty()) exponent = 0;
  return Decimal{std::move(digits), exponent};
}

std::optional<double> to_double(const Decimal& decimal, int tens) {
  if (decimal.is_zero()) return 0.0;
  return number_in<double>(fmt::format("{}e{}", decimal.digits, decimal.exponent + tens));
}

std::optional<std::int64_t> to_whole_number(const Decimal& decimal, std::int64_t factor) {
  const auto digits = mantissa(decimal);
  if (!digits || std::abs(decimal.exponent) > kMaxDigits) return std::nullopt;
  const Int128 scale = power_of_ten(std::abs(decimal.exponent));
  Int128 product = Int128{*digits} * factor;
  if (decimal.exponent < 0) {
    if (product % scale != 0) return std::nullopt;
    product /= scale;
  } else {
    if (product > kCountLimit) return std::nullopt;
    product *= scale;
  }
  if (product > kCountLimit) return std::nullopt;
  return static_cast<std::int64_t>(product);
}

std::optional<Rational> to_rational(const Decimal& decimal) {
  if (decimal.exponent >= 0) {
    const auto whole = to_whole_number(decimal, 1);
    if (!whole) return std::nullopt;
    return Rational{*whole, 1};
  }
  const auto digits = mantissa(decimal);
  if (!digits || *digits > kCountLimit || decimal.exponent < -kMaxDigits) return std::nullopt;
  const std::int64_t scale = power_of_ten(-decimal.exponent);
  const std::int64_t common = std::gcd(*digits, scale);
  return Rational{*digits / common, scale / common};
}

std::string decimal_text(double value) { return fmt::format("{}", value); }

}  // namespace tilewright::io
