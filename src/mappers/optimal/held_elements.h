// How many elements of the output the instances of a memory ever hold, where it is known which
// indices each of them has: so many first reads are spared.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

class HeldElements {
 public:
  // Bounds of the loops of a memory, by memory and dimension.
  using BoundOf = std::function<std::int64_t(int, int)>;

  explicit HeldElements(const Subproblem& sub);

  // Whether anything is known by loops: the memory keeps the output, and branches outside it have
  // parts of its windows.
  bool knows(int memory) const { return contains(known_memories_, memory); }
  // The memories that this is known of once the loops outside a memory are, with its tile.
  std::uint32_t known_outside(int memory) const;
  // What all instances hold at most, if the tile of the outermost memory inside the same fan-outs
  // has these extents, with these loops outside it: exactly with perfect factors. With remainders
  // some instances may have less, or nothing.
  Int128 most(int memory, const PerDim& tile, const BoundOf& bound_of);

 private:
  int beside(int memory) const;
  std::int64_t sums_of(const Window& window, int memory, const PerDim& tile,
                       const BoundOf& bound_of);
  // Indices of a dimension that the first instance has, as loops and branches of other instances
  // from the inside out: how far they step, and how often.
  std::vector<std::int64_t> indices_of(int dim, int memory, const PerDim& tile,
                                       const BoundOf& bound_of) const;

  const Subproblem& sub_;
  const SolverTables& solver_;
  std::uint32_t known_memories_ = 0;
  // Sums of a window outside a memory, by its tile and bounds.
  using Known = std::map<std::vector<std::int64_t>, std::int64_t>;
  std::map<std::pair<const Window*, int>, Known> known_;
  std::vector<std::int64_t> key_;
};

}  // namespace tilewright::optimal
