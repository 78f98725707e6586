// Exact numbers for the checker: energies are decimals, and a bound is either
// below a claim or it is not.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright::certificate {

// Something that the checker cannot work out exactly; check() turns it into a
// complaint. Never leaves the module.
struct Unverifiable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse_large_count();

// Words beyond those that are held already.
constexpr Int128 excess(Int128 words, Int128 held) { return words > held ? words - held : 0; }

// The same number in 64 bits, which instances, and what lies along one dimension or in one window,
// do with; refuses one that is too large.
constexpr std::int64_t narrow(Int128 number) {
  constexpr Int128 kLimit = Int128{1} << 62U;
  if (number >= kLimit || number <= -kLimit) refuse_large_count();
  return static_cast<std::int64_t>(number);
}

template <typename T>
concept Whole = std::integral<T> || std::same_as<T, Int128>;

// A number of words, steps or instances, or a product on the way to one. It refuses to
// overflow, so that no wrong number is ever taken for a bound.
class Count {
 public:
  constexpr Count(Int128 value = 0) : value_(value) {}  // NOLINT: a number is a number
  constexpr operator Int128() const { return value_; }  // NOLINT

  Count& operator*=(Count factor) {
    if (__builtin_mul_overflow(value_, factor.value_, &value_)) refuse_large_count();
    return *this;
  }
  Count& operator+=(Count more) {
    if (__builtin_add_overflow(value_, more.value_, &value_)) refuse_large_count();
    return *this;
  }
  Count& operator-=(Count less) {
    if (__builtin_sub_overflow(value_, less.value_, &value_)) refuse_large_count();
    return *this;
  }

  friend Count operator*(Count a, Count b) { return a *= b; }
  friend Count operator+(Count a, Count b) { return a += b; }
  // Plain numbers beside a count are counts too.
  template <Whole T>
  friend Count operator*(Count a, T b) {
    return a *= Count(b);
  }
  template <Whole T>
  friend Count operator*(T a, Count b) {
    return b *= Count(a);
  }
  template <Whole T>
  friend Count operator+(Count a, T b) {
    return a += Count(b);
  }
  template <Whole T>
  friend Count operator+(T a, Count b) {
    return b += Count(a);
  }

 private:
  Int128 value_;
};

template <typename T>
constexpr std::size_t at(T number) {
  return static_cast<std::size_t>(number);
}

// Products and sums that refuse to overflow.
Int128 times(Int128 a, Int128 b);
Int128 plus(Int128 a, Int128 b);

Int128 power_of_ten(int exponent);
// Decimal places of an energy, the shortest decimal that reads back to the same double; and that
// energy in units of 10^-decimals pJ.
int decimals_of(double energy);
Int128 units_of(double energy, int decimals);

// A whole number of units, as a decimal of `decimals` places: "12.5".
std::string decimal_text(const BigUint& units, int decimals);
inline BigUint big(Int128 value) { return BigUint::of(value); }
// The inverse, for a decimal that the unit measures exactly.
std::optional<BigUint> read_decimal(const std::string& text, int decimals);

// All energies of an architecture as whole multiples of one power of ten of a
// picojoule. The shortest decimal that reads back to the double is the value.
struct Energies {
  int decimals = 0;  // the unit is 10^-decimals pJ
  struct OfAccess {
    Int128 read = 0, write = 0, update = 0;
  };
  struct OfMemory {
    std::array<OfAccess, kMaxTensors> access{};  // by tensor
    Int128 leakage = 0;
  };
  std::vector<OfMemory> memories;
  std::vector<Int128> fanouts;  // per word
  Int128 mac = 0;
  Int128 most = 0;  // that a mapping takes, without leakage

  explicit Energies(const Problem& problem);
};

}  // namespace tilewright::certificate
