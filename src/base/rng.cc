#include "tilewright/base.h"

namespace tilewright {

namespace {

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
