// Where a plan is: the digits of its loops, and what they leave of einsums and tensors.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "oracle/elements.h"
#include "tilewright/cascade.h"

namespace tilewright::oracle {

using Digits = std::vector<std::int64_t>;

// The trees of a plan as the walker sees them, and what intermediates hold.
class PlanState {
 public:
  PlanState(const Cascade& cascade, const Plan& plan);

  const std::vector<PathLoop>& path(int einsum) const { return paths_[at(einsum)]; }
  const std::vector<IntermediateReader>& readers(int einsum) const { return readers_[at(einsum)]; }
  bool is_made_inside(int einsum, TensorId tensor) const;
  // Whether somebody behind the group of an intermediate reads it, or outside the cascade.
  bool leaves(int einsum) const { return leaves_[at(einsum)]; }
  int common(int einsum) const;

  // What is executed of an einsum below the first `depth` loops; nothing if all is there.
  std::optional<Region> executed(int einsum, const Digits& digits, int depth) const;
  // The part of an intermediate that its reader needs below the first `depth` loops.
  Region needed(int einsum, const Digits& digits, int depth) const;
  Elements tile(int einsum, TensorId tensor, const Digits& digits, int depth) const;

  // The loops outside the place where a tensor is kept, and the last of them that moves it.
  int depth_of(int einsum, TensorId tensor) const;
  int moving_loop(int einsum, TensorId tensor) const;  // -1: none of them; else its place
  bool is_kept(int einsum, TensorId tensor) const;
  bool overlaps(int einsum, TensorId tensor) const;

  // A loop goes on: what intermediates held is gone, unless it stays.
  void step(const Digits& digits, int loop, int first, int last);
  // The einsum has run with these digits and made these elements of its output.
  void made(int einsum, const Elements& elements);

 private:
  Region cut(int einsum, Region region, const Digits& digits, int from, int depth) const;
  Region whole(int einsum) const;
  std::vector<std::int64_t> zeros(int einsum) const;  // per rank of an intermediate

  const Cascade& cascade_;
  const Plan& plan_;
  std::vector<std::vector<PathLoop>> paths_;
  std::vector<std::vector<IntermediateReader>> readers_;
  std::vector<bool> leaves_;
  std::vector<Elements> held_;  // of each intermediate when its loops went on last
  std::vector<Elements> made_;  // since then
};

}  // namespace tilewright::oracle
