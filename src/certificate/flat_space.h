// What plans of flat groups take: prices of loads, room, and the questions about nests that are
// left. docs/certificates.md says which plans these are.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "certificate/bound_space.h"
#include "certificate/flat_cell.h"

namespace tilewright::certificate {

// What a nest takes at least: an einsum with these extents, where tensors are streamed through this
// room of the shared memory and all others are resident there. With nothing streamed nothing is
// constrained, so that what holds for extents holds for all that divide them.
struct FlatQuestion {
  int einsum = 0;
  std::vector<std::int64_t> extents;
  std::uint32_t streamed = 0;  // a bit for each tensor
  std::int64_t room = 0;       // where something is streamed
  bool old_sums = false;       // sums go on that were begun before

  auto operator<=>(const FlatQuestion&) const = default;
};

class FlatSpace {
 public:
  // Throws Unverifiable where plans are beyond the checker.
  FlatSpace(const Cascade& cascade, const Architecture& arch, const std::string& shared,
            int longest, Among nests = Among::Even);

  const Cascade& cascade() const { return *cascade_; }
  const Architecture& arch() const { return arch_; }
  int einsums() const { return cascade_->einsum_count(); }
  int longest() const { return longest_; }
  Among nests() const { return nests_; }  // even ones, or all
  int decimals() const { return bounds_.decimals(); }
  const BoundSpace& bounds() const { return bounds_; }
  std::int64_t room() const { return room_; }
  // The first einsum that is the same work.
  int same_as(int einsum) const { return einsums_[at(einsum)].same_as; }
  std::uint32_t all_tensors(int einsum) const {
    return (1U << static_cast<unsigned>(cascade_->workload(einsum).tensor_count())) - 1;
  }

  // In the unit of the capacity.
  std::int64_t amount(int einsum, int tensor, Int128 words) const;
  // What so many words cost that enter the shared memory from outside; an output leaves it.
  Int128 load(int einsum, int tensor, Int128 words) const;
  // What streaming a tensor adds at least to executions with everything resident.
  Int128 streamed(int einsum, int tensor, const FlatExecution& execution) const;
  // What is done afterwards to new outputs of these executions.
  Int128 afterwards(int einsum, const std::vector<FlatExecution>& executions) const;
  // An output that is handed on and also leaves.
  Int128 departure(int einsum) const;

  // The question as one about mappings, with the names that architectures know.
  Problem problem_of(const FlatQuestion& question) const;
  // The problem of a nest of a plan, on all levels, with the names of the cascade.
  Problem nest_problem(const FlatQuestion& question) const;
  // An energy of the problem of an einsum in units of the space.
  Int128 units(int einsum, Int128 energy) const {
    return times(energy, einsums_[at(einsum)].scale);
  }

 private:
  struct Prices {
    Int128 taken = 0;  // read outside and filled inside
    Int128 update = 0;
  };
  struct Einsum {
    int same_as = 0;
    Int128 scale = 1, afterwards = 0;
    bool comes_back = true;  // old sums are read outside
    std::vector<Prices> tensors;
  };
  void add_einsum(int einsum);
  Architecture with_residents(const FlatQuestion& question) const;

  const Cascade* cascade_;
  Architecture arch_;
  int longest_ = 1;
  Among nests_;
  BoundSpace bounds_;
  std::int64_t room_ = 0;
  std::vector<Einsum> einsums_;
};

// Bounds of nests that are proven.
class FlatNestBounds {
 public:
  explicit FlatNestBounds(const FlatSpace& space) : space_(space) {}

  void add(const FlatQuestion& question, Int128 bound);
  // The highest that is known for this question, or for one with more room; 0: nothing is known.
  Int128 known(const FlatQuestion& question) const;
  // What one execution takes at least, by all that is known.
  Int128 implied(const FlatQuestion& question) const;
  // What all executions take at least, with some tensors streamed through this room.
  Int128 least(int einsum, const FlatExecution& execution, std::uint32_t streamed,
               std::int64_t room) const;
  // The same with everything resident.
  Int128 floor(int einsum, const FlatExecution& execution) const {
    return least(einsum, execution, 0, 0);
  }
  // Has the nests that BoundSpace asks for; some may be missing.
  ProvenNests of_bound_space() const;

 private:
  struct PerWork {
    Int128 bound = 0, macs = 1;
  };
  PerWork per_work(int einsum, const std::vector<std::int64_t>& extents) const;
  bool bounds_parts(int einsum, const std::vector<std::int64_t>& whole,
                    const std::vector<std::int64_t>& part) const;
  // Takes it that executions begin as many sums as the einsum does with pieces of these extents.
  Int128 by_work(int einsum, const FlatExecution& execution) const;
  bool sums_whole(int einsum, const std::vector<std::int64_t>& extents) const;

  const FlatSpace& space_;
  // Without the room, by which the bounds stand beside each other.
  std::map<FlatQuestion, std::map<std::int64_t, Int128>> known_;
  std::map<std::pair<int, std::vector<std::int64_t>>, PerWork> wholes_;
  mutable std::map<std::pair<int, std::vector<std::int64_t>>, PerWork> parts_;  // found so far
};

}  // namespace tilewright::certificate
