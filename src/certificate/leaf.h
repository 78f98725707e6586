// From a frame and the bounds of all loops back to a mapping.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/context.h"

namespace tilewright::certificate {

// A storage point and the loops just inside it, dimensions and bounds, innermost first.
struct PointLoops {
  std::uint32_t tensors = 0;
  std::vector<std::pair<int, std::int64_t>> loops;

  // Loops of one dimension are one, where the innermost of them stands.
  void add_loop(int dim, std::int64_t bound);
};

// The loops of one memory.
struct Block {
  std::vector<const Step*> steps;  // per dimension
  std::vector<int> order;          // dimensions from the inside out
  std::vector<PointLoops> points;  // innermost first; none if all tensors have the same
};

class Leaf {
 public:
  explicit Leaf(const Context& context);

  // Calls visit for every mapping of the space with these loops that matters, one for each
  // choice of bounds, until it returns false. Of bounds that leave the same number of
  // iterations the least is enough where tiles grow evenly and are not dealt out to instances
  // (docs/optimal.md, "What is left out because something else is as good").
  template <typename Visit>
  bool for_each_mapping(const std::vector<Block>& blocks, Visit visit);

 private:
  bool next_bounds(const std::vector<Block>& blocks);
  bool place_unrolling(int fanout, int dim);
  // True if the axis of a fan-out has room for the dimensions up to this one.
  bool holds(int slot, int last) const;
  void start(const std::vector<Block>& blocks);

  const Context& context_;
  std::vector<int> fanout_slots_;  // Y slots
  Mapping mapping_;
  std::vector<char> least_is_enough_;  // [dim]
  std::vector<std::int64_t> bounds_;   // [memory][dim]
};

template <typename Visit>
bool Leaf::for_each_mapping(const std::vector<Block>& blocks, Visit visit) {
  start(blocks);
  do {
    for (int m = 0; m < context_.memories(); ++m) {
      const int slot = context_.problem().use(MemoryId{m}).slot;
      for (int d = 0; d < context_.dims(); ++d) {
        mapping_.set_bound(slot, DimId{d}, bounds_[at(m * context_.dims() + d)]);
      }
    }
    // How a product is split over the axes makes no difference; one that the
    // hardware allows is enough.
    if (place_unrolling(0, 0) && !visit(mapping_)) return false;
  } while (next_bounds(blocks));
  return true;
}

}  // namespace tilewright::certificate
