// The best trees of shared loops for runs of einsums, from the leaves up. For every run, every
// vector of extents that loops further out may leave it, and every set of tensors that are in
// the shared memory but whose place is further out, a front of room and energy. Energies are
// totals, because what is loaded at a point of a tree follows from its extents alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "fusion/search_runs.h"

namespace tilewright::fusion {

// How a front's point came about; points to others that it is made of.
struct TreeStep {
  enum class Kind : std::uint8_t { Leaf, Place, Join, Loop };
  Kind kind = Kind::Leaf;
  std::uint32_t from = 0, other = 0;  // steps inside; of a join the children before and the last
  int first = 0, last = 0;            // the run
  std::uint32_t extents = 0;          // below this step's loop, or at the leaf
  int dim = 0;                        // of a loop
  std::int64_t count = 1;
  std::uint32_t tensors = 0;  // placed here, bits of the run's; of a leaf: streamed ones of the
                              // einsum's
  FrontPoint nest;            // of a leaf
};
inline constexpr std::uint32_t kNoStep = 0xffffffff;

class TreeSearch {
 public:
  TreeSearch(const CascadeFacts& facts, const Deadline& deadline, bool prunes);
  ~TreeSearch();

  // Searches all runs; false if the deadline passed before. Groups found until then are sound.
  bool search();
  bool has_leaves() const { return leaves_.size() == static_cast<std::size_t>(facts_.einsums()); }
  // The cheapest tree of a group, or null; of a single einsum a nest alone, all streamed.
  const FrontPoint* best_group(int first, int last) const;
  const TreeStep& step(std::uint32_t number) const { return steps_[number]; }
  const LeafFronts& leaf(int einsum) const { return *leaves_[at(einsum)]; }

 private:
  using Fronts = std::vector<Front>;  // by set of tensors without a place
  struct RunTable {
    std::vector<Fronts> at;  // by extents; of a run of several, below a loop around it
  };

  void search_all();
  void set_limits();
  void make_leaf(int einsum);
  void add_residents(int einsum, std::size_t extents, std::uint32_t streamed, Fronts& fronts);
  static TreeStep leaf_step(int einsum, std::size_t extents, std::uint32_t streamed,
                            const FrontPoint& nest);
  std::uint32_t all_tensors(int einsum) const;
  void make_run(const RunFacts& run);
  void make_group(const RunFacts& run);
  // Children side by side at these extents, with a loop over this dimension around them (-1: none).
  Fronts join(const RunFacts& run, std::size_t extents, int dim);
  Fronts child_fronts(const RunFacts& run, std::size_t extents, int dim, const RunFacts& child);
  Fronts with_places(const RunFacts& run, std::size_t extents, int dim, const Fronts& fronts);
  void add_loops(const RunFacts& run, std::size_t extents, RunTable& table);
  void take(Front& front, std::int64_t room, double pj, const TreeStep& step);
  std::int64_t states_room(const RunFacts& run, std::size_t extents, int dim) const;
  double rescale_pj(const RunFacts& run, std::size_t extents, int begin, int end) const;

  const CascadeFacts& facts_;
  const Deadline& deadline_;
  bool prunes_;
  std::vector<double> limits_;  // of the energy of runs; none: no limit
  std::vector<std::unique_ptr<NestTable>> tables_;
  std::vector<std::unique_ptr<LeafFronts>> leaves_;
  std::map<std::pair<int, int>, RunTable> runs_;
  std::map<std::pair<int, int>, Front> groups_;
  std::vector<TreeStep> steps_;
};

}  // namespace tilewright::fusion
