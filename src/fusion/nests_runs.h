// Stationary runs inside the shared memory, from the multipliers out: which are open, what their
// words take, and where they end.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "fusion/nests_lattice.h"
#include "fusion/nests_stack.h"

namespace tilewright::fusion {

// Tensors whose stationary run still goes on, with the energy of one word of each; and what is
// still to come for words that go to the multipliers. States are alike if all of this is.
struct OpenRuns {
  std::uint32_t open = 0;                     // bit per tensor with a run
  std::uint32_t unpriced = 0;                 // of them: the memory outside still adds its price
  std::uint32_t to_compute = 0;               // words that no memory has served yet
  std::array<double, kMaxTensors> word_pj{};  // of the open ones
  std::array<double, kMaxTensors> copies{};   // reads per word of the unpriced ones
  std::array<double, kMaxTensors> served{};   // reads per multiply-accumulate, to_compute
  // Energy that first visits save per element of the output.
  double first_pj = 0;
  double parallel = 1;  // multipliers at work, where time counts

  auto operator<=>(const OpenRuns&) const = default;
};

// The runs before anything is inside them: words come from the memories to the multipliers.
OpenRuns runs_at_multipliers(int tensors);
// The state after the runs of tensors with a bit in `ends` have ended.
OpenRuns ended(OpenRuns runs, std::uint32_t ends);

class RunPrices {
 public:
  // Multipliers at work are counted where time counts.
  RunPrices(const NestStack& stack, bool timed);

  const NestStack& stack() const { return stack_; }
  const ExtentLattice& lattice() const { return lattice_; }
  // What one word per run of a tensor is per multiply-accumulate: 1 / its irrelevant extents.
  double per_word(int tensor, std::size_t tile) const { return per_word_[at(tensor)][tile]; }
  // By dimension: tensors that a loop over it moves.
  std::uint32_t moved(int dim) const { return moved_[at(dim)]; }
  // What the runs of tensors with a bit in `ends` take if they end at these extents.
  double end_pj(const OpenRuns& runs, std::uint32_t ends, std::size_t tile) const;
  // Prices that are certain from this stage on.
  double settle(OpenRuns& runs, std::size_t stage) const;
  // Outside a memory that keeps these tensors at its edge, and the placed ones further in.
  OpenRuns opened(OpenRuns runs, int memory, std::uint32_t tensors, std::uint32_t placed = 0) const;
  OpenRuns unrolled(const OpenRuns& runs, int fanout, const PerDim& bounds) const;

 private:
  NestStack stack_;
  bool timed_;
  ExtentLattice lattice_;
  std::vector<std::vector<double>> per_word_;
  std::vector<std::uint32_t> moved_;
};

}  // namespace tilewright::fusion
