// At least so many words move on a link, given the extents just inside its
// moving loop (docs/optimal.md, "Extents are all that counts").
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/context.h"
#include "certificate/window_bound.h"

namespace tilewright::certificate {

// The loop that moves a window: to which class its dimension goes.
struct Move {
  int dim = -1;
  int to = 0;
};

class LinkBound {
 public:
  // With the moving loop in the block of a memory; -1 for no moving loop. For
  // links to the multipliers the block is that of the innermost memory.
  LinkBound(const Context& context, const LinkPlace& link, int block);

  struct Words {
    Int128 entering = 0;
    Int128 served = 0;
  };
  // The extents are numbers of classes, per dimension.
  Words words(const int* extents, const Move& move) const;
  Int128 energy(const int* extents, const Move& move) const;
  // The words are those of the extents.
  Int128 energy(const Words& words, const int* extents, const Move& move) const;
  // The same with every run as long as it can be.
  Words least_words() const;
  Int128 least_energy(const Words& least) const;

  // What this adds to the ports of one instance: fills or updates and reads.
  PortWords at_parent(const Words& words) const;
  PortWords at_child(const Words& words) const;
  const LinkPlace& link() const { return link_; }
  // The words of a tile that stands still in a systolic array that enter one instance, on the
  // mean; nothing if the link is another one.
  Int128 standing_still(const Words& words) const;
  // At least so often the child's tile changes in the first instance.
  Int128 changes(const int* extents) const;
  bool stands_still() const;

 private:
  // One count: the fan-outs inside it share.
  struct Level {
    Int128 word_energy = 0;        // of the fan-out outside, if any
    std::size_t first_shared = 0;  // in `factors_`
    Count least = 1;               // product, with the longest runs
    mutable std::vector<WindowBound> windows;
  };

  void add_level(std::uint32_t inside, Int128 word_energy);
  Int128 count(const Level& level, const int* extents, const Move& move) const;
  Int128 least_count(const Level& level) const;
  Int128 energy_of(const Words& words) const;
  bool first_moves_most(bool shared) const;

  const Context& context_;
  LinkPlace link_;
  int block_;
  bool to_compute_;
  Int128 outer_instances_, inner_instances_;  // of the two memories
  std::uint32_t fanouts_ = 0;                 // between the two, as bits
  std::uint32_t irrelevant_ = 0;              // dimensions, as bits
  Count alone_ = 1;
  std::vector<Level> levels_;  // entering, served, then those with an energy
  // Per irrelevant dimension: iterations at extent 1; and for each level the unrolling that shares,
  // and at least so many branches that do not.
  std::vector<Int128> factors_;
};

}  // namespace tilewright::certificate
