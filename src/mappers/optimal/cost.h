// Exact costs, and what is worth looking for.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "mappers/optimal/solver_tables.h"
#include "tilewright/map.h"

namespace tilewright::optimal {

struct Cost {
  Energy energy = Energy{1} << 126;
  Int128 cycles = kWideLimit;
  std::int64_t instances = kCountLimit;  // of the compute level, in use
};

// Both floors hold for what is in two sets.
inline Cost higher(const Cost& a, const Cost& b) {
  return {std::max(a.energy, b.energy), std::max(a.cycles, b.cycles),
          std::max(a.instances, b.instances)};
}

// True if the objective, a product of energy and cycles, is less for `a`.
bool is_value_less(Objective objective, const Cost& a, const Cost& b);

// What is to be made small: a key whose first part is the objective.
struct Aim {
  Objective objective = Objective::Edp;
  // Whether the rest of the key counts (see is_better). Without it latency is still
  // followed by energy, unless the value alone is asked for.
  bool settle_ties = true;
  bool only_value = false;
};

// True if `a` is better than `b`. A cost that is below another one in all three
// parts is never worse: so bounds can be compared like costs.
inline bool is_less(const Aim& aim, const Cost& a, const Cost& b) {
  if (aim.objective.energy == 0) {
    if (a.cycles != b.cycles) return a.cycles < b.cycles;
    if (aim.only_value) return false;
    if (a.energy != b.energy) return a.energy < b.energy;
    return aim.settle_ties && a.instances < b.instances;
  }
  if (aim.objective.cycles == 0) {
    if (a.energy != b.energy) return a.energy < b.energy;
  } else {
    if (is_value_less(aim.objective, a, b)) return true;
    if (is_value_less(aim.objective, b, a)) return false;
  }
  // Where the cycles are equal, too, so are the energies.
  if (!aim.settle_ties || a.cycles > b.cycles) return false;
  return a.cycles < b.cycles || a.instances < b.instances;
}

// What there is to compute, and what one instance does of it at a time.
struct Work {
  Int128 macs = 0;
  std::int64_t macs_at_once = 1, cycles = 1;

  // No mapping that takes so many cycles, or fewer, has fewer instances in use: in every step each
  // of them does no more than it can.
  std::int64_t least_instances(Int128 most_cycles) const;
};

// The costs that are known to be possible: the best by an aim, or without one all
// that no other beats in both energy and cycles.
class Goal {
 public:
  explicit Goal(std::optional<Aim> aim, const Work& work = {}) : aim_(aim), work_(work) {}

  const std::optional<Aim>& aim() const { return aim_; }
  bool is_front() const { return !aim_; }
  bool empty() const { return costs_.empty(); }
  // By the aim; with no instances where none can do with fewer of them in as many cycles, so that
  // nothing seems to be better by them.
  const Cost& best() const { return costs_.front(); }

  // Whether a mapping of this cost, or above it, would be of interest.
  bool is_improved_by(const Cost& cost) const;
  // Takes a cost of interest up, and what it beats out.
  void add(const Cost& cost);
  // The least energy, in the units of tables, at which a mapping with at least so
  // many cycles and instances is of no interest; kNever if there is none.
  Units energy_limit(Int128 cycles, std::int64_t instances, const Scale& scale) const;

 private:
  std::optional<Aim> aim_;
  Work work_;
  std::vector<Cost> costs_;
};

}  // namespace tilewright::optimal
