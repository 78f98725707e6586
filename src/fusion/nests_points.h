// Storage points of single tensors inside one memory. A path is a nest up to some extents, with
// loops of the memory outermost, in which some of the tensors that the memory keeps have their
// points already.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "fusion/fronts.h"
#include "fusion/nests_runs.h"

namespace tilewright::fusion {

// How a path came about: from extents on by a loop, just inside which tensors have their points.
struct PointStep {
  bool begins = false;       // `before` is the row of a nest without points
  std::uint32_t before = 0;  // the step before
  std::uint32_t tile = 0;    // the extents inside the loop
  std::uint32_t placed = 0;
};

struct PointPath {
  std::uint32_t runs = 0;    // number of the open runs
  std::uint32_t placed = 0;  // tensors that have their points
  std::int64_t room = 0;     // that their tiles take
  double pj = 0;             // per multiply-accumulate
  // By placed tensor: words per multiply-accumulate that the memory outside is still to be paid
  // for.
  std::array<double, kMaxTensors> served{};
  OpenTime time = {};  // what placed tensors bring to the ports, where time counts
  PointStep last = {};
  std::uint32_t step = 0;  // the number of the last step
};

// What points of a memory cost, and which paths are of use.
class PointRules {
 public:
  PointRules() = default;
  PointRules(const PointRules&) = default;
  PointRules& operator=(const PointRules&) = default;
  virtual ~PointRules() = default;

  virtual std::uint32_t tensors() const = 0;  // that may have points; one of them has none
  virtual std::uint32_t loop_dims() const = 0;
  // Gives a tensor its point at these extents; false if it does not fit.
  virtual bool place(PointPath& path, int tensor, std::size_t tile) const = 0;
  virtual bool is_of_use(const PointPath& path, const OpenRuns& runs, std::size_t tile) const = 0;
};

class PointPaths {
 public:
  PointPaths(const RunPrices& prices, const PointRules& rules);

  // Goes on with a nest in which no tensor has its point yet; and with all paths to these extents.
  // Extents come in the order of their numbers.
  void add(const OpenRuns& runs, double pj, std::size_t row, std::size_t tile);
  void go_on(std::size_t tile);
  // Paths whose last loop ends at these extents, with a point at least. No other one beats them.
  const std::vector<PointPath>& paths(std::size_t tile) const { return paths_[tile]; }
  const OpenRuns& runs(const PointPath& path) const { return runs_[path.runs]; }
  std::vector<PointStep> take_steps() { return std::move(made_); }
  // Paths to these extents are not needed any more.
  void forget(std::size_t tile) { std::vector<PointPath>().swap(paths_[tile]); }

 private:
  std::uint32_t number_of(const OpenRuns& runs);
  std::uint32_t number_behind(std::uint32_t runs, int dim);
  void add_loops(const PointPath& path, std::size_t tile);
  void take(const PointPath& path, std::size_t tile);

  const RunPrices& prices_;
  const PointRules& rules_;
  std::vector<std::vector<PointPath>> paths_;  // by extents
  std::vector<OpenRuns> runs_;
  std::map<OpenRuns, std::uint32_t> known_;
  std::vector<std::vector<std::uint32_t>> behind_;  // [runs][dim]: after a loop
  std::vector<ExtentLattice::Step> steps_;
  std::vector<PointStep> made_;  // steps of paths
};

// Points of a memory inside the shared one.
class InnerPoints : public PointRules {
 public:
  // The memory whose edge is at this stage.
  InnerPoints(const RunPrices& prices, std::size_t edge);

  std::uint32_t tensors() const override { return kept_; }
  std::uint32_t loop_dims() const override { return prices_.stack().loop_dims(memory_); }
  bool place(PointPath& path, int tensor, std::size_t tile) const override;
  bool is_of_use(const PointPath& path, const OpenRuns& runs, std::size_t tile) const override;
  // The runs outside the memory: those of tensors without a point open at its edge.
  OpenRuns outside(const PointPath& path, const OpenRuns& runs) const;

 private:
  std::int64_t room_for(int tensor, std::size_t tile) const;
  bool fits_partition(int tensor, std::size_t tile) const;

  const RunPrices& prices_;
  std::size_t edge_;
  int memory_;
  std::uint32_t kept_;
};

}  // namespace tilewright::fusion
