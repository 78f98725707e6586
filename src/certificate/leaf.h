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

  // Calls is_better(mapping, layout) for every mapping with these loops that matters, one for each
  // choice of bounds, until one that is better keeps to the rules, which is then given. How a
  // product is split over the axes makes no difference to what mappings cost and hold; so a split
  // that the rules allow is looked for last. Of bounds that leave the same number of iterations the
  // least is enough where tiles grow evenly and are not dealt out to instances (docs/optimal.md,
  // "What is left out because something else is as good").
  template <typename IsBetter>
  const Mapping* find(const std::vector<Block>& blocks, IsBetter is_better);

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
  void unroll_along_y();
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

template <typename IsBetter>
const Mapping* Leaf::find(const std::vector<Block>& blocks, IsBetter is_better) {
  if (!start(blocks)) return nullptr;
  do {
    for (int m = 0; m < levels_; ++m) {
      const int slot = layout_->problem->use(MemoryId{m}).slot;
      for (int d = 0; d < context_.dims(); ++d) {
        mapping_.set_bound(slot, DimId{d}, bounds_[at(m * context_.dims() + d)]);
      }
    }
    unroll_along_y();
    if (is_better(std::as_const(mapping_), *layout_) && place_unrolling(0, 0)) return &mapping_;
  } while (next_bounds());
  return nullptr;
}

}  // namespace tilewright::certificate
