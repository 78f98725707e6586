#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "tilewright/base.h"

namespace tilewright {

namespace {

__extension__ using Uint128 = unsigned __int128;

std::uint64_t low_half(Uint128 value) { return static_cast<std::uint64_t>(value); }
std::uint64_t high_half(Uint128 value) { return static_cast<std::uint64_t>(value >> 64U); }

[[noreturn]] void too_large() { throw std::overflow_error("a count passes 2^2048"); }

}  // namespace

// Only the limbs in use are ever read, so the others are left as they are.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)
BigUint::BigUint(std::uint64_t value) {
  if (value == 0) return;
  limbs_[0] = value;
  used_ = 1;
}
// NOLINTEND(cppcoreguidelines-pro-type-member-init)

BigUint& BigUint::operator=(const BigUint& other) {
  if (this == &other) return *this;
  used_ = other.used_;
  std::copy_n(other.limbs_.begin(), used_, limbs_.begin());
  return *this;
}

void BigUint::trim() {
  while (used_ > 0 && limbs_[at(used_ - 1)] == 0) --used_;
}

void BigUint::append(std::uint64_t limb) {
  if (used_ == kLimbs) too_large();
  limbs_[at(used_++)] = limb;
}

BigUint& BigUint::operator+=(const BigUint& other) {
  const int longest = std::max(used_, other.used_);
  std::fill(limbs_.begin() + used_, limbs_.begin() + longest, 0);
  std::uint64_t carry = 0;
  for (int i = 0; i < longest; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Uint128 sum = Uint128{limbs_[at]} + (i < other.used_ ? other.limbs_[at] : 0) + carry;
    limbs_[at] = low_half(sum);
    carry = high_half(sum);
  }
  used_ = longest;
  if (carry != 0) append(carry);
  return *this;
}

BigUint& BigUint::operator-=(const BigUint& other) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < used_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Uint128 taken = Uint128{i < other.used_ ? other.limbs_[at] : 0} + borrow;
    borrow = taken > limbs_[at] ? 1 : 0;
    limbs_[at] = low_half(Uint128{limbs_[at]} - taken);
  }
  trim();
  return *this;
}

BigUint& BigUint::operator*=(std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (int i = 0; i < used_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Uint128 product = Uint128{limbs_[at]} * factor + carry;
    limbs_[at] = low_half(product);
    carry = high_half(product);
  }
  if (carry != 0) append(carry);
  trim();
  return *this;
}

BigUint& BigUint::operator*=(const BigUint& factor) {
  if (factor.used_ <= 1) return *this *= (factor.used_ == 0 ? 0 : factor.limbs_[0]);
  const BigUint self = *this;
  used_ = 0;
  add_product(self, factor);
  return *this;
}

void BigUint::add_product(const BigUint& a, const BigUint& b) {
  if (a.used_ == 0 || b.used_ == 0) return;
  // The sum may need one limb more than the longer of the two.
  const int length = std::max(used_, a.used_ + b.used_) + 1;
  if (length > kLimbs + 1) too_large();
  const int room = std::min(length, kLimbs);
  std::fill(limbs_.begin() + used_, limbs_.begin() + room, 0);
  for (int i = 0; i < a.used_; ++i) {
    std::uint64_t carry = 0;
    int at = i;
    for (int k = 0; k < b.used_ || carry != 0; ++k, ++at) {
      if (at >= room) too_large();
      const Uint128 factor = k < b.used_ ? b.limbs_[static_cast<std::size_t>(k)] : 0;
      const Uint128 sum = factor * a.limbs_[static_cast<std::size_t>(i)] +
                          limbs_[static_cast<std::size_t>(at)] + carry;
      limbs_[static_cast<std::size_t>(at)] = low_half(sum);
      carry = high_half(sum);
    }
  }
  used_ = room;
  trim();
}

std::uint64_t BigUint::divide(std::uint64_t divisor) {
  std::uint64_t remainder = 0;
  for (int i = used_ - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    const Uint128 value = (Uint128{remainder} << 64U) | limbs_[at];
    limbs_[at] = low_half(value / divisor);
    remainder = low_half(value % divisor);
  }
  trim();
  return remainder;
}

void BigUint::shift_left_one() {
  std::uint64_t carry = 0;
  for (int i = 0; i < used_; ++i) {
    std::uint64_t& limb = limbs_[at(i)];
    const std::uint64_t out = limb >> 63U;
    limb = (limb << 1U) | carry;
    carry = out;
  }
  if (carry != 0) append(carry);
}

// Long division by bits: only single look-ups of a map-space divide by large
// numbers, and there are few of them.
BigUint BigUint::divide(const BigUint& divisor) {
  if (const auto small = divisor.small()) return divide(*small);
  BigUint quotient;
  BigUint remainder;
  for (int bit = bit_count() - 1; bit >= 0; --bit) {
    const std::uint64_t limb = limbs_[at(bit / 64)];
    remainder.shift_left_one();
    if (((limb >> static_cast<unsigned>(bit % 64)) & 1U) != 0) remainder += 1;
    quotient.shift_left_one();
    if (remainder >= divisor) {
      remainder -= divisor;
      quotient += 1;
    }
  }
  *this = quotient;
  return remainder;
}

std::strong_ordering BigUint::operator<=>(const BigUint& other) const {
  if (used_ != other.used_) return used_ <=> other.used_;
  for (int i = used_ - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (limbs_[at] != other.limbs_[at]) return limbs_[at] <=> other.limbs_[at];
  }
  return std::strong_ordering::equal;
}

int BigUint::bit_count() const {
  if (used_ == 0) return 0;
  return 64 * used_ - std::countl_zero(limbs_[at(used_ - 1)]);
}

std::uint64_t BigUint::high_bits(int shift) const {
  const int limb = shift / 64;
  const auto bits = static_cast<unsigned>(shift % 64);
  if (limb >= used_) return 0;
  std::uint64_t value = limbs_[at(limb)] >> bits;
  if (bits != 0 && limb + 1 < used_) {
    value |= limbs_[at(limb + 1)] << (64U - bits);
  }
  return value;
}

std::optional<std::uint64_t> BigUint::small() const {
  if (used_ > 1) return std::nullopt;
  return used_ == 0 ? 0 : limbs_[0];
}

BigUint BigUint::of(Int128 value) {
  BigUint number;
  for (; value > 0; value >>= 64) number.append(static_cast<std::uint64_t>(value));
  return number;
}

Int128 BigUint::wide() const {
  return static_cast<Int128>(static_cast<Uint128>(high_bits(64)) << 64U | high_bits(0));
}

double BigUint::value() const {
  const int shift = std::max(0, bit_count() - 64);
  return std::ldexp(static_cast<double>(high_bits(shift)), shift);
}

std::string BigUint::to_string() const {
  constexpr std::uint64_t kChunk = 1'000'000'000'000'000'000;
  if (is_zero()) return "0";
  BigUint rest = *this;
  std::string text;
  while (!rest.is_zero()) {
    const std::uint64_t digits = rest.divide(kChunk);
    text.insert(0, rest.is_zero() ? fmt::format("{}", digits) : fmt::format("{:018}", digits));
  }
  return text;
}

std::string readable(const BigUint& number) {
  constexpr std::size_t kShown = 15;
  const std::string digits = number.to_string();
  if (digits.size() <= kShown) return with_commas(digits);
  return fmt::format("{}.{}e+{} ({} digits)", digits[0], digits.substr(1, 2), digits.size() - 1,
                     digits.size());
}

}  // namespace tilewright
