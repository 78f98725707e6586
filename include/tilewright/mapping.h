// A workload on an architecture (Problem), and one way to run it (Mapping).
//
// A mapping gives every slot a bound per dimension. Slots stand from the
// outermost in: one temporal slot per memory, and per fan-out a spatial slot
// for its Y axis and, inside it, one for its X axis. An index of a dimension
// has one digit per slot, in the mixed radix of the bounds, innermost slot
// least significant; indices from the dimension's size on do not exist.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/base.h"
#include "tilewright/workload.h"

namespace tilewright {

enum class SlotKind { Temporal, SpatialX, SpatialY };

struct Slot {
  SlotKind kind = SlotKind::Temporal;
  LevelId level{};
  std::uint32_t allowed_dims = 0;  // bit per dimension that may have a bound above 1

  bool is_temporal() const { return kind == SlotKind::Temporal; }
};

inline constexpr int kMaxSlots = kMaxMemories + 2 * kMaxFanouts;

// What a memory does with a tensor.
enum class Residence { Keep, Bypass, Free };

// A memory as seen by one workload.
struct MemoryUse {
  LevelId level{};
  int slot = 0;
  std::vector<Residence> residence;  // per tensor
  std::uint32_t keep_always = 0;     // bit per tensor that must be kept
  std::uint32_t keep_allowed = 0;    // bit per tensor that may be kept
};

// Fan-outs that fill and drain, or are loaded, at each change of the tile of one tensor.
struct SystolicArray {
  TensorId tensor{};  // that stands still
  MemoryId memory{};  // where: the first one inside the array that keeps it
  std::int64_t fill_cycles = 0, preload_cycles = 0;  // of one change of its tile

  std::int64_t cycles_per_change() const { return fill_cycles + preload_cycles; }
  // Cycles of so many changes, and all of the array's with those of the multipliers; at most
  // kWideLimit, as of ports that are too slow.
  Int128 fill_cycles_for(Int128 changes) const { return wide_product(changes, fill_cycles); }
  Int128 preload_cycles_for(Int128 changes) const { return wide_product(changes, preload_cycles); }
  Int128 cycles_for(Int128 compute_cycles, Int128 changes) const {
    return std::min(compute_cycles + wide_product(changes, cycles_per_change()), kWideLimit);
  }
};

// A workload and an architecture brought together: names are resolved, slots
// laid out. Immutable; everything below holds copies, so it can be shared.
class Problem {
 public:
  // The pair, or why there is none: what is wrong with either, or a tensor that
  // no memory may keep. Names of tensors and dimensions that the architecture
  // lists and the workload lacks are ignored; another workload may have them.
  static Checked<Problem> create(Workload workload, Architecture arch);

  const Workload& workload() const { return workload_; }
  const Architecture& arch() const { return arch_; }
  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<MemoryUse>& memories() const { return memories_; }

  int dim_count() const { return workload_.dim_count(); }
  int tensor_count() const { return workload_.tensor_count(); }
  int slot_count() const { return static_cast<int>(slots_.size()); }
  int memory_count() const { return static_cast<int>(memories_.size()); }
  const Memory& memory(MemoryId id) const;
  const MemoryUse& use(MemoryId id) const { return memories_[at(id)]; }
  MemoryId memory_at(LevelId level) const;  // which is a memory
  // The capacity of a tensor's own partition of a memory, if it has one.
  std::optional<Capacity> partition(MemoryId memory, TensorId tensor) const;
  // Nothing if no fan-out takes cycles for changes of a tile.
  const std::optional<SystolicArray>& systolic() const { return systolic_; }
  std::string slot_name(int slot) const;         // "DRAM", "array.x"
  std::int64_t instances_along(int slot) const;  // of a spatial slot

 private:
  Problem(Workload workload, Architecture arch);

  Workload workload_;
  Architecture arch_;
  std::vector<Slot> slots_;
  std::vector<MemoryUse> memories_;
  std::vector<std::vector<std::optional<Capacity>>> partitions_;  // [memory][tensor]
  std::optional<SystolicArray> systolic_;
};

// --- uneven mappings ----------------------------------------------------------
//
// A memory cuts the tiles of the tensors that it keeps at storage points. An even mapping
// has one point per memory. An uneven mapping has several at some memory, with loops
// between them: it is a mapping of a problem in which each point is a level of its own.

// The points of one memory, outermost first, each with bits of the tensors that it keeps.
// No points at all: the memory stays as it is.
using StoragePoints = std::vector<std::uint32_t>;

// The problem with some memories taken apart into points, or why that is not possible.
// The points of each memory have different tensors, and none is without any. Levels get
// names such as "Buffer(W, O)".
Checked<Problem> with_points(const Problem& problem, const std::vector<StoragePoints>& points);
// "Buffer(W, O)"
std::string point_name(const Problem& problem, MemoryId memory, std::uint32_t tensors);
// The points that memories of such a problem stand as, by memory of the problem without them.
std::vector<StoragePoints> points_of(const Problem& problem);
// True if some memory of the problem stands as several points.
bool has_points(const Problem& problem);
// The name of the memory that a level is, or that it is a point of.
const std::string& memory_name(const Memory& memory);
// The constraints as they hold at the points of a problem: a rule on the loops of a memory holds
// at each of its points, one on its tensors of all points together. Those that are broken by the
// points are complained of.
Checked<std::vector<Constraint>> constraints_at_points(const Problem& problem,
                                                       const std::vector<Constraint>& constraints);

// True if an architecture's name for a tensor ("weight", "A") means this one.
bool names_tensor(const std::string& name, const Tensor& tensor);

// The dimensions that an architecture's name means, a bit for each: the one
// spelt like it, otherwise those that differ in case alone.
std::uint32_t dims_named(const Workload& workload, const std::string& name);

// What a user should know of how a workload and an architecture were brought
// together, in plain sentences: roles that nobody gave, where the architecture (or a
// constraint beside its own) tells inputs and weights apart; dimensions taken for
// others whose names differ in case alone; axes of fan-outs and loops of memories that
// the workload cannot use, because it has none of the dimensions they are for; energies
// that are all 0.
std::vector<std::string> remarks_on(const Workload& workload, const Architecture& arch,
                                    const std::vector<Constraint>& more = {});

class Mapping {
 public:
  // Every bound 1, dimensions in the workload's order, everything kept that
  // may be kept. Not a valid mapping until the bounds cover the dimensions.
  explicit Mapping(const Problem& problem);

  std::int64_t bound(int slot, DimId dim) const {
    return bounds_[at(slot * dim_count_ + index_of(dim))];
  }
  void set_bound(int slot, DimId dim, std::int64_t bound) {
    bounds_[at(slot * dim_count_ + index_of(dim))] = bound;
  }
  const std::int64_t* bounds(int slot) const {
    return bounds_.data() + static_cast<std::ptrdiff_t>(slot) * dim_count_;
  }

  // The dimensions of a memory's loops, outermost first: a permutation of all.
  const std::uint8_t* order(MemoryId memory) const {
    return order_.data() + static_cast<std::ptrdiff_t>(index_of(memory)) * dim_count_;
  }
  // Dimensions that are not named follow in the workload's order.
  void set_order(MemoryId memory, std::span<const DimId> outermost_first);
  void set_order(MemoryId memory, std::initializer_list<DimId> outermost_first) {
    set_order(memory, std::span(outermost_first.begin(), outermost_first.size()));
  }

  std::uint32_t kept(MemoryId memory) const { return kept_[at(memory)]; }
  bool keeps(MemoryId memory, TensorId tensor) const {
    return ((kept(memory) >> index_of(tensor)) & 1U) != 0;
  }
  void set_kept(MemoryId memory, std::uint32_t tensor_bits) { kept_[at(memory)] = tensor_bits; }

  int dim_count() const { return dim_count_; }
  int slot_count() const { return static_cast<int>(bounds_.size()) / dim_count_; }
  int memory_count() const { return static_cast<int>(kept_.size()); }

  bool operator==(const Mapping&) const = default;

 private:
  int dim_count_;
  std::vector<std::int64_t> bounds_;  // [slot][dim]
  std::vector<std::uint8_t> order_;   // [memory][position]
  std::vector<std::uint32_t> kept_;   // [memory]
};

// The number of iterations of the last pass of each slot's loop of a
// dimension, outermost slot first: digit of size-1, plus one.
std::vector<std::int64_t> last_passes(const Problem& problem, const Mapping& mapping, DimId dim);

// True if in every dimension the bounds multiply to its size.
bool is_perfect(const Problem& problem, const Mapping& mapping);

// The same mapping with the dimensions that have no loop at a memory behind
// those that have one, in the workload's order. What it does is the same; in
// this form io::write_mapping needs no loops of bound 1.
Mapping canonical(const Problem& problem, const Mapping& mapping);

// Why something is not a mapping of the problem at all: bounds that do not
// cover a dimension or exceed what is left of it, a tensor kept where the
// hardware bypasses it, a tensor kept nowhere. Empty if it is one.
std::vector<std::string> structural_problems(const Problem& problem, const Mapping& mapping);

// Why the hardware cannot run a mapping that is one: a fan-out that is too
// small, a dimension that a level does not allow. Capacity is the evaluator's
// matter. Empty if it can.
std::vector<std::string> hardware_problems(const Problem& problem, const Mapping& mapping);

}  // namespace tilewright
