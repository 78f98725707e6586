// The least energy per multiply-accumulate inside the shared memory, for each vector of
// extents that its tile can have. Words of a tensor come per multiply-accumulate once in the
// product of its irrelevant extents just inside the loop that moves it, whatever lies further
// out, so one table serves tiles of all sizes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
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

class NestTable {
 public:
  // Entries of one stage of the stack: by kind of open runs and extents.
  struct Origin {
    bool same_stage = false;
    std::uint32_t label = 0, tile = 0;
  };
  struct Row {
    OpenRuns runs;
    std::vector<double> pj;  // by extents; infinite where there is no nest
    std::vector<Origin> from;
  };

  // Where time counts, nests are told apart by the number of multipliers at work, and only those
  // with `least_parallel` of them are there.
  explicit NestTable(const NestStack& stack, std::optional<double> least_parallel = std::nullopt);

  const NestStack& stack() const { return stack_; }
  const ExtentLattice& lattice() const { return lattice_; }
  // At the edge of the shared memory.
  const std::vector<Row>& rows() const { return stages_.back(); }
  // What one word per run of a tensor is per multiply-accumulate: 1 / its irrelevant extents.
  double per_word(int tensor, std::size_t tile) const { return per_word_[at(tensor)][tile]; }

  // Bounds and loop orders inside the shared memory's edge, into a mapping whose slots and
  // memories are those of the stack's problem.
  void write_nest(std::size_t row, std::size_t tile, Mapping& mapping) const;

 private:
  std::size_t row_of(std::vector<Row>& rows, const OpenRuns& runs);
  // Of a stage that is done, plans need but the origins.
  void forget_energies(std::size_t stage);
  static void improve(Row& row, std::size_t tile, double pj, Origin from);
  // The state after the runs of tensors with a bit in `ends` have ended, and what that costs.
  static OpenRuns ended(OpenRuns runs, std::uint32_t ends);
  double end_pj(const OpenRuns& runs, std::uint32_t ends, std::size_t tile) const;
  // Prices that are certain from this stage on.
  double settle(OpenRuns& runs, std::size_t stage) const;
  void loops(std::size_t stage);
  void begin_loops(std::size_t stage);
  void edge(std::size_t stage);
  void fanout(std::size_t stage);
  OpenRuns unrolled(const OpenRuns& runs, int fanout, const PerDim& bounds) const;
  // Extents that some nest of a stage has.
  std::vector<std::uint32_t> extents_of(const std::vector<Row>& rows) const;
  // Where such extents are after an unrolling; kNowhere if that does not divide the sizes.
  std::vector<std::uint32_t> unrolled(const std::vector<std::uint32_t>& extents,
                                      const Unrolling& unrolling) const;
  // The most multipliers that the stages from this one on can put to work, for each inside.
  double most_parallel(std::size_t stage) const;

  NestStack stack_;
  std::optional<double> least_parallel_;
  ExtentLattice lattice_;
  std::vector<std::vector<double>> per_word_;
  std::vector<std::vector<Row>> stages_;     // the first one is before all stages of the stack
  std::map<OpenRuns, std::size_t> known_;    // rows of the stage under way
  std::vector<std::vector<double>> unused_;  // of energies that were forgotten
};

}  // namespace tilewright::fusion
