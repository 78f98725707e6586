#include <bit>

#include "tilewright/base.h"

namespace tilewright {

namespace {

__extension__ using Uint128 = unsigned __int128;

// SplitMix64: turns seeds that differ in one bit into states that differ in half.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) : state_{} {
  std::uint64_t of_seed = seed;
  std::uint64_t of_stream = split_mix(of_seed) ^ stream;
  for (std::uint64_t& word : state_) word = split_mix(of_stream);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

// The high half of a product; products whose low half falls among the surplus
// are drawn again (Lemire's method).
std::uint64_t Rng::below(std::uint64_t bound) {
  Uint128 product = Uint128{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t surplus = -bound % bound;
    while (static_cast<std::uint64_t>(product) < surplus) product = Uint128{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64U);
}

BigUint Rng::below(const BigUint& bound) {
  if (const auto small = bound.small()) return below(*small);
  const int bits = bound.bit_count();
  while (true) {
    BigUint drawn = next() >> static_cast<unsigned>((64 - bits % 64) % 64);
    for (int left = (bits - 1) / 64; left > 0; --left) {
      drawn *= BigUint(std::uint64_t{1} << 63U) * BigUint(2);
      drawn += next();
    }
    if (drawn < bound) return drawn;
  }
}

}  // namespace tilewright
