// Groups all of whose shared loops are around all their einsums, one loop per dimension at most:
// which loops there may be in which order, and where the intermediates are. Overlaps of windows are
// kept or made again; whole tiles are made again if that is allowed.
#pragma once

#include <cstdint>
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
};

struct FlatCandidate {
  Plan plan;                 // without nests; everything from outside is streamed
  std::vector<double> macs;  // by einsum, work that is done again included
  double fixed_pj = 0;       // of what is done afterwards
  double loads_pj = 0;       // of tensors from outside, at least
  double bound_pj = 0;       // of all; whatever the nests and places are
};

class FlatCandidates {
 public:
  explicit FlatCandidates(const FlatTask& task);

  // Those that may fit, the most promising one first. Throws Expired.
  std::vector<FlatCandidate> list(const Deadline& deadline);

 private:
  using Loops = std::vector<SharedLoop>;
  Plan plan_of(const Loops& loops) const;
  bool may_have(const SharedLoop& loop) const;
  void extend(Loops& loops, std::size_t dim, const Deadline& deadline);
  void list_orders(Loops loops);
  // The geometry is that of the plan.
  void place(Plan& plan, const Geometry& geometry, int einsum);
  void add(Plan& plan, const Geometry& geometry);
  bool has_room(const Geometry& geometry) const;
  double least_loads(Plan& plan, const Geometry& geometry) const;

  FlatTask task_;
  std::vector<std::vector<std::int64_t>> counts_;     // of loops, by dimension of the last einsum
  std::vector<std::vector<std::int64_t>> multiples_;  // of all extents, by einsum and dimension
  std::vector<FlatCandidate> all_;
};

// The places that a tensor from outside may have beside being streamed; keeping it just inside a
// loop that does not move it is the same as just outside.
std::vector<Placement> places_of(const Geometry& geometry, int einsum, TensorId tensor);
// What an einsum has to have room for beside what it streams; of its largest execution.
std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum);

}  // namespace tilewright::fusion
