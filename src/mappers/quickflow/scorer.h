// What allocations cost, and by what they are compared.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "mappers/quickflow/allocation.h"
#include "mappers/quickflow/orders.h"
#include "tilewright/map.h"

namespace tilewright::quickflow {

struct Cost {
  Score score;
  double utilisation = 1;
  double missing = 1;  // see Allocation::missing_instances
  double depth = 0;

  bool is_valid() const { return score.verdict.fits() && missing <= 1; }
};

// The smaller the better.
struct Key {
  double first = 0, second = 0;
  auto operator<=>(const Key&) const = default;
};

// While the search is under way, as in the paper: the objective over utilisation.
Key plain_key(Objective objective, const Cost& cost);
// The same in steps of 0.8 to 1.6 %; within a step, the deeper factors lie the better. Where a slow
// port makes all neighbours equal, this leads to tiles from which reuse can begin.
Key search_key(Objective objective, const Cost& cost);
// In the end: the objective alone.
Key final_key(Objective objective, const Cost& cost);

// Chooses orders and takes costs. One per thread.
class Scorer {
 public:
  Scorer(const Allocation& start, Objective objective,
         const std::function<void(const Mapping&)>& on_visit)
      : chooser_(start.tables().evaluator, start.tables().restrictions, objective),
        scratch_(start),
        on_visit_(on_visit) {}

  Cost score(const Allocation& from, const Move& move);
  Cost score(const Allocation& allocation);

 private:
  Cost score_scratch();

  OrderChooser chooser_;
  Allocation scratch_;
  const std::function<void(const Mapping&)>& on_visit_;
};

}  // namespace tilewright::quickflow
