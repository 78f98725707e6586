// Links whose tiles no loop has moved so far, from the inside out: the next loop that
// moves their tensor decides what they cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// How many links of each tensor are open, four bits for each tensor. They are
// the outermost ones inside the present place.
using OpenLinks = std::uint32_t;
static_assert(4 * kMaxTensors <= 32 && kMaxMemories < 16);

constexpr int open_links(OpenLinks pending, int tensor) {
  return static_cast<int>((pending >> (4 * tensor)) & 15U);
}
constexpr OpenLinks one_open(int tensor) { return OpenLinks{1} << (4 * tensor); }

// The tensors that have open links, as bits.
constexpr std::uint32_t open_tensors(OpenLinks pending) {
  std::uint32_t tensors = 0;
  for (int t = 0; t < kMaxTensors; ++t) {
    if (open_links(pending, t) > 0) tensors |= 1U << t;
  }
  return tensors;
}

// The open links of these tensors alone.
constexpr OpenLinks links_of(OpenLinks pending, std::uint32_t tensors) {
  OpenLinks links = 0;
  for (const int t : members(tensors)) links |= pending & (OpenLinks{15} << (4 * t));
  return links;
}

// Lists the links of some tensors that are open at a memory's loops.
inline void list_open(const Subproblem& sub, int memory, std::uint32_t tensors, OpenLinks pending,
                      std::vector<int>& links) {
  links.clear();
  const std::vector<Link>& all = sub.placement().links;
  for (const int tensor : members(tensors)) {
    int left = open_links(pending, tensor);
    for (int i = 0; left > 0 && at(i) < all.size(); ++i) {
      if (all[at(i)].tensor != tensor || all[at(i)].child <= memory) continue;
      links.push_back(i);
      --left;
    }
  }
}

// The links into a memory, which open there.
inline OpenLinks opened_at(const Subproblem& sub, int memory) {
  OpenLinks opened = 0;
  for (const Link& link : sub.placement().links) {
    if (link.child == memory) opened += one_open(link.tensor);
  }
  return opened;
}

// Those of the tensors that a loop of the dimension moves.
inline std::uint32_t moved_by(const SolverTables& solver, std::uint32_t tensors, int dim) {
  std::uint32_t moved = 0;
  for (const int t : members(tensors)) {
    if (contains(solver.tensor(t).relevant, dim)) moved |= 1U << t;
  }
  return moved;
}

// Whether a loop of the dimension, which moves these tensors, moves a window of one of
// them. Otherwise it moves whole tiles, as any loop does that moves the same tensors.
inline bool moves_window(const SolverTables& solver, std::uint32_t moved, int dim) {
  for (const int t : members(moved)) {
    if (!contains(solver.tensor(t).alone, dim)) return true;
  }
  return false;
}

// Adds a set to those seen before; false if it was among them.
inline bool is_new(std::vector<std::uint32_t>& seen, std::uint32_t set) {
  if (std::find(seen.begin(), seen.end(), set) != seen.end()) return false;
  seen.push_back(set);
  return true;
}

}  // namespace tilewright::optimal
