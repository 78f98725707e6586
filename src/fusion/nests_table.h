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

#include "fusion/nests_points.h"
#include "fusion/nests_runs.h"
#include "fusion/nests_write.h"
#include "tilewright/map.h"

namespace tilewright::fusion {

class NestTable {
 public:
  // Entries of one stage of the stack: by kind of open runs and extents.
  struct Origin {
    enum class Kind : std::uint8_t { Inside, SameStage, WithPoints };
    Kind kind = Kind::Inside;
    std::uint32_t label = 0, tile = 0;  // row and extents; of nests with points: their number
  };
  struct Row {
    OpenRuns runs;
    std::vector<double> pj;  // by extents; infinite where there is no nest
    std::vector<Origin> from;
  };

  // Where time counts, nests are told apart by the number of multipliers at work, and only those
  // with `least_parallel` of them are there. Uneven nests have storage points in the memories
  // inside the shared one.
  explicit NestTable(const NestStack& stack, std::optional<double> least_parallel = std::nullopt,
                     Evenness evenness = Evenness::Even);

  Evenness evenness() const { return evenness_; }
  const NestStack& stack() const { return prices_.stack(); }
  const ExtentLattice& lattice() const { return prices_.lattice(); }
  const RunPrices& prices() const { return prices_; }
  // At the edge of the shared memory.
  const std::vector<Row>& rows() const { return stages_.back(); }
  double per_word(int tensor, std::size_t tile) const { return prices_.per_word(tensor, tile); }

  // Bounds, loop orders and storage points inside the shared memory's edge.
  void write_nest(std::size_t row, std::size_t tile, NestOutline& outline) const;
  // Loops and points of a path that ends at these extents; then its nest without points goes on.
  struct Place {
    std::size_t row = 0, tile = 0;
  };
  Place write_path(const std::vector<PointStep>& steps, std::uint32_t last, std::size_t tile,
                   int memory, NestOutline& outline) const;

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  std::size_t row_of(std::vector<Row>& rows, const OpenRuns& runs);
  // Plans need but the origins of a stage that is done.
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

  // Nests with storage points in the memory inside, until all of their prices are known: by
  // extents.
  struct PointNest {
    double pj = 0;
    std::uint32_t number = 0;
  };
  using PointRow = std::map<std::uint32_t, PointNest>;
  using PointRows = std::map<OpenRuns, PointRow>;
  // How such a nest came about: at the edge of its memory, or by a fan-out.
  struct PointOrigin {
    std::size_t stage = 0;
    std::uint32_t tile = 0, from = 0;  // extents inside; last step of the path, or the nest inside
  };
  void keep_least(PointRow& row, std::uint32_t tile, double pj, const PointOrigin& from);
  // Goes in to before the loops of the memory that has the points.
  std::size_t write_points(std::uint32_t number, std::size_t tile, Place& place,
                           NestOutline& outline) const;
  void write_unrolling(std::size_t stage, std::size_t outer, std::size_t inner,
                       NestOutline& outline) const;

  RunPrices prices_;
  Evenness evenness_;
  PointRows with_points_;
  std::vector<PointOrigin> point_origins_;
  std::vector<std::vector<PointStep>> point_steps_;  // by stage
  std::optional<double> least_parallel_;
  std::vector<std::vector<Row>> stages_;     // the first one is before all stages of the stack
  std::map<OpenRuns, std::size_t> known_;    // rows of the stage under way
  std::vector<std::vector<double>> unused_;  // of energies that were forgotten
};

}  // namespace tilewright::fusion
