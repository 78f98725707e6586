// From a frame and the bounds of all loops back to a mapping.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "certificate/layout.h"

namespace tilewright::certificate {

// A storage point and the loops just inside it, from class to class, innermost first.
struct PointLoops {
  struct PointLoop {
    int dim = 0;
    int from = 0, to = 0;
  };
  std::uint32_t tensors = 0;
  std::vector<PointLoop> loops;

  // Loops of one dimension are one, where the innermost of them stands.
  void add_loop(int dim, int from, int to);
};

// The loops of one memory.
struct Block {
  std::vector<const Step*> steps;  // per dimension
  std::vector<int> order;          // dimensions from the inside out
  std::vector<PointLoops> points;  // innermost first; none if all tensors have the same
};

struct Found {
  Mapping mapping;
  Cost cost;
  // The problem that it is a mapping of, if memories stand as storage points there.
  std::shared_ptr<const Problem> apart;
};

class Leaf {
 public:
  explicit Leaf(const Context& context);

  // Calls visit(mapping, layout) for every mapping of the space with these loops that matters,
  // one for each choice of bounds, until it returns false. Of bounds that leave the same number of
  // iterations the least is enough where tiles grow evenly and are not dealt out to instances
  // (docs/optimal.md, "What is left out because something else is as good").
  template <typename Visit>
  bool for_each_mapping(const std::vector<Block>& blocks, Visit visit);

 private:
  // The bounds of one loop.
  struct Range {
    std::int64_t least = 1, most = 1;
  };

  // False if there is no such mapping.
  bool start(const std::vector<Block>& blocks);
  bool start_memory(int memory, const Block& block);
  bool start_point(int memory, const PointLoops& point);
  void add_level(const std::vector<int>& inside_out, const std::vector<Range>& ranges);
  bool next_bounds();
  bool place_unrolling(int fanout, int dim);
  // True if the axis of a fan-out has room for the dimensions up to this one.
  bool holds(int slot, int last) const;

  const Context& context_;
  Layouts layouts_;
  const Layout* layout_ = nullptr;
  Mapping mapping_;
  int levels_ = 0;                     // of memories, so far
  std::vector<char> least_is_enough_;  // [dim]
  std::vector<Range> ranges_;          // [memory or point][dim]
  std::vector<std::int64_t> bounds_;   // ... chosen
};

template <typename Visit>
bool Leaf::for_each_mapping(const std::vector<Block>& blocks, Visit visit) {
  if (!start(blocks)) return true;
  do {
    for (int m = 0; m < levels_; ++m) {
      const int slot = layout_->problem->use(MemoryId{m}).slot;
      for (int d = 0; d < context_.dims(); ++d) {
        mapping_.set_bound(slot, DimId{d}, bounds_[at(m * context_.dims() + d)]);
      }
    }
    // How a product is split over the axes makes no difference; one that the
    // hardware allows is enough.
    if (place_unrolling(0, 0) && !visit(std::as_const(mapping_), *layout_)) return false;
  } while (next_bounds());
  return true;
}

}  // namespace tilewright::certificate
