// Exact costs, and what is worth looking for.
#pragma once

#include <optional>
#include <vector>

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

// The costs that are known to be possible: the best by an objective, or without
// one all that no other beats in both energy and cycles.
class Goal {
 public:
  explicit Goal(std::optional<Objective> objective) : objective_(objective) {}

  const std::optional<Objective>& objective() const { return objective_; }
  bool is_front() const { return !objective_; }
  bool empty() const { return costs_.empty(); }
  const Cost& best() const { return costs_.front(); }  // by the objective

  // Whether a mapping of this cost, or above it, would be of interest.
  bool is_improved_by(const Cost& cost) const;
  // Takes a cost of interest up, and what it beats out.
  void add(const Cost& cost);
  // The least energy at which a mapping with at least so many cycles is of no
  // interest; kNever if there is none.
  Units energy_limit(std::int64_t cycles) const;

 private:
  std::optional<Objective> objective_;
  std::vector<Cost> costs_;
};

}  // namespace tilewright::optimal
