// How the shared loops of a plan move the dimensions of its einsums: in which pieces a dimension
// is worked through, which loops repeat a leaf, how long tensors stay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/cascade.h"

namespace tilewright {

// A dimension of a leaf's einsum below the first loops of its path. The loops that move it work
// through it in pieces that follow each other; each ends `step` indices behind the one before.
// Pieces may overlap, where work is done again, and they may be new parts of larger ones.
struct DimPieces {
  std::vector<int> loops;             // positions in the path of those that move it
  std::vector<std::int64_t> counts;   // of these
  std::vector<std::int64_t> lengths;  // the first piece; then those after a step of each loop
  std::int64_t step = 1;
  // Pieces on both sides of a step of loops before this one (of `loops`) are not in that order:
  // an overlap was cut into pieces of its own.
  std::size_t ordered_from = 0;
  std::string problem;  // why the loops cannot be there; empty if they can

  // How often there are pieces of lengths[kind].
  std::int64_t times(std::size_t kind) const;
  bool is_uniform() const;  // pieces of one length, none overlapping
  std::int64_t longest() const { return *std::max_element(lengths.begin(), lengths.end()); }
};

// Padding: an index of an intermediate that reaches beyond what is written. All zeros stand before
// the first value.
struct Padding {
  std::int64_t zeros = 0;  // negative: more is written than is read
  std::int64_t most = 0;   // that a filter may see; 0 where the index is no window
};
Padding padding_of(const Workload& reader, const Rank& seen, std::int64_t written);

class Geometry {
 public:
  Geometry(const Cascade& cascade, const Plan& plan);

  const Cascade& cascade() const { return cascade_; }
  const Plan& plan() const { return plan_; }
  const std::vector<PathLoop>& path(int einsum) const { return paths_[at(einsum)]; }
  EinsumRange group(int einsum) const { return groups_[at(einsum)]; }
  // The readers of an einsum's output in its own group.
  const std::vector<IntermediateReader>& readers(int einsum) const { return readers_[at(einsum)]; }
  bool is_intermediate(int einsum) const { return !readers(einsum).empty(); }
  // The memory that the group of an einsum shares.
  const std::string& shared(int einsum) const { return shared_[at(einsum)]; }
  // The memory that a tensor is at home in which is not streamed.
  const std::string& home(int einsum, TensorId tensor) const;
  // Whether an intermediate of the group also goes to the outermost memory, where it is made:
  // einsums behind the group read it, or somebody outside the cascade.
  bool leaves(int einsum) const { return leaves_[at(einsum)]; }
  // The einsum of the group that writes an input; nothing if it comes from outside.
  std::optional<int> writer(int einsum, TensorId tensor) const;
  // The loops that an einsum shares with all readers of its output, or all of its path.
  int common(int einsum) const { return common_[at(einsum)]; }

  // A dimension below the first `depth` loops of the path. What is found is kept, so that plans
  // which differ in places alone ask for it once.
  const DimPieces& pieces(int einsum, DimId dim, int depth) const;
  // A rank of an intermediate as its reader needs it, below loops that writer and reader share.
  DimPieces needed(int writer, std::size_t rank, const IntermediateReader& reader, int depth) const;

  // Whether the loop of the path moves a dimension: by its name, or through intermediates.
  bool moves(int einsum, DimId dim, int loop) const {
    return moved_[at(einsum)][at(dim)][at(loop)];
  }
  bool moves(int einsum, TensorId tensor, int loop) const;
  bool moves_any(int einsum, int loop) const;
  // Where a tensor that is not streamed is kept, as a number of loops.
  int depth_of(int einsum, TensorId tensor) const;
  // The first loop of the path across whose steps a tensor stays: its moving loop, or 0 if none of
  // those outside it moves it. As long as the path if it stays across none.
  int stays_from(int einsum, TensorId tensor) const;
  // Whether the einsum runs in each iteration of a loop that moves none of its dimensions, or in
  // the first alone, since its output is still there.
  bool runs_again(int einsum, int loop) const;

  // The first and last einsum during which a tensor takes room that is not streamed.
  EinsumRange life_of(int einsum, TensorId tensor) const;
  // Whether an overlap of its tiles stays across steps of its moving loop.
  bool overlap_stays(int einsum, TensorId tensor) const;

  // The outermost loop over the dimension along which the einsum's output is normalised that is
  // shared with a reader; nothing if there is none.
  std::optional<int> online_loop(int einsum) const;

 private:
  std::optional<std::size_t> rank_of(int einsum, DimId dim) const {
    return ranks_[at(einsum)][at(dim)];
  }
  // The pieces of an intermediate follow from the loops and from where it and what its readers make
  // of it stay; those of other dimensions follow from the loops alone.
  struct KnownPieces {
    std::vector<int> stays;  // stays_from() of the einsum's output, its reader's, and so on
    DimPieces pieces;
  };
  std::vector<int> stays_of(int einsum) const;
  bool stays_so(int einsum, const std::vector<int>& stays) const;
  DimPieces find_pieces(int einsum, DimId dim, int depth) const;
  void find_moved(int einsum);
  bool is_moved(int einsum, DimId dim, int loop) const;
  DimPieces from_reader(int einsum, std::size_t rank, int depth) const;
  void leave_out_zeros(int einsum, std::size_t rank, int stays, DimPieces& pieces) const;
  void cut(int einsum, DimId dim, int from, int depth, DimPieces& pieces) const;

  const Cascade& cascade_;
  const Plan& plan_;
  std::vector<std::vector<PathLoop>> paths_;
  std::vector<EinsumRange> groups_;
  std::vector<std::string> shared_;  // by einsum
  std::vector<std::vector<IntermediateReader>> readers_;
  std::vector<bool> leaves_;  // by einsum
  std::vector<int> common_;
  std::vector<std::vector<std::optional<std::size_t>>> ranks_;  // of outputs, by einsum, dimension
  std::vector<std::vector<std::vector<bool>>> moved_;           // by einsum, dimension, loop
  // By einsum; by dimension and depth.
  mutable std::vector<std::vector<std::forward_list<KnownPieces>>> known_;
};

// The rank of an einsum's output that is the dimension alone.
std::optional<std::size_t> output_rank(const Workload& workload, DimId dim);

// The same as of cascade and plan, where the geometry is there already.
std::vector<Execution> executions_of(const Geometry& geometry, int einsum);
std::uint32_t residents_of(const Geometry& geometry, int einsum);
std::vector<Home> homes_of(const Geometry& geometry, int einsum);
// What is wrong with loops and places of a plan whose trees are sound.
std::vector<PlanProblem> located_problems_of(const Geometry& geometry);
// Whether the closed forms of loads cover a tensor that no einsum of the group writes.
bool covers_loads(const Geometry& geometry, int einsum, TensorId tensor);

}  // namespace tilewright
