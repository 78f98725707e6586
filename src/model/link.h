// Words that move between a memory and the next keeper of a tensor inside it
// (or the compute level).
#pragma once

#include <array>
#include <cstdint>

#include "model/frame.h"

namespace tilewright::model {

// Whose words are counted: all instances' or those of the busiest one, which
// is the one with all spatial digits 0 (nobody has more or larger tiles).
enum class Scope : std::uint8_t { All, Busiest };

class LinkCounter {
 public:
  static constexpr int kCompute = -1;

  // `child` is a memory or kCompute.
  LinkCounter(const Frame& frame, int tensor, int parent, int child);

  // Words that enter the child's instances.
  std::int64_t entering(Scope scope) const;
  // Words that leave the parent's ports: what is identical in several
  // instances under a fan-out counts once where the fan-out can share.
  std::int64_t served(Scope scope) const { return shared_words(scope, first_fanout_); }

  int first_fanout() const { return first_fanout_; }  // between the two,
  int end_fanout() const { return end_fanout_; }      // outermost first
  // Words that arrive at the instances of one of these fan-outs.
  std::int64_t delivered(int fanout) const { return shared_words(Scope::All, fanout + 1); }

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

  bool shares(int fanout) const;
  std::uint32_t outside(Scope scope, int slot) const;
  std::int64_t shared_words(Scope scope, int merge_from) const;

  std::int64_t ordinary_words() const;                         // per child instance
  std::int64_t ordinary_copies(int fanout, bool merge) const;  // per parent-side request
  std::int64_t window_words(const Window& window) const;
  std::int64_t special_alone(int dim, std::uint32_t zero) const;
  std::int64_t special_window(const Window& window, std::uint32_t zero) const;
  std::int64_t window_tiles(const Window& window, std::uint32_t zero, int at, Extents& extents,
                            bool moved) const;
  std::int64_t tile_words(const Window& window, const Extents& extents, bool moved) const;
  bool can_merge(const Window& window, int merge_from) const;
  std::int64_t merged_window(const Window& window, std::uint32_t zero, int merge_from) const;
  std::int64_t merged_classes(const Window& window, const ClassList* lists, int at, Shape& shape,
                              int merge_from) const;
  std::int64_t merged_words(const Window& window, const Shape& shape, int fanout,
                            int merge_from) const;
  std::int64_t merged_branches(const Window& window, const Shape& shape, int fanout, int merge_from,
                               int at, Shape& inside, Extents& counts) const;
  void list_classes(int dim, std::uint32_t zero, ClassList& list) const;
  std::uint32_t fanout_bits(int from, int to) const;
  std::int64_t step_of_moving_loop() const;

  const Frame& frame_;
  const Compiled& c_;
  const TensorTable& tensor_;
  int parent_slot_;
  int child_slot_;
  int first_loop_;  // outside the child
  int moving_;      // index of the moving loop; loop count if there is none
  bool no_memory_;  // the child is the compute level: every step is a start
  int moving_dim_ = -1;
  int first_fanout_ = 0, end_fanout_ = 0;
};

}  // namespace tilewright::model
