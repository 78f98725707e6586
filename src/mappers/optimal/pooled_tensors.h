// The tensors of memories whose instances are taken together as one: those of the problem, and
// stand-ins for links into memories of which the instances' tiles are not side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "mappers/optimal/filling_bound.h"

namespace tilewright::optimal {

class PooledTensors {
 public:
  // Takes the memories down to one. What each of them keeps must be fixed.
  PooledTensors(const SolverTables& solver, int memory);

  int count() const { return static_cast<int>(tensors_.size()); }
  int origin(int number) const { return tensors_[at(number)].origin; }
  // The memories that a tensor is kept in, as bits.
  std::uint32_t keepers(int number) const { return tensors_[at(number)].keepers; }
  // The one that has the link of a tensor of the problem into a memory; -1 if none has.
  int with_link(int origin, int memory) const;
  // All links, and what memories keep.
  const Placement& placement() const { return placement_; }
  // The memories with these tensors, around one more that keeps nothing and stands for all that is
  // unrolled.
  SolverTables tables() const;

 private:
  struct Pooled {
    int origin = 0;
    std::uint32_t keepers = 0;
    int parent = -1;  // of the first keeper; none if that is the tensor's home
  };

  bool knows_tiles(int tensor, int memory) const;
  void add_links();
  bool stands_in(int number) const { return tensors_[at(number)].parent >= 0; }
  int home_of(int number) const;

  const SolverTables& solver_;
  int memory_;
  std::vector<Pooled> tensors_;  // the output last
  Placement placement_;
};

}  // namespace tilewright::optimal
