// The best private nests of an einsum, for all extents that shared loops may leave it and all
// sets of tensors that are streamed, over the room that the streamed tiles take.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "fusion/fronts.h"
#include "fusion/nests_points.h"
#include "fusion/nests_table.h"

namespace tilewright::fusion {

// The nests that fronts point to.
class LeafNests {
 public:
  // Only dimensions with a bit in `shared` may have loops above the leaf.
  LeafNests(const NestTable& table, std::uint32_t shared);

  const NestTable& table() const { return table_; }
  const ExtentLattice& lattice() const { return lattice_; }  // of the shared dimensions
  // Tensors that the shared memory does not keep are always streamed; they pass by it.
  std::uint32_t must_stream() const { return must_stream_; }
  // The least energy inside the shared memory with everything resident, if that has loops over all
  // dimensions: where nothing is streamed, loops outside it could as well be its own.
  std::optional<double> least_inside_pj() const;
  // A nest of a front, by its origin, as a mapping of the problem of one execution, which has the
  // same dimensions and memories.
  PrivateNest nest(std::uint32_t origin, const PerDim& extents, const Problem& problem) const;

 protected:
  struct Nest {
    std::uint32_t row = 0, tile = 0;
    bool has_points = false;  // in the shared memory: `row` is the last step of its path
    std::uint64_t run = 0;    // dimensions of the loops inside, outermost in the lowest bits
  };
  // A stationary run outside the shared memory: which tensors it is for, and where it ends.
  struct Run {
    std::size_t tile = 0, extents = 0;
    std::uint32_t still = 0;                       // tensors whose runs go on
    std::array<std::size_t, kMaxTensors> ended{};  // by tensor: the extents at the end of its run
    std::uint64_t dims = 0;
  };
  // What the words of a streamed tensor take, and what outputs save since they are new at first.
  struct StreamPrice {
    double word_pj = 0, saved_pj = 0;
  };
  StreamPrice stream_price(int tensor) const;
  // The number in `lattice()` of extents of the table's lattice.
  std::vector<std::size_t> shared_extents() const;
  // Energy inside the shared memory, all executions together, of a nest that takes so much per
  // multiply-accumulate before its open runs end; infinite if there is no nest.
  double inside_pj(const Run& run, const OpenRuns& runs, double pj) const;

  const NestTable& table_;
  ExtentLattice lattice_;
  std::uint32_t must_stream_;
  double macs_, outputs_;
  double first_pj_;  // that the first visits save where the output is kept, in all
  std::vector<Nest> nests_;
  std::vector<PointStep> point_steps_;  // of the shared memory
  std::vector<std::uint32_t> still_by_dim_;
};

// How long a leaf takes beside its tensors' words; nothing where time does not count.
class LeafTimes {
 public:
  LeafTimes() = default;
  LeafTimes(const LeafTimes&) = default;
  LeafTimes& operator=(const LeafTimes&) = default;
  virtual ~LeafTimes() = default;

  virtual double least_cycles(double parallel) const = 0;
  // Adds what passes the ports of the outermost memory of a streamed tensor.
  virtual void stream(OpenTime& open, int tensor, double words) const = 0;
};

// Which nests of a leaf are of interest; all of them where nothing else is said.
template <class Point>
class LeafInterest {
 public:
  LeafInterest() = default;
  LeafInterest(const LeafInterest&) = default;
  LeafInterest& operator=(const LeafInterest&) = default;
  virtual ~LeafInterest() = default;

  virtual bool streams(std::uint32_t) const { return true; }
  // With so many multipliers at work.
  virtual bool works(double) const { return true; }
  virtual bool pays(const Point&, std::uint32_t /*streamed*/) const { return true; }
};

template <class Point>
class LeafFronts : public LeafNests {
 public:
  // Times and interest are looked at here alone.
  LeafFronts(const NestTable& table, std::uint32_t shared, const LeafTimes* times = nullptr,
             const LeafInterest<Point>* interest = nullptr);
  ~LeafFronts();

  // Energies, cycles and words are totals over all executions of the einsum.
  const FrontOf<Point>& front(std::uint32_t streamed, std::size_t extents) const {
    return fronts_[streamed][extents];
  }

 private:
  static constexpr bool kTimed = std::is_same_v<Point, TimedNest>;
  // A nest inside the shared memory that no other beats.
  struct Inside {
    double pj = 0;
    std::size_t nest = 0;  // in the tile
  };
  // What streaming a set of tensors adds to a nest.
  struct Streamed {
    std::uint32_t tensors = 0;
    std::int64_t room = 0;  // for the tile under way
    OpenTime time;          // for the run under way
  };
  // A nest inside the shared memory that may be of use, for the tile under way.
  struct NestInTile {
    const OpenRuns* runs = nullptr;
    double pj = 0;                     // per multiply-accumulate
    std::uint32_t placed = 0;          // streamed tensors that have storage points of their own
    std::int64_t room = 0;             // that these take
    OpenTime time = {};                // that they take at the ports
    std::size_t row = 0;               // of the table; with points: the last step of the path
    double least_pj = 0, most_pj = 0;  // if its runs never end, and if they end here
  };
  // Storage points of the shared memory.
  class SharedPoints;

  void choose_sets();
  void try_tile(std::size_t tile);
  void choose_nests(std::size_t tile);
  void choose(NestInTile nest, std::size_t tile);
  bool pays(const PointPath& path, const OpenRuns& runs) const;
  void go_on(const Run& run);
  void try_run(const Run& run);
  void stream(const Run& run);
  OpenTime time_of(const NestInTile& nest, const Streamed& set) const;
  void add_streamed(const Run& run, const Inside& inside);
  void sweep();

  const LeafTimes* times_;
  const LeafInterest<Point>* interest_;
  std::vector<std::size_t> shared_extents_;
  std::vector<StreamPrice> prices_;  // by tensor
  std::vector<Streamed> sets_;
  std::vector<std::size_t> all_rows_;  // of the table that are of interest
  std::vector<double> row_cycles_;
  std::unique_ptr<SharedPoints> rules_;
  std::unique_ptr<PointPaths> points_;  // where nests may be uneven
  std::vector<NestInTile> in_tile_;
  std::array<std::int64_t, kMaxTensors> tile_room_{};
  std::vector<Inside> inside_;
  // Energy and words of streaming a tensor in the run under way.
  std::array<double, kMaxTensors> added_{}, streamed_words_{};
  std::vector<std::vector<FrontOf<Point>>> fronts_;  // [streamed][extents]
};

extern template class LeafFronts<FrontPoint>;
extern template class LeafFronts<TimedNest>;

}  // namespace tilewright::fusion
