// Groups all of whose shared loops are around all their einsums, one loop per dimension at most:
// which loops there may be in which order, and where the intermediates are. Overlaps of windows are
// kept or made again; whole tiles are made again if that is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cascade/geometry.h"
#include "fusion/flat_nests.h"

namespace tilewright::fusion {

// The einsums of a group. In the cascade that the nests are of they begin at `first`.
struct FlatTask {
  const Cascade& cascade;
  const Architecture& arch;
  const std::string& shared;
  SolvedNests& nests;
  int first = 0;
  bool recompute = false;

  std::uint32_t may_reside(int einsum) const { return nests.may_reside(first + einsum); }
  std::uint32_t may_pass(int einsum) const { return nests.may_pass(first + einsum); }
};

// What a group takes whatever its nests are: each tensor from outside is loaded once, what is
// done afterwards to each element, and intermediates that also leave.
double compulsory_pj(const FlatTask& task);

// What each einsum takes at least in any group that is flat, where none has a window: its work with
// everything resident, and all loads of what no einsum hands on. Throws Expired.
std::vector<double> einsum_floors(const FlatTask& task);

// How the loop over a dimension of the last einsum cuts it, as SharedLoop has it.
struct FlatCut {
  std::int64_t count = 1;  // 1: there is no loop
  std::int64_t tile = 0;   // 0: pieces are equal

  auto operator<=>(const FlatCut&) const = default;
};
using FlatCuts = std::vector<FlatCut>;  // by dimension

struct FlatCandidate {
  Plan plan;                     // without nests; everything from outside is streamed
  std::vector<double> nests_pj;  // by einsum, with everything resident, at least
  double fixed_pj = 0;           // of what is done afterwards, and of intermediates that also leave
  double loads_pj = 0;           // of tensors from outside, at least
  double bound_pj = 0;           // of all; whatever the nests and places are
};

// Candidates by the counts of their loops. Finer counts leave einsums smaller extents, whose nests
// are no cheaper: what coarse counts take at least bounds all that are finer.
class FlatCandidates {
 public:
  // Throws Expired, as the others do.
  explicit FlatCandidates(const FlatTask& task);

  // Those that come next: one dimension is cut more often. Pieces are equal.
  std::vector<FlatCuts> finer(const FlatCuts& cuts) const;
  // No candidate of these cuts, or of finer ones, takes less. Pieces are equal. A bound of
  // `enough_pj` suffices.
  double least_pj(const FlatCuts& cuts, double enough_pj);
  // Those of these cuts that may fit and may take less than so much, in all orders and with all
  // places of intermediates.
  std::vector<FlatCandidate> list(const FlatCuts& cuts, double most_pj);
  // Whether the loop may be there, alone or with others: it moves all einsums, or work may be done
  // again.
  bool may_have(const SharedLoop& loop) const;
  // Extents that many others divide, these among them.
  std::vector<std::int64_t> multiple_of(int einsum, std::vector<std::int64_t> extents) const;

 private:
  using Loops = std::vector<SharedLoop>;
  // The extents of a dimension of an einsum, in all candidates.
  struct Extents {
    bool equal_parts = true;            // sizes divided by counts
    std::vector<std::int64_t> largest;  // beside the size; none divides another one
  };
  // An einsum all of whose pieces are equal, and what is known of its nests.
  struct EqualParts {
    int einsum = 0;
    std::vector<std::int64_t> extents;
    double known_pj_per_mac = 0;
  };
  static void note(Extents& extents, std::int64_t size, std::int64_t extent);
  Loops loops_of(const FlatCuts& cuts) const;
  void note_extents(const SharedLoop& loop);
  void note_places(Plan& plan, const Geometry& geometry, int einsum);
  bool has_equal_parts(int einsum) const;
  // The least energy of a multiply-accumulate, whatever pieces the loops leave.
  double find_least(int einsum) const;
  double nests_pj(int einsum, const std::vector<Execution>& executions) const;
  // The geometry is that of the plan.
  void place(Plan& plan, const Geometry& geometry, int einsum);
  void add(Plan& plan, const Geometry& geometry);
  bool has_room(const Geometry& geometry) const;

  FlatTask task_;
  std::vector<std::vector<std::int64_t>> counts_;  // of loops, by dimension of the last einsum
  std::vector<std::vector<Extents>> extents_;      // by einsum and dimension
  std::vector<std::optional<double>> least_;       // find_least(), by einsum, when it was asked for
  std::vector<double> macs_;                       // by einsum, each done once
  double base_pj_ = 0;                             // compulsory_pj()
  double most_pj_ = 0;                             // of candidates that are of use
  std::vector<FlatCandidate> all_;
};

// The places that a tensor from outside may have beside being streamed; keeping it just inside a
// loop that does not move it is the same as just outside.
std::vector<Placement> places_of(const Geometry& geometry, int einsum, TensorId tensor);
// What streaming a tensor takes at least beyond what its nests take where it is resident.
// `placement` is that of the tensor in the plan of the geometry.
double streamed_pj(const FlatTask& task, Placement& placement, const Geometry& geometry, int einsum,
                   TensorId tensor);
// Multiply-accumulates of all executions of this size.
double work_of(const Execution& execution);
// What an einsum has to have room for beside what it streams; of its largest execution.
std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum);

}  // namespace tilewright::fusion
