// Exact costs, and what is worth looking for.
#pragma once

#include <optional>
#include <vector>

#include "optimal/setting.h"
#include "tilewright/search.h"

namespace tilewright::optimal {

struct Cost {
  Energy energy = Energy{1} << 126;
  std::int64_t cycles = kCountLimit;
};

// True if a * b < c * d, of numbers that are not negative.
bool is_product_less(Int128 a, std::int64_t b, Int128 c, std::int64_t d);

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
  return is_product_less(a.energy, a.cycles, b.energy, b.cycles);
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
  // The least energy, in the units of tables, at which a mapping with at least so
  // many cycles is of no interest; kNever if there is none.
  Units energy_limit(std::int64_t cycles, const Scale& scale) const;

 private:
  std::optional<Objective> objective_;
  std::vector<Cost> costs_;
};

}  // namespace tilewright::optimal
