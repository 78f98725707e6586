#include <algorithm>

#include "mapspace/tables.h"

namespace tilewright {

// Loop orders are counted up in place; everything else is looked up afresh when
// they have all been seen.
struct Walk::State {
  State(const MapSpace& map_space, const BigUint& first, const BigUint& last)
      : space(map_space), next_index(first), last_index(last), mapping(map_space.problem()) {}

  // Steps to the next loop order; false if there is none.
  bool advance_order() {
    const std::vector<mapspace::OrderPlan>& plans = space.tables_->plans;
    for (std::size_t p = 0; p < order.size(); ++p) {
      if (orders[p] == 1) continue;
      order[p] = order[p] + 1 == orders[p] ? 0 : order[p] + 1;
      mapspace::write_order(plans[p], order[p], mapping);
      if (order[p] != 0) return true;
    }
    return false;
  }

  void look_up() {
    BigUint rest = mapspace::write_mapping(*space.tables_, next_index, mapping);
    order.clear();
    orders.clear();
    for (const mapspace::OrderPlan& plan : space.tables_->plans) {
      orders.push_back(factorial(free_loops(plan, mapping)));
      order.push_back(rest.divide(orders.back()));
    }
  }

  BigUint orders_left() const {
    BigUint number;
    BigUint all = 1;
    for (std::size_t p = 0; p < order.size(); ++p) {
      number += all * BigUint(order[p]);
      all *= orders[p];
    }
    return all - number - 1;
  }

  const MapSpace& space;
  BigUint next_index, last_index;
  Mapping mapping;
  // Per order plan: the number of the order, and how many there are. Empty
  // when the next mapping must be looked up.
  std::vector<std::uint64_t> order, orders;
};

Walk::Walk(const MapSpace& space, const BigUint& first, const BigUint& last)
    : state_(std::make_unique<State>(space, first, last)) {}
Walk::~Walk() = default;
Walk::Walk(Walk&&) noexcept = default;

const Mapping* Walk::next() {
  if (state_->next_index >= state_->last_index) return nullptr;
  if (!state_->advance_order()) state_->look_up();
  state_->next_index += 1;
  return &state_->mapping;
}

BigUint Walk::skip_orders() {
  const BigUint skipped = std::min(state_->orders_left(), state_->last_index - state_->next_index);
  state_->next_index += skipped;
  state_->order.clear();
  return skipped;
}

}  // namespace tilewright
