// Exact numbers for the checker: energies are decimals, and a bound is either
// below a claim or it is not.
#pragma once

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

template <typename T>
constexpr std::size_t at(T number) {
  return static_cast<std::size_t>(number);
}

// Products and sums that refuse to overflow.
Int128 times(Int128 a, Int128 b);
Int128 plus(Int128 a, Int128 b);

// A whole number of units, as a decimal of `decimals` places: "12.5".
std::string decimal_text(const BigUint& units, int decimals);
BigUint big(Int128 value);
// The inverse, for a decimal that the unit measures exactly.
std::optional<BigUint> read_decimal(const std::string& text, int decimals);

// All energies of an architecture as whole multiples of one power of ten of a
// picojoule. The shortest decimal that reads back to the double is the value.
struct Energies {
  int decimals = 0;  // the unit is 10^-decimals pJ
  struct OfMemory {
    Int128 read = 0, write = 0, update = 0, leakage = 0;
  };
  std::vector<OfMemory> memories;
  std::vector<Int128> fanouts;  // per word
  Int128 mac = 0;

  explicit Energies(const Problem& problem);
};

}  // namespace tilewright::certificate
