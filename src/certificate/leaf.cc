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
    : context_(context), layouts_(context), mapping_(context.problem()) {
  for (int d = 0; d < context.dims(); ++d) {
    const std::vector<Parts>& parts = context.terms().parts;
    const bool evenly = std::all_of(parts.begin(), parts.end(),
                                    [&](const Parts& each) { return each.grows_evenly(d); });
    const bool one_by_one = context.unrolled(d, -1, context.memories()) == 1;
    const bool apart = !is_moved_by_leaps(context, d) && !meets_halos(context, d);
    least_is_enough_.push_back(evenly && one_by_one && apart ? 1 : 0);
  }
}

bool Leaf::start(const std::vector<Block>& blocks) {
  std::vector<StoragePoints> points;
  for (const Block& block : blocks) {
    points.emplace_back();
    for (std::size_t i = block.points.size(); i-- > 0;) {
      points.back().push_back(block.points[i].tensors);
    }
  }
  layout_ = layouts_.at_points(points);
  if (layout_ == nullptr) return false;
  mapping_ = Mapping(*layout_->problem);
  levels_ = 0;
  ranges_.clear();
  bounds_.clear();
  for (std::size_t m = 0; m < blocks.size(); ++m) {
    const std::vector<PointLoops>& own = blocks[m].points;
    if (own.empty() && !start_memory(static_cast<int>(m), blocks[m])) return false;
    for (std::size_t i = own.size(); i-- > 0;) {
      if (!start_point(static_cast<int>(m), own[i])) return false;
    }
  }
  return true;
}

void Leaf::add_level(const std::vector<int>& inside_out, const std::vector<Range>& ranges) {
  std::vector<DimId> order;
  for (std::size_t i = inside_out.size(); i-- > 0;) order.push_back(DimId{inside_out[i]});
  mapping_.set_order(MemoryId{levels_++}, order);
  for (const Range& range : ranges) {
    ranges_.push_back(range);
    bounds_.push_back(range.least);
  }
}

bool Leaf::start_memory(int memory, const Block& block) {
  mapping_.set_kept(MemoryId{levels_}, context_.placement()[at(memory)]);
  std::vector<Range> ranges;
  for (const Step* step : block.steps) {
    if (!step->is_one_loop()) return false;
    ranges.push_back({step->least_bound, step->most_bound});
  }
  add_level(block.order, ranges);
  return true;
}

bool Leaf::start_point(int memory, const PointLoops& point) {
  std::vector<Range> ranges(at(context_.dims()));
  std::vector<int> order;
  for (const auto& [dim, from, to] : point.loops) {
    const Step step = context_.chain(dim).point_loop(memory, from, to);
    if (!step.is_one_loop()) return false;
    ranges[at(dim)] = {step.least_bound, step.most_bound};
    order.push_back(dim);
  }
  add_level(order, ranges);
  return true;
}

bool Leaf::next_bounds() {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (bounds_[i] < ranges_[i].most && least_is_enough_[i % at(context_.dims())] == 0) {
      ++bounds_[i];
      return true;
    }
    bounds_[i] = ranges_[i].least;
  }
  return false;
}

void Leaf::unroll_along_y() {
  for (std::size_t f = 0; f < layout_->fanout_slots.size(); ++f) {
    const int y = layout_->fanout_slots[f];
    for (int d = 0; d < context_.dims(); ++d) {
      mapping_.set_bound(y, DimId{d}, context_.unrolling().factor(static_cast<int>(f), d));
      mapping_.set_bound(y + 1, DimId{d}, 1);
    }
  }
}

bool Leaf::place_unrolling(int fanout, int dim) {
  if (at(fanout) == layout_->fanout_slots.size()) {
    return broken_rules(*layout_->problem, *layout_->rules, mapping_).empty();
  }
  if (dim == context_.dims()) return place_unrolling(fanout + 1, 0);
  const std::int64_t factor = context_.unrolling().factor(fanout, dim);
  const int y = layout_->fanout_slots[at(fanout)];
  for (std::int64_t x = 1; x <= factor; ++x) {
    if (factor % x != 0) continue;
    mapping_.set_bound(y, DimId{dim}, factor / x);
    mapping_.set_bound(y + 1, DimId{dim}, x);
    if (holds(y, dim) && holds(y + 1, dim) && place_unrolling(fanout, dim + 1)) return true;
  }
  return false;
}

bool Leaf::holds(int slot, int last) const {
  const Rules::Limits& limits = layout_->rules->at_slot(slot, last);
  const std::int64_t bound = mapping_.bound(slot, DimId{last});
  Count used = 1;
  for (int d = 0; d <= last; ++d) used *= mapping_.bound(slot, DimId{d});
  return bound >= limits.least && bound <= limits.most &&
         used <= layout_->problem->instances_along(slot);
}

}  // namespace tilewright::certificate
