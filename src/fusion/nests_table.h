// The least energy per multiply-accumulate inside the shared memory, for each vector of
// extents that its tile can have. Words of a tensor come per multiply-accumulate once in the
// product of its irrelevant extents just inside the loop that moves it, whatever lies further
// out, so one table serves tiles of all sizes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "fusion/nests_runs.h"
#include "tilewright/map.h"

namespace tilewright::fusion {

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
  // with `least_parallel` of them are there. Uneven nests have storage points in the memories
  // inside the shared one; they cannot be written.
  explicit NestTable(const NestStack& stack, std::optional<double> least_parallel = std::nullopt,
                     Evenness evenness = Evenness::Even);

  Evenness evenness() const { return evenness_; }
  const NestStack& stack() const { return prices_.stack(); }
  const ExtentLattice& lattice() const { return prices_.lattice(); }
  const RunPrices& prices() const { return prices_; }
  // At the edge of the shared memory.
  const std::vector<Row>& rows() const { return stages_.back(); }
  double per_word(int tensor, std::size_t tile) const { return prices_.per_word(tensor, tile); }

  // Bounds and loop orders inside the shared memory's edge, into a mapping whose slots and
  // memories are those of the stack's problem.
  void write_nest(std::size_t row, std::size_t tile, Mapping& mapping) const;

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  std::size_t row_of(std::vector<Row>& rows, const OpenRuns& runs);
  // Of a stage that is done, plans need but the origins.
  void forget_energies(std::size_t stage);
  static void improve(Row& row, std::size_t tile, double pj, Origin from);
  void loops(std::size_t stage);
  void begin_loops(std::size_t stage);
  void edge(std::size_t stage);
  void fanout(std::size_t stage);
  // The same of nests with storage points, as far as they have any.
  void edge_with_points(std::size_t stage);
  void fanout_with_points(std::size_t stage);
  void end_points(std::size_t stage);
  // Extents that some nest of a stage has.
  std::vector<std::uint32_t> extents_of(const std::vector<Row>& rows) const;
  // Where such extents are after an unrolling; kNowhere if that does not divide the sizes.
  std::vector<std::uint32_t> unrolled(const std::vector<std::uint32_t>& extents,
                                      const Unrolling& unrolling) const;
  // The most multipliers that the stages from this one on can put to work, for each inside.
  double most_parallel(std::size_t stage) const;

  // Nests with storage points in the memory inside, until all of their prices are known: energy
  // by extents.
  using PointRows = std::map<OpenRuns, std::map<std::uint32_t, double>>;

  RunPrices prices_;
  Evenness evenness_;
  PointRows with_points_;
  std::optional<double> least_parallel_;
  std::vector<std::vector<Row>> stages_;     // the first one is before all stages of the stack
  std::map<OpenRuns, std::size_t> known_;    // rows of the stage under way
  std::vector<std::vector<double>> unused_;  // of energies that were forgotten
};

}  // namespace tilewright::fusion
