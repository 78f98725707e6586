#include "certificate/leaf.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// Whether loops may move a window of this dimension by more than a tile at once, along another
// dimension that is unrolled in part.
bool is_moved_by_leaps(const Context& context, int dim) {
  for (const Parts& parts : context.terms().parts) {
    for (const Window& window : parts.windows) {
      if (!window.has(dim)) continue;
      for (const int d : window.dims()) {
        const std::int64_t unrolled = context.unrolled(d, -1, context.memories());
        if (unrolled > 1 && unrolled < context.size(d)) return true;
      }
    }
  }
  return false;
}

// Whether instances share what overlaps in windows of this dimension.
bool meets_halos(const Context& context, int dim) {
  if (!shares_halos(context.problem().arch())) return false;
  const std::vector<Parts>& parts = context.terms().parts;
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Parts& each) { return each.has_window_with(dim); });
}

}  // namespace

Leaf::Leaf(const Context& context)
    : context_(context),
      fanout_slots_(fanout_slots(context.problem())),
      mapping_(context.problem()),
      bounds_(at(context.memories() * context.dims()), 1) {
  for (int m = 0; m < context.memories(); ++m) {
    mapping_.set_kept(MemoryId{m}, context.placement()[at(m)]);
  }
  for (int d = 0; d < context.dims(); ++d) {
    const std::vector<Parts>& parts = context.terms().parts;
    const bool evenly = std::all_of(parts.begin(), parts.end(),
                                    [&](const Parts& each) { return each.grows_evenly(d); });
    const bool one_by_one = context.unrolled(d, -1, context.memories()) == 1;
    const bool apart = !is_moved_by_leaps(context, d) && !meets_halos(context, d);
    least_is_enough_.push_back(evenly && one_by_one && apart ? 1 : 0);
  }
}

void Leaf::start(const std::vector<Block>& blocks) {
  for (std::size_t m = 0; m < blocks.size(); ++m) {
    std::vector<DimId> order;
    for (std::size_t i = blocks[m].order.size(); i-- > 0;) {
      order.push_back(DimId{blocks[m].order[i]});
    }
    mapping_.set_order(MemoryId{static_cast<int>(m)}, order);
    for (std::size_t d = 0; d < blocks[m].steps.size(); ++d) {
      bounds_[m * blocks[m].steps.size() + d] = blocks[m].steps[d]->least_bound;
    }
  }
}

bool Leaf::next_bounds(const std::vector<Block>& blocks) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Step& step = *blocks[i / at(context_.dims())].steps[i % at(context_.dims())];
    if (bounds_[i] < step.most_bound && least_is_enough_[i % at(context_.dims())] == 0) {
      ++bounds_[i];
      return true;
    }
    bounds_[i] = step.least_bound;
  }
  return false;
}

bool Leaf::place_unrolling(int fanout, int dim) {
  if (at(fanout) == fanout_slots_.size()) {
    return broken_rules(context_.problem(), context_.rules(), mapping_).empty();
  }
  if (dim == context_.dims()) return place_unrolling(fanout + 1, 0);
  const std::int64_t factor = context_.unrolling().factor(fanout, dim);
  const int y = fanout_slots_[at(fanout)];
  for (std::int64_t x = 1; x <= factor; ++x) {
    if (factor % x != 0) continue;
    mapping_.set_bound(y, DimId{dim}, factor / x);
    mapping_.set_bound(y + 1, DimId{dim}, x);
    if (holds(y, dim) && holds(y + 1, dim) && place_unrolling(fanout, dim + 1)) return true;
  }
  return false;
}

bool Leaf::holds(int slot, int last) const {
  const Rules::Limits& limits = context_.rules().at_slot(slot, last);
  const std::int64_t bound = mapping_.bound(slot, DimId{last});
  Count used = 1;
  for (int d = 0; d <= last; ++d) used *= mapping_.bound(slot, DimId{d});
  return bound >= limits.least && bound <= limits.most &&
         used <= context_.problem().instances_along(slot);
}

}  // namespace tilewright::certificate
