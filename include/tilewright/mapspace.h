// Which mappings of a problem may be tried: the spaces of perfect and imperfect
// factors, within what the hardware and the user allow.
//
// A space is a value. It knows its exact size without enumerating, gives its
// i-th mapping, draws one at random, walks through a part of itself and says
// whether it has a given mapping. No two of its mappings do the same: loops of
// bound 1 do not exist, so their order does not count. docs/mapspaces.md goes
// through the counting.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright {

namespace mapspace {
struct Tables;        // what a space has counted; private
class SamplerTables;  // private
}  // namespace mapspace

// Where a bound need not divide what the slots inside it leave of a dimension:
// nowhere (PFM), in space, in time, everywhere. (Ruby, section III-A)
enum class SpaceKind { Perfect, RubyS, RubyT, Ruby };
std::string to_string(SpaceKind kind);  // "pfm", "ruby-s", "ruby-t", "ruby"
std::optional<SpaceKind> space_kind(const std::string& name);
bool may_leave_remainder(SpaceKind kind, const Slot& slot);

// A bound's limits, and what set each.
struct BoundLimits {
  std::int64_t least = 1;
  std::int64_t most = kCountLimit;
  std::string least_from, most_from;
  bool most_by_constraint = false;  // not by the problem itself
};

// How far the tiles of a memory may extend in a dimension, and the tensor that
// fills it. Where remainders leave several extents possible, the least counts.
struct ExtentLimit {
  std::int64_t most = kCountLimit;
  TensorId tensor{};
};

// What the hardware and the user allow beyond the problem itself, resolved
// against its slots, dimensions and tensors.
class Restrictions {
 public:
  // The architecture's constraints and `more`. Problems are names in `more` that
  // the workload or the architecture lacks. Names in the architecture that the
  // workload lacks are ignored; another workload may have them.
  static Checked<Restrictions> create(const Problem& problem,
                                      const std::vector<Constraint>& more = {});

  const BoundLimits& limits(int slot, DimId dim) const {
    return limits_[at(slot * dims_ + index_of(dim))];
  }
  // Loops that stand outermost or innermost at a memory, from the outside in.
  const std::vector<DimId>& outermost(MemoryId memory) const { return outermost_[at(memory)]; }
  const std::vector<DimId>& innermost(MemoryId memory) const { return innermost_[at(memory)]; }
  // Bits of tensors, as in MemoryUse.
  std::uint32_t keep_always(MemoryId memory) const { return keep_always_[at(memory)]; }
  std::uint32_t keep_allowed(MemoryId memory) const { return keep_allowed_[at(memory)]; }
  // The least number of instances of a fan-out that must take part.
  std::int64_t least_instances(LevelId fanout) const { return least_instances_[at(fanout)]; }

  // Leaves out mappings of which a single dimension shows that they cannot fit:
  // a memory that always keeps a tensor holds only so many of its elements, and
  // a tile has as many at least as its extent in any dimension of the tensor.
  void exclude_misfits(const Problem& problem);
  // The largest extent of a dimension in the tiles of a memory.
  const ExtentLimit& extent_limit(MemoryId memory, DimId dim) const {
    return extents_[at(index_of(memory) * dims_ + index_of(dim))];
  }

  const std::string& least_instances_from(LevelId fanout) const {
    return least_instances_from_[at(fanout)];
  }

  // Pairs of constraints that exclude each other as they are written.
  const std::vector<Diagnostic>& contradictions() const { return contradictions_; }

  // Which constraints a mapping breaks that is sound and has no
  // hardware_problems(); empty if none.
  std::vector<std::string> broken_by(const Problem& problem, const Mapping& mapping) const;

 private:
  friend class Resolver;
  explicit Restrictions(const Problem& problem);

  int dims_;
  std::vector<BoundLimits> limits_;   // [slot][dim]
  std::vector<ExtentLimit> extents_;  // [memory][dim]
  std::vector<std::vector<DimId>> outermost_, innermost_;
  std::vector<std::uint32_t> keep_always_, keep_allowed_;
  std::vector<std::int64_t> least_instances_;
  std::vector<std::string> least_instances_from_;
  std::vector<Diagnostic> contradictions_;
};

struct SpaceSize {
  std::vector<BigUint> chains;  // of factors, per dimension on its own
  BigUint tilings;              // of all dimensions together, as the fan-outs hold them
  BigUint bypasses;             // keep or bypass choices
  BigUint total;                // with all loop orders

  // The mean number of loop orders of a tiling.
  double orders() const { return total.value() / tilings.value() / bypasses.value(); }
};

struct MadeSpace;
class Deadline;

class MapSpace {
 public:
  // The space, or why it is empty or cannot be counted: constraints that
  // contradict each other, a dimension that has no chain of factors, a deadline that passes.
  static MadeSpace create(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
                          const Deadline* deadline = nullptr);

  const Problem& problem() const { return problem_; }
  SpaceKind kind() const { return kind_; }
  const Restrictions& restrictions() const { return restrictions_; }

  const BigUint& size() const;  // not zero
  SpaceSize measure() const;    // the size and its parts
  // The i-th mapping, in canonical form (see canonical()); index < size().
  // Mappings that differ in loop order alone are neighbours.
  Mapping at(const BigUint& index) const;

  bool contains(const Mapping& mapping) const { return why_not(mapping).empty(); }
  // Why a mapping is not in the space; empty if it is.
  std::vector<std::string> why_not(const Mapping& mapping) const;

 private:
  friend class Sampler;
  friend class Walk;
  MapSpace(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
           std::shared_ptr<const mapspace::Tables> tables);

  Problem problem_;
  SpaceKind kind_;
  Restrictions restrictions_;
  std::shared_ptr<const mapspace::Tables> tables_;
};

struct MadeSpace : Checked<MapSpace> {
  bool too_large = false;  // to be counted; else what is missing is empty
};

// How many mappings there are of this kind, even and uneven, with points of their own for the
// tensors of some memories, as bits; or why that cannot be counted.
struct UnevenSize : Checked<BigUint> {
  bool too_large = false;
};
UnevenSize count_uneven(const Problem& problem, SpaceKind kind,
                        const std::vector<Constraint>& constraints, std::uint32_t memories);

// Draws mappings of a space, each with the same probability (up to 2^-50 of
// it). One per thread: it remembers what it has worked out.
class Sampler {
 public:
  explicit Sampler(const MapSpace& space);
  ~Sampler();

  // Valid until the next call.
  const Mapping& draw(Rng& rng);

  // The same in two steps, for searches that can tell by parts of a mapping whether they want
  // to see all of it: draw_parts() draws it, written() gives it.
  void draw_parts(Rng& rng);
  const Mapping& written();
  // Whether all chains of factors are in lists, as those of all but large dimensions are. Of
  // what was drawn, chains() then has the positions in the lists by dimension, before it is
  // written. What memories keep is that of keeping().
  bool lists_chains() const;
  const std::array<std::uint32_t, kMaxDims>& chains() const;
  const Mapping& keeping() const;
  // The list of a dimension's chains, each a bound for every slot.
  std::vector<std::array<std::int64_t, kMaxSlots>> chains_of(DimId dim) const;

 private:
  std::unique_ptr<mapspace::SamplerTables> tables_;
};

// The mappings of a space that are one step from one of its mappings: a prime factor of a
// bound is at another slot, where remainders are allowed a bound is one more or less and
// another slot makes up for it, two loops of a memory have changed places, a memory keeps a
// tensor or passes it by. For local searches of one's own.
std::vector<Mapping> neighbours(const MapSpace& space, const Mapping& mapping);
// One of them, drawn at random, though not each with the same probability; the mapping
// itself if it has none.
Mapping neighbour(const MapSpace& space, const Mapping& mapping, Rng& rng);

// Goes through the mappings from one index up to, but not including, another.
// The space must outlive it.
class Walk {
 public:
  Walk(const MapSpace& space, const BigUint& first, const BigUint& last);
  ~Walk();
  Walk(Walk&&) noexcept;

  // The next mapping, or null at the end. Valid until the next call.
  const Mapping* next();
  // Passes over the mappings still to come that differ from the last one in
  // loop order alone, and gives their number.
  BigUint skip_orders();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
