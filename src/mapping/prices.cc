#include "mapping/prices.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>

#include "base/text.h"

namespace tilewright {
namespace {

constexpr int kDigits = 9;

// a / b to the nearest whole number, halves to the even one.
Int128 nearest(Int128 a, Int128 b) {
  const Int128 quotient = a / b, twice = 2 * (a % b);
  const bool up = twice > b || (twice == b && quotient % 2 == 1);
  return quotient + (up ? 1 : 0);
}

// pj * bits / word. The shortest decimal that reads back as the double is what was written.
double in_proportion(double pj, std::int64_t bits, std::int64_t word) {
  if (bits == word || pj == 0) return pj;
  std::array<char, 64> written{};  // d.ddde+xx, as short as can be
  char* last = std::to_chars(written.data(), written.data() + written.size(), pj,
                             std::chars_format::scientific)
                   .ptr;
  const std::string text(written.data(), last);
  const std::size_t end = text.find('e');
  int exponent = std::stoi(text.substr(end + 1));
  Int128 digits = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '.') {
      exponent -= static_cast<int>(end - i - 1);
    } else {
      digits = digits * 10 + (text[i] - '0');
    }
  }
  // Enough digits before the division that only the wanted ones and a remainder are left.
  Int128 numerator = digits * bits, least = word;
  for (int i = 1; i < kDigits; ++i) least *= 10;
  for (; numerator < least; --exponent) numerator *= 10;
  Int128 denominator = word;
  for (; numerator / denominator >= least / word * 10; ++exponent) denominator *= 10;
  const auto rounded = static_cast<std::int64_t>(nearest(numerator, denominator));
  return number_in<double>(fmt::format("{}e{}", rounded, exponent)).value_or(pj);
}

}  // namespace

AccessPrices prices_of(const Memory& memory, const Tensor& tensor) {
  if (!memory.energy_of_bits) return {memory.read_pj, memory.write_pj, memory.update_pj};
  const auto price = [&](double pj) { return in_proportion(pj, tensor.bits, memory.word_bits); };
  return {price(memory.read_pj), price(memory.write_pj), price(memory.update_pj)};
}

}  // namespace tilewright
