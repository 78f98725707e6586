// Nests of tables as mappings.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fusion/nests_stack.h"
#include "tilewright/cascade.h"

namespace tilewright::fusion {

// Loops and storage points, from the outside in.
class NestOutline {
 public:
  // Memories have no loops yet; each keeps what it has at its edge.
  explicit NestOutline(const NestStack& stack);

  // A loop of a memory, inside all that it has so far. Loops over one dimension between two points
  // are one loop, which stands where the innermost of them is: that makes runs of other tensors
  // longer, and changes nothing else.
  void add_loop(int memory, int dim, std::int64_t bound);
  // All loops from extents to smaller ones, which have one dimension in common at most.
  void add_loops(int memory, const PerDim& from, const PerDim& to);
  // Tensors have their point here.
  void add_point(int memory, std::uint32_t tensors);
  void unroll(int fanout, const Unrolling& unrolling) { fanouts_[at(fanout)] = unrolling; }

  // The nest on the problem of one execution, which has the same dimensions and memories.
  PrivateNest write(const Problem& problem) const;

 private:
  struct Point {
    std::uint32_t tensors = 0;
    std::vector<std::pair<int, std::int64_t>> loops = {};  // just inside it, outermost first
  };

  int dims_;
  std::vector<std::vector<Point>> memories_;  // by memory, outermost point first
  std::vector<std::optional<Unrolling>> fanouts_;
};

}  // namespace tilewright::fusion
