// Words that move between a memory and the next keeper of a tensor inside it
// (or the compute level).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/counts.h"

namespace tilewright::model {

// A count for all instances together, and for the busiest one: the instance
// with all spatial digits 0, for nobody has more steps or larger tiles.
template <typename Number>
struct Words {
  Number all = 0;
  Number busiest = 0;
};

// What is left of words when those that are held need not be moved.
template <typename Number>
Words<Number> excess(const Words<Number>& words, const Words<Number>& held) {
  return {std::max<Number>(0, words.all - held.all),
          std::max<Number>(0, words.busiest - held.busiest)};
}

// How many elements of a tensor the instances of a level ever touch: what an
// output is spared of reading back, what a tensor's outermost keeper must hold.
template <typename Number>
Words<Number> footprint(const LoopLayout<Number>& layout, int tensor, int memory);

// The innermost loop outside a memory that moves a tensor there; what stands
// inside it leaves the tensor's tile where it is. Without such a loop the tile
// is loaded once.
template <typename Number>
struct MovingLoop {
  int dim = -1;
  int slot = -1;                      // of the memory whose loop it is
  std::uint32_t inside = 0;           // dimensions of that memory's loops inside it
  Number from_here = 1, outside = 1;  // iterations of perfect loops, with and without it
};

// The moving loop in the orders that the mapping gives the loops.
template <typename Number>
MovingLoop<Number> find_moving_loop(const LoopLayout<Number>& layout, int tensor, int memory);

// How often a tensor's tile changes in the busiest instance of a memory: the iterations of its
// moving loop, over all its starts.
template <typename Number>
Number tile_changes(const LoopLayout<Number>& layout, int memory, const MovingLoop<Number>& moving);

// The two ends of a tensor's way from one keeper to the next one inside it.
struct LinkEnds {
  int tensor, parent, child;  // the number of memories stands for the compute level
  bool output;                // the tensor is written
  bool in_place;              // the parent adds up itself
  bool to_compute;            // every step is a start and every tile one element
};

// The way of a tensor from one keeper to the next one inside it.
template <typename Number>
struct Link {
  // The number of memories as `child_memory` stands for the compute level; no
  // loop counts as moving there. `want_busiest` says whether the busiest
  // instance is of interest, which may cost extra.
  Link(const LoopLayout<Number>& layout_of_mapping, int tensor_of_link, int parent_memory,
       int child_memory, const MovingLoop<Number>& moving_loop, bool want_busiest);

  LinkEnds ends() const {
    return {tensor_number, parent_number, child_number, tensor.output, parent.in_place, to_compute};
  }
  bool has_fanouts() const { return first_fanout() < end_fanout(); }
  int first_fanout() const { return parent.fanouts_outside; }  // between the two,
  int end_fanout() const { return child.fanouts_outside; }     // outermost first
  // Whether a fan-out sends what is identical in several instances only once.
  bool shares(int fanout) const {
    const FlatFanout& table = compiled.fanout[at(fanout)];
    return tensor.output ? table.reduction : table.multicast;
  }
  // Whether it sends each word once, also of tiles that overlap.
  bool shares_halos(int fanout) const {
    return compiled.fanout[at(fanout)].shares_halos && !tensor.output;
  }
  bool moves(const Window& window) const {
    return moving.dim >= 0 && contains(window.dim_bits(), moving.dim);
  }
  // Spatial slots outside one of the two ends.
  std::uint32_t spatial_outside(const FlatMemory& end) const {
    return compiled.spatial_slots & slots_before(end.slot);
  }
  // Words of a tile of a window, or what is new in it after a step of the moving loop.
  std::int64_t tile_words(const Window& window, const Extents& extents, bool moved) const;
  // Different places at which a window's tiles start in so many branches of a fan-out.
  std::int64_t distinct_starts(const Window& window, int fanout, const Extents& branches) const;

  const LoopLayout<Number>& layout;
  const Compiled& compiled;
  const FlatTensor& tensor;
  const FlatMemory& parent;
  const FlatMemory& child;
  const MovingLoop<Number>& moving;
  int tensor_number, parent_number, child_number;
  bool to_compute;  // every step is a start and every tile one element
  bool busiest_wanted;
};

// What a link's imperfect dimensions contribute, counted by digits.
template <typename Number>
class DigitCounter {
 public:
  explicit DigitCounter(const Link<Number>& link);

  // Factors of the words that enter the child.
  Words<Number> entering() const;
  // The same for words that fan-outs from `merge_from` on share; their slots
  // are `merged`.
  Words<Number> shared(std::uint32_t merged, int merge_from) const;

 private:
  // One count per set of slots whose digits are held at 0 (see held_).
  static constexpr int kMaxHeld = 3;
  using Counts = std::array<Number, kMaxHeld>;
  // Tiles of one dimension: [further step of the moving loop][last, smaller tile].
  using TileCounts = std::array<std::array<Counts, 2>, 2>;

  int hold(std::uint32_t slots);
  Number irrelevant(std::uint32_t zero) const;
  std::int64_t combinations(int dim, int held) const;
  void multiply_alone(int dim);
  Counts window_words(const Window& window) const;
  TileCounts count_tiles(int dim) const;
  void sum_tiles(const Window& window, const TileCounts* counts, int position, Extents& extents,
                 bool moved, const Counts& tiles, Counts& sum) const;

  const Link<Number>& link_;
  const LoopLayout<Number>& layout_;
  int child_;
  std::uint32_t slots_inside_;  // temporal slots between the moving loop's and the child
  // Sets of slots whose digits are held at 0: none (all instances count), the
  // spatial ones outside the child, those outside the parent; equal sets once.
  std::array<std::uint32_t, kMaxHeld> held_;
  int held_count_ = 0;
  int child_held_ = 0, parent_held_ = 0;
  // Products over the relevant dimensions, with windows that can share below a
  // fan-out kept apart.
  Counts relevant_;
  Counts sharing_windows_;
};

// Whether tiles of an imperfect window may coincide in different instances
// below a fan-out of the link.
template <typename Number>
bool can_merge(const Link<Number>& link, const Window& window);
// The words of all such windows, where fan-outs from `merge_from` on share.
template <typename Number>
Words<Number> merged_windows(const Link<Number>& link, int merge_from);

template <typename Number>
class LinkCounter {
 public:
  explicit LinkCounter(const Link<Number>& link);
  LinkCounter(const LinkCounter&) = delete;

  // Words that enter the child's instances.
  const Words<Number>& entering() const { return entering_; }
  // Words that leave the parent's ports: what is identical in several
  // instances under a fan-out counts once where the fan-out can share.
  Words<Number> served() const {
    return link_.has_fanouts() ? shared_words(link_.first_fanout()) : entering_;
  }
  // Words that arrive at the instances of one of the link's fan-outs.
  Number delivered(int fanout) const { return shared_words(fanout + 1).all; }

 private:
  Words<Number> shared_words(int merge_from) const;
  Number perfect_words() const;
  Number window_words(const Window& window) const;
  Number copies(int fanout, bool merge) const;

  const Link<Number>& link_;
  const LoopLayout<Number>& layout_;
  Number perfect_;                              // what perfect dimensions give each child instance
  std::optional<DigitCounter<Number>> digits_;  // if there are imperfect ones
  Words<Number> entering_;
};

// What the instances of a link's two ends ever hold of an output.
template <typename Number>
struct Footprints {
  Words<Number> parent, child;
};

// What a link makes pass the ports of its two ends.
template <typename Number>
struct LinkTraffic {
  Words<Number> reads, updates;  // of the parent
  Words<Number> fills;           // of the child
};
// Each word that leaves the child is an update; partial sums are read back and filled in except
// at an instance's first visit of an element.
template <typename Number>
[[gnu::always_inline]] inline LinkTraffic<Number> link_traffic(const LinkEnds& ends,
                                                               const Words<Number>& served,
                                                               const Words<Number>& entering,
                                                               const Footprints<Number>& held) {
  LinkTraffic<Number> traffic;
  if (!ends.output) {
    traffic.reads = served;
    if (!ends.to_compute) traffic.fills = entering;
    return traffic;
  }
  traffic.updates = served;
  if (ends.in_place) return traffic;
  traffic.reads = excess(served, held.parent);
  if (!ends.to_compute) traffic.fills = excess(entering, held.child);
  return traffic;
}
template <typename Number>
LinkTraffic<Number> link_traffic(const Link<Number>& link, const LinkCounter<Number>& counter,
                                 const Footprints<Number>& held) {
  return link_traffic(link.ends(), counter.served(), counter.entering(), held);
}

// Notes the traffic of a tensor's link, from the inside out.
template <typename Number>
void put_traffic(const LinkEnds& ends, const LinkTraffic<Number>& traffic, Counts<Number>& counts) {
  const std::size_t t = at(ends.tensor);
  counts.total[at(ends.parent)][t] = {traffic.reads.all, 0, traffic.updates.all};
  counts.busiest[at(ends.parent)][t] = {traffic.reads.busiest, 0, traffic.updates.busiest};
  if (ends.to_compute) return;
  counts.total[at(ends.child)][t].fills = traffic.fills.all;
  counts.busiest[at(ends.child)][t].fills = traffic.fills.busiest;
}

// Notes other traffic of a link, after that of all links was noted.
template <typename Number>
void replace_traffic(const LinkEnds& ends, const LinkTraffic<Number>& traffic,
                     Counts<Number>& counts) {
  const auto replace = [&](PerMemoryTensor<PortWords<Number>>& table, auto words) {
    PortWords<Number>& parent = table[at(ends.parent)][at(ends.tensor)];
    parent.reads = traffic.reads.*words;
    parent.updates = traffic.updates.*words;
    if (!ends.to_compute) table[at(ends.child)][at(ends.tensor)].fills = traffic.fills.*words;
  };
  replace(counts.total, &Words<Number>::all);
  replace(counts.busiest, &Words<Number>::busiest);
}

extern template struct Link<std::int64_t>;
extern template struct Link<Int128>;
extern template class DigitCounter<std::int64_t>;
extern template class DigitCounter<Int128>;
extern template class LinkCounter<std::int64_t>;
extern template class LinkCounter<Int128>;

}  // namespace tilewright::model
