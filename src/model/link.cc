#include "model/link.h"

namespace tilewright::model {

template <typename Number>
MovingLoop<Number> find_moving_loop(const LoopLayout<Number>& layout, int tensor, int memory) {
  const std::uint32_t relevant = layout.compiled().tensor[at(tensor)].relevant;
  const int loops = layout.loop_count();
  MovingLoop<Number> moving;
  for (int i = layout.first_loop_outside(memory); i < loops; ++i) {
    const TemporalLoop& loop = layout.loop(i);
    if (loop.slot != moving.slot) moving.inside = 0;
    moving.slot = loop.slot;
    if (contains(relevant, loop.dim)) {
      moving.dim = loop.dim;
      moving.from_here = layout.perfect_iterations(i);
      moving.outside = layout.perfect_iterations(i + 1);
      return moving;
    }
    moving.inside |= 1U << loop.dim;
  }
  return {};
}

template <typename Number>
Number tile_changes(const LoopLayout<Number>& layout, int memory,
                    const MovingLoop<Number>& moving) {
  if (moving.dim < 0) return 1;
  const Compiled& c = layout.compiled();
  const std::uint32_t outside = slots_before(c.memory[at(memory)].slot);
  const std::uint32_t held =
      outside & (c.spatial_slots | ~slots_before(moving.slot + 1));  // where the digits are 0
  Number changes = moving.from_here;
  for (const int dim : members(layout.imperfect())) {
    const bool inside = contains(moving.inside, dim);
    changes *= layout.combinations(dim, memory, held | (inside ? 1U << moving.slot : 0U));
  }
  return changes;
}

template <typename Number>
Link<Number>::Link(const LoopLayout<Number>& layout_of_mapping, int tensor_of_link,
                   int parent_memory, int child_memory, const MovingLoop<Number>& moving_loop,
                   bool want_busiest)
    : layout(layout_of_mapping),
      compiled(layout.compiled()),
      tensor(compiled.tensor[at(tensor_of_link)]),
      parent(compiled.memory[at(parent_memory)]),
      child(compiled.memory[at(child_memory)]),
      moving(moving_loop),
      tensor_number(tensor_of_link),
      parent_number(parent_memory),
      child_number(child_memory),
      to_compute(child_memory == compiled.memories),
      busiest_wanted(want_busiest) {}

template <typename Number>
std::int64_t Link<Number>::tile_words(const Window& window, const Extents& extents,
                                      bool moved) const {
  if (to_compute) return 1;
  if (!moved) return window.size(extents);
  // One iteration of the moving loop goes on by all that is inside it.
  const std::int64_t step = layout.extent(moving.slot + 1, moving.dim);
  return window.new_elements(extents, window.position_of(moving.dim),
                             layout.tile(child.slot, moving.dim), step);
}

template <typename Number>
std::int64_t Link<Number>::distinct_starts(const Window& window, int fanout,
                                           const Extents& branches) const {
  const int inside = compiled.fanout[at(fanout)].slot + 2;
  Extents strides{};
  for (int i = 0; i < window.dim_count(); ++i) {
    strides[at(i)] = layout.extent(inside, window.dim(i));
  }
  return window.distinct_starts(branches, strides);
}

template <typename Number>
LinkCounter<Number>::LinkCounter(const Link<Number>& link)
    : link_(link), layout_(link.layout), perfect_(perfect_words()) {
  entering_ = {perfect_ * layout_.perfect_instances(link.end_fanout()), perfect_};
  if (layout_.imperfect() == 0) return;
  const Words<Number> factors = digits_.emplace(link).entering();
  entering_.all *= factors.all;
  entering_.busiest *= factors.busiest;
}

template <typename Number>
Words<Number> LinkCounter<Number>::shared_words(int merge_from) const {
  Number per_parent = perfect_;
  std::uint32_t merged = 0;
  for (int f = link_.first_fanout(); f < link_.end_fanout(); ++f) {
    const bool merge = f >= merge_from && link_.shares(f);
    per_parent *= copies(f, merge);
    if (merge) merged |= 3U << link_.compiled.fanout[at(f)].slot;
  }
  Words<Number> words{per_parent * layout_.perfect_instances(link_.first_fanout()), per_parent};
  if (!digits_) return words;
  const Words<Number> factors = digits_->shared(merged, merge_from);
  return {words.all * factors.all, words.busiest * factors.busiest};
}

// Per child instance: iterations outside the moving loop, times the tile at its
// start and what is new at its further steps.
template <typename Number>
Number LinkCounter<Number>::perfect_words() const {
  if (link_.to_compute) return layout_.perfect_iterations(0);
  const std::uint32_t imperfect = layout_.imperfect();
  Number words = 1;
  bool counted_run = false;  // the moving loop's iterations are in a window's words
  for (const Window& window : link_.tensor.windows) {
    if ((window.dim_bits() & imperfect) != 0) continue;
    words *= window_words(window);
    counted_run = counted_run || link_.moves(window);
  }
  words *= counted_run ? link_.moving.outside : link_.moving.from_here;
  for (const int dim : members(link_.tensor.alone & ~imperfect)) {
    words *= layout_.extent(link_.child.slot, dim);
  }
  return words;
}

// A window's words over one run of the moving loop, or one tile if that loop
// leaves the window where it is.
template <typename Number>
Number LinkCounter<Number>::window_words(const Window& window) const {
  Extents extents;
  for (int i = 0; i < window.dim_count(); ++i) {
    extents[at(i)] = layout_.extent(link_.child.slot, window.dim(i));
  }
  const Number start = window.size(extents);
  if (!link_.moves(window)) return start;
  const MovingLoop<Number>& moving = link_.moving;
  const Number bound = layout_.mapping().bound(moving.slot, DimId{moving.dim});
  return start + (bound - 1) * link_.tile_words(window, extents, true);
}

// Instances under a fan-out that perfect dimensions make, for each request to
// what is above it; those that ask for the same count once if they merge.
template <typename Number>
Number LinkCounter<Number>::copies(int fanout, bool merge) const {
  const std::uint32_t dims = layout_.unrolled_dims(fanout) & ~layout_.imperfect();
  if (!merge) return layout_.unrolled_product(fanout, dims);
  Number product = layout_.unrolled_product(fanout, dims & link_.tensor.alone);
  for (const Window& window : link_.tensor.windows) {
    const std::uint32_t shared = dims & window.dim_bits();
    if (shared == 0) continue;
    if ((shared & (shared - 1)) == 0) {
      product *= layout_.unrolled_product(fanout, shared);
      continue;
    }
    Extents branches{};
    for (int i = 0; i < window.dim_count(); ++i) {
      branches[at(i)] = layout_.unrolled(fanout, window.dim(i));
    }
    product *= link_.distinct_starts(window, fanout, branches);
  }
  return product;
}

template struct Link<std::int64_t>;
template struct Link<Int128>;
template class LinkCounter<std::int64_t>;
template class LinkCounter<Int128>;
template MovingLoop<std::int64_t> find_moving_loop(const LoopLayout<std::int64_t>&, int, int);
template MovingLoop<Int128> find_moving_loop(const LoopLayout<Int128>&, int, int);
template std::int64_t tile_changes(const LoopLayout<std::int64_t>&, int,
                                   const MovingLoop<std::int64_t>&);
template Int128 tile_changes(const LoopLayout<Int128>&, int, const MovingLoop<Int128>&);

}  // namespace tilewright::model
