// The extents that the dimensions can have at each memory of a subproblem, and the
// bounds that lead from one to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/extent_box.h"
#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

// One loop of a dimension: from an extent inside to an extent outside it.
struct Edge {
  int from = 0, to = 0;  // positions in the lists below
  std::int64_t bound = 1;
};

// What one dimension can have in the block of one memory.
struct LatticeAxis {
  std::vector<std::int64_t> inner;  // extents just inside the memory's loops
  std::vector<std::int64_t> outer;  // just outside them: of the memory's tile
  // Where a place stands for a range of extents: its largest one; the smallest is above.
  std::vector<std::int64_t> inner_most, outer_most;
  std::vector<Edge> edges;      // by `to`, then by bound
  std::vector<int> first_edge;  // of each outer extent, and the end
};

class Lattice {
 public:
  // All extents there are. Throws Expired and TooLarge.
  Lattice(const Subproblem& sub, const Deadline& deadline);
  // Those in a box, each one or, with `most_vectors`, in ranges: about so many vectors of
  // ranges. A range leads to another one if extents of theirs may.
  Lattice(const Subproblem& sub, const ExtentBox& box, const Deadline& deadline);
  Lattice(const Subproblem& sub, const ExtentBox& box, double most_vectors,
          const Deadline& deadline);

  int dims() const { return dims_; }
  // False if some dimension has no chain of bounds: the subproblem has no mapping.
  bool ok() const { return ok_; }
  bool has_ranges() const { return has_ranges_; }
  const LatticeAxis& axis(int memory, int dim) const { return axes_[at(memory * dims_ + dim)]; }
  // Leaves out the extents of a dimension just inside a memory's loops that are
  // not wanted, and what can be reached from them alone.
  void keep_inner(int memory, int dim, const std::vector<bool>& wanted);
  // The same of what leads to them alone.
  void keep_tiles(int memory, int dim, const std::vector<bool>& wanted);
  // How many vectors of extents there are at the widest place.
  double vectors() const;
  // A box that has all extents of the lattice.
  ExtentBox box() const;

 private:
  template <typename Grow>
  void make(Grow grow_axis);
  bool grow(int memory, int dim);
  bool grow_ranges(int memory, int dim, int most_parts);
  void cross_fanouts(int memory, int dim);
  void keep_between(int memory, int dim, const std::vector<bool>& keep);
  void drop_dead_ends(int dim);
  static void index_edges(LatticeAxis& axis);
  std::vector<std::int64_t> bounds_of(int memory, int dim, std::int64_t inside) const;
  LatticeAxis& mutable_axis(int memory, int dim) { return axes_[at(memory * dims_ + dim)]; }

  const Subproblem* sub_;
  const Deadline* deadline_;
  int dims_;
  ExtentBox box_;
  bool has_ranges_ = false;
  bool ok_ = true;
  std::vector<LatticeAxis> axes_;  // [memory][dim]
};

}  // namespace tilewright::optimal
