#include "certificate/exact.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilewright::certificate {

namespace {

// A double as digits * 10^exponent.
struct Scientific {
  Int128 digits = 0;
  int exponent = 0;
};

Scientific shortest(double value) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  if (error != std::errc() || value < 0) throw Unverifiable("an energy is not a decimal");
  Scientific result;
  bool fraction = false;
  const char* at = text.data();
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    result.digits = result.digits * 10 + (*at - '0');
    if (fraction) --result.exponent;
  }
  int power = 0;
  const char* begin = at + (at + 1 != end && at[1] == '+' ? 2 : 1);
  std::from_chars(begin, end, power);
  result.exponent += power;
  while (result.digits != 0 && result.digits % 10 == 0) {
    result.digits /= 10;
    ++result.exponent;
  }
  if (result.digits == 0) result.exponent = 0;
  return result;
}

}  // namespace

Int128 power_of_ten(int exponent) {
  Int128 result = 1;
  for (int i = 0; i < exponent; ++i) result = times(result, 10);
  return result;
}

int decimals_of(double energy) {
  const int decimals = std::max(0, -shortest(energy).exponent);
  if (decimals > 60) throw Unverifiable("the energies have more than 60 decimals");
  return decimals;
}

Int128 units_of(double energy, int decimals) {
  const Scientific value = shortest(energy);
  if (value.digits == 0) return 0;
  const Int128 units = times(value.digits, power_of_ten(value.exponent + decimals));
  if (units >> 56 != 0) throw Unverifiable("the energies have too many digits");
  return units;
}

void refuse_large_count() { throw Unverifiable("counts are too large"); }

Int128 times(Int128 a, Int128 b) {
  Int128 result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw Unverifiable("a number passes 2^127");
  return result;
}

Int128 plus(Int128 a, Int128 b) {
  Int128 result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw Unverifiable("a number passes 2^127");
  return result;
}

std::string decimal_text(const BigUint& units, int decimals) {
  std::string text = units.to_string();
  if (decimals == 0) return text;
  const auto places = at(decimals);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, 1, '.');
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::optional<BigUint> read_decimal(const std::string& text, int decimals) {
  constexpr std::size_t kLongest = 300;  // far below the limit of BigUint
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t fraction = point == text.size() ? 0 : text.size() - point - 1;
  if (text.size() > kLongest || point == 0 || fraction > at(decimals)) return std::nullopt;
  BigUint result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    result *= 10;
    result += BigUint(static_cast<std::uint64_t>(text[i] - '0'));
  }
  for (std::size_t i = fraction; i < at(decimals); ++i) result *= 10;
  return result;
}

namespace {

// The energy of elements of `bits` where words of `word` bits cost `value`: rounded to nine
// digits, halves to the even one (docs/semantics.md, 7).
Scientific share(Scientific value, std::int64_t bits, std::int64_t word) {
  if (value.digits == 0 || bits == word) return value;
  const Int128 limit = power_of_ten(9);
  Int128 above = times(value.digits, bits);
  Int128 below = word;
  while (above / below < limit) {
    above = times(above, 10);
    --value.exponent;
  }
  while (above / below >= limit) {
    below = times(below, 10);
    ++value.exponent;
  }
  value.digits = above / below;
  const Int128 rest = above % below;
  if (rest > below - rest || (rest == below - rest && value.digits % 2 != 0)) ++value.digits;
  while (value.digits % 10 == 0) {
    value.digits /= 10;
    ++value.exponent;
  }
  return value;
}

// All energies of a problem, memory by memory, then those of fan-outs and the multipliers.
std::vector<Scientific> energies_of(const Problem& problem) {
  std::vector<Scientific> values;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    const std::array<Scientific, 3> each = {shortest(memory.read_pj), shortest(memory.write_pj),
                                            shortest(memory.update_pj)};
    for (const Tensor& tensor : problem.workload().tensors) {
      for (const Scientific& pj : each) {
        values.push_back(memory.energy_of_bits ? share(pj, tensor.bits, memory.word_bits) : pj);
      }
    }
    values.push_back(shortest(memory.leakage_pj_per_cycle));
  }
  for (const Level& level : problem.arch().levels) {
    if (const auto* fanout = std::get_if<Fanout>(&level)) {
      values.push_back(shortest(fanout->word_pj));
    }
  }
  values.push_back(shortest(problem.arch().compute().mac_pj));
  return values;
}

}  // namespace

Energies::Energies(const Problem& problem) {
  const std::vector<Scientific> values = energies_of(problem);
  for (const Scientific& value : values) decimals = std::max(decimals, -value.exponent);
  if (decimals > 60) throw Unverifiable("the energies have more than 60 decimals");
  std::size_t next = 0;
  Int128 all = 0;
  const auto take = [&]() -> Int128 {
    const Scientific& value = values[next++];
    if (value.digits == 0) return 0;
    const Int128 units = times(value.digits, power_of_ten(value.exponent + decimals));
    if (units >> 56 != 0) throw Unverifiable("the energies have too many digits");
    all = plus(all, units);
    return units;
  };
  for (int m = 0; m < problem.memory_count(); ++m) {
    OfMemory one;
    for (int t = 0; t < problem.workload().tensor_count(); ++t) {
      OfAccess& access = one.access[at(t)];
      access.read = take();
      access.write = take();
      access.update = take();
    }
    one.leakage = take();
    memories.push_back(one);
  }
  while (next + 1 < values.size()) fanouts.push_back(take());
  mac = take();
  // No link moves more than a word for each multiply-accumulate, or two in blocks, at both ends,
  // and all tensors pass a fan-out. So no sum of energies without leakage passes 2^125.
  for (const Int128 word : fanouts) all = plus(all, times(word, problem.tensor_count() - 1));
  constexpr Int128 kMost = Int128{1} << 125;
  const Int128 words = times(multiply_accumulates(problem.workload()), 4);
  if (all > kMost / words) throw Unverifiable("the energies have too many digits for the counts");
  most = all * words;
}

}  // namespace tilewright::certificate
