#include "model/merit.h"

namespace tilewright {

double value_of(Objective objective, const Score& score) { return merit::value(objective, score); }

bool is_better(Objective objective, const Score& a, const Score& b) {
  return merit_of(objective, a) < merit_of(objective, b);
}

}  // namespace tilewright
