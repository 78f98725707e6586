// Exact costs and their order.
#pragma once

#include "optimal/setting.h"
#include "tilewright/search.h"

namespace tilewright::optimal {

struct Cost {
  Units energy = kNever;
  std::int64_t cycles = kCountLimit;
};

// True if `a` is better than `b`. For latency the energy breaks ties.
inline bool is_less(Objective objective, const Cost& a, const Cost& b) {
  switch (objective) {
    case Objective::Energy:
      return a.energy < b.energy;
    case Objective::Latency:
      return a.cycles != b.cycles ? a.cycles < b.cycles : a.energy < b.energy;
    case Objective::Edp:
      break;
  }
  return static_cast<Int128>(a.energy) * a.cycles < static_cast<Int128>(b.energy) * b.cycles;
}

}  // namespace tilewright::optimal
