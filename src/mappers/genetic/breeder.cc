#include "mappers/genetic/breeder.h"

#include <cmath>

namespace tilewright::genetic {
namespace {

// True with a given probability, from 0 to 1. Of 53 random bits a double has all.
bool happens(double probability, Rng& rng) {
  return std::ldexp(static_cast<double>(rng.next() >> 11U), -53) < probability;
}

}  // namespace

void Breeder::breed(const Mapping& parent, const Mapping& other, Rng& rng, Mapping& child) const {
  child = parent;
  if (happens(rates_.crossover, rng)) cross_tiles(space_, other, rng, child);
  if (happens(rates_.reorder, rng)) reorder(space_, rng, child);
  if (happens(rates_.tile, rng)) mutate_tile(space_, rng, child);
  if (happens(rates_.parallel, rng)) mutate_parallel(space_, rng, child);
  if (happens(rates_.growth, rng)) grow(space_, rng, child);
  if (happens(rates_.aging, rng)) age(space_, rng, child);
  if (happens(rates_.residence, rng)) mutate_residence(space_, rng, child);
  // What is known already need not be evaluated again.
  if (child == parent) mutate_tile(space_, rng, child);
}

}  // namespace tilewright::genetic
