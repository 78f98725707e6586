// The best trees of shared loops for runs of einsums, from the leaves up. For every run, every
// vector of extents that loops further out may leave it, and every set of tensors that are in
// the shared memory but whose place is further out, a front of room and energy. Energies are
// totals, because what is loaded at a point of a tree follows from its extents alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "fusion/search_leaves.h"

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
  std::uint32_t nest = 0;     // of a leaf: origin in its fronts
};
inline constexpr std::uint32_t kNoStep = 0xffffffff;

struct TreeSettings {
  const Deadline& deadline;
  const PortTimes& times;
  Goal goal = {};
  // Plans that are worse are of no interest.
  std::optional<Total> to_beat = {};
  bool hurried = false;  // keeps but a few points: plans are good, not the best
  OtherFloors others = {};
};

// What plans are made from.
class TreeRecord {
 public:
  TreeRecord() = default;
  TreeRecord(const TreeRecord&) = delete;
  TreeRecord& operator=(const TreeRecord&) = delete;
  virtual ~TreeRecord() = default;

  const TreeStep& step(std::uint32_t number) const { return steps_[number]; }
  virtual const LeafNests& nests(int einsum) const = 0;

 protected:
  std::vector<TreeStep> steps_;
};

template <class Point>
class TreeSearch : public TreeRecord {
 public:
  TreeSearch(const CascadeFacts& facts, std::shared_ptr<const LeafSet<Point>> leaves,
             TreeSettings settings);

  // Searches all runs; false if the deadline passed before. Groups found until then are sound.
  bool search();
  // Einsums alone, as groups of their own.
  void search_leaves();
  // The trees of a group that no other beats; of a single einsum nests alone, all streamed.
  const std::vector<Point>& group(int first, int last) const;
  const LeafNests& nests(int einsum) const override { return leaf(einsum); }
  const TreeBounds& bounds() const { return bounds_; }

 private:
  using Front = FrontOf<Point>;
  using Fronts = std::vector<Front>;  // by set of tensors without a place
  struct RunTable {
    std::vector<Fronts> at;  // by extents; of a run of several, below a loop around it
  };
  const LeafFronts<NestOf<Point>>& leaf(int einsum) const { return *leaves_->fronts[at(einsum)]; }
  void search_all();
  void make_leaf(int einsum);
  void make_alone(int einsum);
  void add_residents(int einsum, std::size_t extents, std::uint32_t streamed, Fronts& fronts);
  static TreeStep leaf_step(int einsum, std::size_t extents, std::uint32_t streamed,
                            const FrontPoint& nest);
  std::uint32_t all_tensors(int einsum) const;
  void make_run(const RunFacts& run);
  void make_group(const RunFacts& run);
  // Children side by side at these extents, with a loop over this dimension around them (-1: none).
  Fronts join(const RunFacts& run, std::size_t extents, int dim);
  void join_child(const RunFacts& run, std::size_t extents, const RunFacts& child,
                  const Fronts& last, const Fronts& before, Fronts& covered);
  Fronts child_fronts(const RunFacts& run, std::size_t extents, int dim, const RunFacts& child);
  void hand_on(const RunFacts& run, std::size_t extents, const RunFacts& child, std::uint32_t set,
               std::uint32_t kept, Point& point) const;
  std::int64_t live_beside(const RunFacts& run, std::size_t extents, const RunFacts& child) const;
  Fronts with_places(const RunFacts& run, std::size_t extents, int dim, const Fronts& fronts);
  void add_loops(const RunFacts& run, std::size_t extents, RunTable& table);
  void take(Front& front, Point point, const Total& rest, const TreeStep& step);
  bool is_among_the_few(const Front& front, const Point& point, const Total& rest) const;
  std::int64_t states_room(const RunFacts& run, std::size_t extents, int dim) const;
  double rescale_pj(const RunFacts& run, std::size_t extents, int begin, int end) const;

  const CascadeFacts& facts_;
  std::shared_ptr<const LeafSet<Point>> leaves_;
  TreeSettings settings_;
  TreeBounds bounds_;
  std::map<std::pair<int, int>, RunTable> runs_;
  std::map<std::pair<int, int>, Front> groups_;
};

extern template class TreeSearch<FrontPoint>;
extern template class TreeSearch<TimedPoint>;

}  // namespace tilewright::fusion
