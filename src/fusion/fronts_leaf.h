// The best private nests of an einsum, for all extents that shared loops may leave it and all
// sets of tensors that are streamed, over the room that the streamed tiles take.
#pragma once

#include <cstdint>
#include <vector>

#include "fusion/fronts.h"
#include "fusion/nests_table.h"

namespace tilewright::fusion {

class LeafFronts {
 public:
  // Only dimensions with a bit in `shared` may have loops above the leaf.
  LeafFronts(const NestTable& table, std::uint32_t shared);

  const NestTable& table() const { return table_; }
  const ExtentLattice& lattice() const { return lattice_; }  // of the shared dimensions
  // Tensors that the shared memory does not keep are always streamed; they pass by it.
  std::uint32_t must_stream() const { return must_stream_; }
  // Energies are totals over all executions of the einsum.
  const Front& front(std::uint32_t streamed, std::size_t extents) const {
    return fronts_[streamed][extents];
  }
  // A nest of a point, as a mapping of the problem of one execution, which has the same
  // dimensions and memories.
  Mapping nest(const FrontPoint& point, const PerDim& extents, const Problem& problem) const;

 private:
  struct Nest {
    std::uint32_t row = 0, tile = 0;
    std::uint64_t run = 0;  // dimensions of the loops inside, outermost in the lowest bits
  };
  // A stationary run outside the shared memory: which tensors it is for, and where it ends.
  struct Run {
    std::size_t tile = 0;
    std::uint32_t still = 0;  // tensors whose runs go on
    PerDim extents{};
    std::vector<std::size_t> ended;  // by tensor: the extents at the end of its run
    std::uint64_t dims = 0;
  };
  void try_tile(std::size_t tile);
  void go_on(const Run& run);
  void try_run(const Run& run);
  void add_streamed(const Run& run, std::size_t row, double pj);
  void sweep();
  double streamed_pj(int tensor, double per_mac) const;

  const NestTable& table_;
  ExtentLattice lattice_;
  std::uint32_t must_stream_;
  double macs_, outputs_;
  std::vector<std::vector<Front>> fronts_;  // [streamed][extents]
  std::vector<Nest> nests_;
  std::vector<std::uint32_t> still_by_dim_;
};

}  // namespace tilewright::fusion
