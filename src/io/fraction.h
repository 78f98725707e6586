// Numbers that arithmetic in files is done with: exact, or refused.
#pragma once

#include <optional>
#include <string>

#include "decimal.h"
#include "tilewright/base.h"

namespace tilewright::io {

// above / below in lowest terms; below is at least 1. Both stay below 2^120.
struct Fraction {
  Int128 above = 0;
  Int128 below = 1;

  bool operator==(const Fraction&) const = default;
};

// Each gives nothing where a term of the result would be too large to be kept.
std::optional<Fraction> sum(const Fraction& a, const Fraction& b);
std::optional<Fraction> difference(const Fraction& a, const Fraction& b);
std::optional<Fraction> product(const Fraction& a, const Fraction& b);
// Nothing, too, if `b` is zero.
std::optional<Fraction> quotient(const Fraction& a, const Fraction& b);
std::optional<Fraction> to_fraction(const Decimal& decimal);
// 10^tens, for -18 <= tens <= 18.
Fraction ten_to(int tens);

// The number itself, if it is whole and from 0 to kCountLimit.
std::optional<std::int64_t> to_whole_number(const Fraction& value);
// Nothing if it is negative or a term passes kCountLimit.
std::optional<Rational> to_rational(const Fraction& value);

// Energies that are computed are rounded to so many digits, halves to the even digit: few
// enough for proofs in whole numbers, and more than any energy is known to.
inline constexpr int kComputedDigits = 9;
// A number from 0 on as the double nearest to its decimal of kComputedDigits digits.
// Nothing if it is negative or out of range.
std::optional<double> to_rounded_double(const Fraction& value);

}  // namespace tilewright::io
