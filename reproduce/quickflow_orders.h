// Are chosen loop orders the best? By trying all, with the model.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reproduce/figure.h"
#include "reproduce/quickflow_runs.h"

namespace tilewright::reproduce {

struct OrderCheck {
  std::uint64_t checked = 0, skipped = 0;   // mappings; the latter have too many combinations
  std::uint64_t combinations = 0;           // of orders that were evaluated
  std::uint64_t memories = 0, choices = 0;  // the latter have more than one class
  std::uint64_t classes = 0;                // of the choices
  // Between a mapping's EDP and the lowest of all its orders, as a share of that.
  double largest_difference = 0;

  double classes_per_choice() const;
  double classes_per_memory() const;
  void add(const OrderCheck& other);
};

// Tries one order of every class at every memory, in all combinations. Nothing of how
// orders are chosen is used here, only what the classes are.
class OrderTrial {
 public:
  // Skips mappings with more combinations than `most`.
  OrderTrial(const Evaluator& evaluator, const Restrictions& restrictions, std::uint64_t most);

  // Holds the orders that a mapping has against all others.
  void check(const Mapping& mapping);
  const OrderCheck& result() const { return result_; }

 private:
  using Order = std::vector<DimId>;  // outermost first

  const std::vector<Order>& orders_at(MemoryId memory, const Mapping& mapping);
  std::vector<Order> list_orders(MemoryId memory, std::uint32_t loops,
                                 const Mapping& mapping) const;
  double least_edp(int memory, Mapping& mapping) const;

  const Evaluator& evaluator_;
  const Restrictions& restrictions_;
  std::uint64_t most_;
  std::vector<std::map<std::uint32_t, std::vector<Order>>> known_;  // [memory], by its loops
  std::vector<const std::vector<Order>*> at_;                       // [memory] of the mapping
  OrderCheck result_;
};

// Checks mappings on the threads of the options; ends early if cancelled.
OrderCheck check_orders(const ReadySpace& space, const std::vector<Mapping>& mappings,
                        std::uint64_t most, const Options& options);

}  // namespace tilewright::reproduce
