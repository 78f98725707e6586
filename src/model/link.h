// Words that move between a memory and the next keeper of a tensor inside it
// (or the compute level).
#pragma once

#include <array>
#include <cstdint>

#include "model/frame.h"

namespace tilewright::model {

// A count for all instances together, and for the busiest one: the instance
// with all spatial digits 0, for nobody has more steps or larger tiles.
struct Words {
  std::int64_t all = 0;
  std::int64_t busiest = 0;
};

// The innermost loop outside a memory that moves a tensor there; what stands
// inside it leaves the tensor's tile where it is. Without such a loop the tile
// is loaded once.
struct MovingLoop {
  int dim = -1;
  int slot = -1;                            // of the memory whose loop it is
  std::uint32_t inside = 0;                 // dimensions of that memory's loops inside it
  std::int64_t from_here = 1, outside = 1;  // iterations of the ordinary loops, with and without it
};

// As the loops of the mapping stand.
MovingLoop find_moving_loop(const Frame& frame, int tensor, int memory);

class LinkCounter {
 public:
  static constexpr int kCompute = -1;

  // `child` is a memory or kCompute, for which no loop counts as moving.
  // `want_busiest` says whether the busiest instance is of interest; it may
  // cost extra.
  LinkCounter(const Frame& frame, int tensor, int parent, int child, const MovingLoop& moving,
              bool want_busiest);

  // Words that enter the child's instances.
  Words entering() const;
  // Words that leave the parent's ports: what is identical in several
  // instances under a fan-out counts once where the fan-out can share.
  Words served() const { return shared_words(first_fanout_); }

  bool reaches_compute() const { return no_memory_; }
  int first_fanout() const { return first_fanout_; }  // between the two,
  int end_fanout() const { return end_fanout_; }      // outermost first
  // Words that arrive at the instances of one of these fan-outs.
  std::int64_t delivered(int fanout) const { return shared_words(fanout + 1).all; }

 private:
  // Classes of steps of one dimension: equal numbers of active instances.
  struct StepClass {
    std::int64_t steps;
    std::int64_t active;  // instances below the parent, the first so many
    bool moved;           // a further step of the moving loop, not a start
    bool clipped;         // the last of the active ones has a last, smaller tile
  };
  static constexpr int kMaxClasses = 4 * kMaxSlots + 1;
  struct ClassList {
    int count = 0;
    std::array<StepClass, kMaxClasses> items;
    void add(StepClass item) {
      if (item.steps > 0 && item.active > 0) items[static_cast<std::size_t>(count++)] = item;
    }
  };
  struct Shape {
    Extents active{};
    std::array<bool, kMaxWindowDims> clipped{};
    bool moved = false;
  };
  // One count per set of slots whose digits are held at 0 (see held_).
  static constexpr int kMaxHeld = 3;
  using Counts = std::array<std::int64_t, kMaxHeld>;
  // Tiles of one dimension: [further step of the moving loop][last, smaller tile].
  using TileCounts = std::array<std::array<Counts, 2>, 2>;

  bool shares(int fanout) const;
  bool is_moved(const Window& window) const {
    return moving_.dim >= 0 && ((window.dim_bits() >> moving_.dim) & 1U) != 0;
  }
  static std::uint32_t slots_up_to(int slot) {  // and with it; -1 is outside of all
    // In 64 bits, for with all slots in use the compute level stands at slot 32.
    return static_cast<std::uint32_t>((std::uint64_t{1} << (slot + 1)) - 1U);
  }
  std::uint32_t spatial_outside(int slot) const { return c_.spatial_slots & slots_up_to(slot - 1); }
  std::uint32_t temporal_outside(int slot) const {
    return ~c_.spatial_slots & slots_up_to(slot - 1);
  }
  Words shared_words(int merge_from) const;

  // Ordinary dimensions.
  std::int64_t ordinary_words() const;  // per child instance
  std::int64_t window_words(const Window& window) const;
  std::int64_t ordinary_copies(int fanout, bool merge) const;  // per parent-side request

  // Special dimensions, by digits.
  void hold_spatial_digits();
  void find_inner_loops();
  void count_relevant();
  std::int64_t irrelevant(std::uint32_t zero) const;
  void multiply_alone(int dim);
  std::int64_t held_combinations(int dim, int held) const;
  bool held_last(int dim, int held) const;
  Counts special_window(const Window& window) const;
  TileCounts count_tiles(int dim) const;
  void sum_tiles(const Window& window, const TileCounts* counts, int at, Extents& extents,
                 bool moved, const Counts& tiles, Counts& sum) const;
  std::int64_t tile_words(const Window& window, const Extents& extents, bool moved) const;

  // Special windows whose tiles coincide in different instances.
  bool can_merge(const Window& window, int merge_from) const;
  Words merged_windows(int merge_from) const;
  std::int64_t merged_window(const Window& window, std::uint32_t zero, int merge_from) const;
  std::int64_t merged_classes(const Window& window, const ClassList* lists, int at, Shape& shape,
                              int merge_from) const;
  std::int64_t merged_words(const Window& window, const Shape& shape, int fanout,
                            int merge_from) const;
  std::int64_t merged_branches(const Window& window, const Shape& shape, int fanout, int merge_from,
                               int at, Shape& inside, Extents& counts) const;
  void list_classes(int dim, std::uint32_t zero, ClassList& list) const;

  const Frame& frame_;
  const Compiled& c_;
  const TensorTable& tensor_;
  int parent_slot_;
  int child_slot_;
  int child_memory_;  // the number of memories stands for compute
  int first_fanout_, end_fanout_;
  bool no_memory_;  // the child is the compute level: every step is a start
  bool want_busiest_;
  MovingLoop moving_;
  std::int64_t ordinary_;  // words per child instance from ordinary dimensions
  // Slots of a special dimension's loops that the moving loop has inside it.
  std::array<std::uint32_t, kMaxDims> inner_slots_;
  // Sets of slots whose digits are held at 0: none (all instances count), the
  // spatial ones outside the child, those outside the parent; equal sets once.
  std::array<std::uint32_t, kMaxHeld> held_;
  int held_count_ = 0;
  int child_held_ = 0, parent_held_ = 0;
  // Product over the special relevant dimensions, windows that can share below
  // a fan-out kept apart.
  Counts relevant_;
  Counts sharing_windows_;
};

// What the instances of a link's two ends ever hold of an output.
struct Held {
  Words by_parent, by_child;
};

// What a link makes pass the ports of its two ends.
struct LinkTraffic {
  Words reads, updates;  // of the parent
  Words fills;           // of the child
};
LinkTraffic link_traffic(const Frame& frame, const LinkCounter& link, int tensor, int parent,
                         const Held& held);

}  // namespace tilewright::model
