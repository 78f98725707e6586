// A subproblem: what every memory keeps and the bounds of all spatial slots. It
// fixes what links cost as a function of the extents at their moving loop.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "mappers/optimal/spatial_bounds.h"
#include "mappers/optimal/window_reuse.h"
#include "mappers/optimal/window_starts.h"
#include "mappers/optimal/window_tiles.h"

namespace tilewright::optimal {

// The product of two counts, or the limit of their type if it is beyond: kWideLimit if one of them
// has 128 bits, else kCountLimit.
template <typename A, typename B>
constexpr auto times(A a, B b) {
  if constexpr (sizeof(a) > sizeof(std::int64_t) || sizeof(b) > sizeof(std::int64_t)) {
    return wide_product(a, b);
  } else {
    return narrowed(static_cast<Int128>(a) * b);
  }
}

// A tensor's way from one keeper to the next one inside.
struct Link {
  int tensor = 0;
  int parent = 0;
  int child = 0;                         // the number of memories stands for compute
  int first_fanout = 0, end_fanout = 0;  // between the two
};

Link link_between(const SolverTables& solver, int tensor, int parent, int child);

// Bits of the memories that have to keep a tensor, or may.
std::uint32_t keepers_of(const SolverTables& solver, int tensor, bool always);

// What the memories keep.
struct Placement {
  std::array<std::uint32_t, kMaxMemories> kept{};
  std::vector<Link> links;          // into memories, outermost first
  std::vector<Link> compute_links;  // one per tensor
};

// The memories keep what they have to.
Placement fixed_placement(const SolverTables& solver);

// How much more each fan-out may share of a tensor at most, if its bounds are not settled; and how
// much more of an output the instances inside may hold.
struct MoreShared {
  MoreShared() {
    shared.fill(1);
    held.fill(1);
  }

  std::array<std::int64_t, kMaxFanouts> shared{}, held{};
};

// So many steps at most use each element that comes with a tile of the innermost memory, in
// kReuseParts; and the extents of its tiles at most, if they are known.
struct TileReuse {
  Int128 parts = kReuseParts;
  const PerDim* most = nullptr;

  bool operator==(const TileReuse&) const = default;
};

// Words moved on behalf of a link: into the child, out of the parent, and past
// the fan-outs that charge for it. Lower bounds where there are remainders.
inline constexpr int kEntering = 0, kServed = 1, kDelivered = 2;
inline constexpr int kMaxCounts = kDelivered + kMaxFanouts;
template <typename Number>
using CountsOf = std::array<Number, kMaxCounts>;
using LinkCounts = CountsOf<Int128>;

// What one instance moves: all instances' spatial digits are 0. Known of memories with limited
// ports.
struct Load {
  Int128 reads = 0, writes = 0;
};
// By memory. The row of the compute level, which follows, has changes of the tile that stands
// still in a systolic array, as far as they are known, in place of writes.
using Loads = std::array<Load, kMaxMemories + 1>;

// The loop that moves a tensor; none if the tile is loaded once.
struct Mover {
  int dim = -1;
  std::int64_t bound = 1;
};

// Some loop of a dimension that moves a tensor, and how often it starts at least.
struct LeastMover {
  int dim = -1;
  std::int64_t passes = 1;
};

// Extents from the least to the most.
struct ExtentRange {
  std::int64_t least = 1, most = 1;

  bool contains(std::int64_t extent) const { return least <= extent && extent <= most; }
};

class Subproblem {
 public:
  Subproblem(const SolverTables& solver, const Placement& placement, const SpatialBounds& spatial);

  const SolverTables& solver() const { return *solver_; }
  const Placement& placement() const { return *placement_; }
  const SpatialBounds& spatial() const { return *spatial_; }

  // Product of the bounds of a dimension in fan-outs [first, end).
  std::int64_t unrolled(int first, int end, int dim) const {
    return outside_[at(end)][at(dim)] / outside_[at(first)][at(dim)];
  }
  std::int64_t unrolled_outside(int memory, int dim) const {
    return outside_[at(fanouts_outside(memory))][at(dim)];
  }
  // The extent of a memory's tile, from that outside the fan-outs around it.
  std::int64_t tile_extent(int memory, int dim, std::int64_t outside) const {
    return outside / unrolled(fanouts_outside(memory - 1), fanouts_outside(memory), dim);
  }
  std::int64_t instances(int memory) const { return instances_[at(memory)]; }  // at most
  // Memory number memory_count stands for compute.
  int fanouts_outside(int memory) const {
    return memory == solver_->memory_count ? solver_->fanout_count
                                           : solver_->memory(memory).fanouts_outside;
  }

  // --- the parts of a link's counts; `block` is the memory whose loops hold
  // the moving loop, `inside` the extents just inside that loop -------------
  int count_kinds(const Link& link) const {
    return kDelivered + (charges_words_ ? link.end_fanout - link.first_fanout : 0);
  }
  std::int64_t irrelevant(const Link& link, int kind, int dim, int block,
                          std::int64_t inside) const;
  // The fan-out outside which words of a kind are counted: all that are inside it have the child's
  // words, or if it shares halos, what is different of them. For the others see window_shared.
  int counted_from(const Link& link, int kind, int block) const {
    if (!solver_->tensor(link.tensor).shares_halos) return link.end_fanout;
    const int first = std::max(shared_from(link, kind), fanouts_outside(block));
    return halo_from(link, std::min(first, link.end_fanout));
  }
  // Words of a window inside a fan-out, which is one of counted_from; extents in the
  // window's order. A step goes so many times as far, if that is known of an unsettled fan-out.
  std::int64_t window_words(const Link& link, const Window& window, int block, int fanout,
                            const Extents& inside, const Mover& mover,
                            std::int64_t further = 0) const;
  // The same at least, of all extents in ranges.
  std::int64_t least_window_words(const Link& link, std::size_t window, int block, int fanout,
                                  const Extents& least, const Extents& most,
                                  const LeastMover& mover) const;
  // What is left of them where branches further out share; `uneven` if those that are cut short
  // by the end of a dimension may move more than others.
  std::int64_t window_shared(const Link& link, int kind, const Window& window, int block,
                             const Extents& inside, bool uneven, std::int64_t words) const;
  // The same with a moving loop that is known: exactly, where branches meet in one fan-out alone.
  std::int64_t window_shared(const Link& link, int kind, const Window& window, int block,
                             const Extents& inside, const Mover& mover, std::int64_t words) const;
  // Whether tiles have no gaps, however a window is moved.
  bool moves_evenly(const Window& window) const { return !is_uneven(window, window.dim(0)); }
  // Whether each branch has a whole tile or nothing: remainders are left by this fan-out alone, or
  // by others further out.
  bool has_whole_tiles(const Window& window, int fanout) const;
  // Whether it is so with this moving loop: where it moves tiles that have gaps.
  bool is_uneven(const Window& window, int moving_dim) const;
  Units energy(const Link& link, const LinkCounts& counts) const {
    return solver_->scale.table(exact(link, counts));
  }

  // The counts that all parts together give.
  LinkCounts counts(const Link& link, int block, const PerDim& inside, const Mover& mover) const {
    return solver_->wide ? multiplied<Int128>(link, block, inside, mover)
                         : multiplied<std::int64_t>(link, block, inside, mover);
  }
  // Adds what one instance of parent and child must move at least.
  void add_load(const Link& link, int block, const PerDim& inside, const Mover& mover,
                Loads& loads) const;

  // --- what holds for every mapping of the subproblem -------------------------------
  Units fixed_energy() const { return fixed_energy_; }  // multipliers, and links to them
  const Loads& fixed_loads() const { return fixed_loads_; }
  // What the links to the multipliers cost on top of that, where they cross the fan-outs
  // just outside a memory that has this tile; and the dimensions that it depends on.
  Units crossing_energy(int memory, const PerDim& tile) const;
  std::uint32_t crossing_dims(int memory) const;
  Units least_energy(const Link& link) const;
  // Of a set of subproblems, all may unroll more than the bounds that count.
  LinkCounts least_counts(const Link& link, bool may_unroll_more) const;
  // The least energy of all links into a memory and those outside it.
  Units least_filling(int memory) const;
  void add_least_load(const Link& link, Loads& loads) const;
  Units compute_energy(const Link& link) const;
  void add_compute_load(const Link& link, Loads& loads) const;
  Int128 compute_cycles() const { return compute_cycles_; }
  // The same if the multipliers take so many steps in time.
  Int128 cycles_of(Int128 steps) const;
  // Steps in time over a dimension at least, if it has one of these extents just inside the loops
  // of a memory. With remainders they are more than branches would need that share evenly.
  std::int64_t least_steps(int dim, int memory, std::int64_t inside) const;
  std::int64_t least_steps(int dim, int memory, const ExtentRange& inside) const;
  // All steps with these extents there.
  Int128 least_steps(int memory, const PerDim& inside) const;
  // The cycles that a systolic array takes if so many words enter all instances of the memory
  // where a tile stands still.
  Int128 stationary_cycles(Energy words) const;

  // --- outputs with windows ----------------------------------------------------------
  // Elements of the output that the instances of a memory ever hold, at most; where they hold no
  // more of each window; and where all that an instance ever has is made of such tiles.
  Int128 held(int memory) const { return held_[at(memory)]; }
  Int128 held_with(int memory, const std::vector<Int128>& of_windows) const;
  Int128 held_in_tiles(int memory, const PerDim& tile) const;
  // The branches outside a memory that differ in the dimensions of a window.
  std::int64_t copies(const Window& window, int memory) const;
  // What the ends of a link hold.
  struct Held {
    Int128 by_child = 0, by_parent = 0;
  };
  Units energy(const Link& link, const LinkCounts& counts, const Held& held) const;
  // What comes on top if they hold less.
  Units energy_of_less(const Link& link, const LinkCounts& counts, const Held& held,
                       const Held& less) const;
  // What the output's link to the multipliers costs on top of what is fixed and of what crossing
  // the fan-outs outside a memory costs with a tile, where its parent holds no more than this.
  Units energy_not_held(int memory, const PerDim& tile, Int128 held_by_parent) const;

  // --- what holds for all subproblems that unroll no less, with sharing at most so much
  // more; of links into memories and to the multipliers ---------------------------------
  Units least_energy(const Link& link, const MoreShared& more) const;
  // The same of a link into the innermost memory, if the next loop outside moves its tile.
  Units least_energy(const Link& link, const MoreShared& more, const TileReuse& reuse) const;
  Int128 least_cycles(std::int64_t more_instances) const;

  // Instances of the compute level that take part; and a dimension's factor of them.
  std::int64_t least_instances() const { return least_instances_; }
  std::int64_t least_instances(int dim) const {
    return least_branches_[at(solver_->memory_count)][at(dim)];
  }
  // The same with this extent just inside the loops of a memory; no more is known if the
  // dimension is unrolled further out, or not just inside the memory.
  std::int64_t least_instances(int dim, int memory, std::int64_t inside) const;
  // The cycles that these loads take.
  Int128 cycles(const Loads& loads) const;
  // What leaks in so many cycles.
  Energy leakage(Int128 cycles) const;

 private:
  // The words of a link, and how many of an output's its two ends hold at most.
  struct LinkWords {
    Int128 entering = 0, served = 0;
    Int128 held_by_child = 0, held_by_parent = 0;
  };
  struct Accesses {
    Int128 parent_reads = 0, parent_updates = 0, child_writes = 0;
  };

  bool shares(int fanout, bool output) const {
    return output ? solver_->fanout(fanout).reduction : solver_->fanout(fanout).multicast;
  }
  // First fan-out whose sharing counts for a kind of words.
  static int shared_from(const Link& link, int kind) {
    if (kind == kEntering) return link.end_fanout;
    return kind == kServed ? link.first_fanout : link.first_fanout + (kind - kDelivered) + 1;
  }
  // The outermost fan-out of the link, from one on, that shares the halos of its tensor; its end if
  // none does.
  int halo_from(const Link& link, int fanout) const {
    if (!solver_->tensor(link.tensor).shares_halos) return link.end_fanout;
    while (fanout < link.end_fanout && !solver_->fanout(fanout).shares_halos) ++fanout;
    return fanout;
  }
  std::int64_t halo_starts(const Window& window, int first, int end) const;
  Int128 compute_halo(const Link& link, const Window& window, int fanout, Int128 words) const;
  std::int64_t shared_copies(const Link& link, int kind, int dim) const;
  // Counts as products of numbers that are wide enough.
  template <typename Number>
  LinkCounts multiplied(const Link& link, int block, const PerDim& inside,
                        const Mover& mover) const;
  // How words make blocks: those of each instance, or, where it is not known how many instances
  // take part, all together.
  enum class Blocks { OfInstances, Together };
  Energy access_energy(Int128 words, int memory, std::int64_t each, Blocks blocks) const {
    const bool singly = solver_->memory(memory).block == 1 || words == 0;
    return singly ? words * each : energy_of_blocks(words, memory, each, blocks);
  }
  Energy energy_of_blocks(Int128 words, int memory, std::int64_t each, Blocks blocks) const;
  Energy exact(const Link& link, const LinkCounts& counts) const;
  Energy exact(const Link& link, const LinkCounts& counts, const Held& held, Blocks blocks) const;
  Blocks blocks() const { return solver_->is_perfect() ? Blocks::OfInstances : Blocks::Together; }
  // The least of all that unroll something in the outermost fan-out.
  Energy exact_unsettled(const Link& link, const LinkCounts& counts) const;
  Units energy_with(const Link& link, const LinkCounts& counts, const MoreShared& more) const;
  void count_instances();
  std::int64_t least_branches(int memory, int dim) const;
  void count_held();
  bool tells_what_is_held(const Link& link, int memory) const;
  Units energy_not_held(std::size_t compute_link, int memory, const PerDim& tile) const;
  void fix_compute_links();
  template <typename StridesOf>
  LinkCounts compute_counts(const Link& link, bool may_unroll_more, StridesOf strides_of) const;
  // The least there can be, however far apart branches are, and whatever else is unrolled.
  LinkCounts least_compute_counts(const Link& link) const;
  LinkCounts known_compute_counts(const Link& link, int crossed, const PerDim& tile) const;
  // The words that are left where branches of a fan-out share what starts at the same
  // place; the least there can be if it is not known how far apart they are.
  // Uneven tiles may bring more if they are cut short; whole ones are not.
  enum class BranchTiles { Elements, Whole, Even, Uneven };
  Int128 shared_starts(const Window& window, int fanout, BranchTiles tiles, Int128 words,
                       const std::optional<Extents>& strides) const;
  UnrolledDims unrolled_dims(const Window& window, int fanout) const;
  BranchTiles branch_tiles(const TensorShape& tensor, const Window& window, int fanout,
                           bool uneven) const;
  // The share of branches that start at different places with tiles of the innermost memory, where
  // the fan-out just outside it is the only one that unrolls the window; nothing otherwise.
  std::optional<Rational> least_starts(const Link& link, const Window& window, int fanout,
                                       const TileReuse& reuse) const;
  Rational different_starts(const Window& window, int fanout, BranchTiles tiles,
                            const std::optional<Extents>& strides) const;
  Accesses accesses(const Link& link, const LinkWords& words) const;
  // Those of a window of two dimensions whose tiles are few.
  WindowTiles& window_tiles(const Window& window, const WindowTiles::Moving& moving) const;
  // If the outermost memory's loop moves them and the fan-out inside it is not settled.
  std::int64_t unsettled_window_words(const Link& link, const Window& window, int fanout,
                                      const Extents& inside, const Mover& mover) const;
  std::int64_t window_steps(const Link& link, const Window& window) const;
  Int128 most_held(const TensorShape& tensor, Int128 known) const;
  bool moves_most_at_first(const Link& link, int kind) const;
  bool unrolls_diagonally(int fanout, const Window& window) const;
  // The fan-out that alone unrolls a window on a link's way, both of its dimensions, and shares it
  // inside the moving loop; -1 if there is none.
  int meets_in(const Link& link, int kind, const Window& window, int block) const;
  bool is_unrolled_inside(const Window& window, int fanout) const;
  // Whether a tile of the memory inside a fan-out, or a single element if none is, says where the
  // branches of a window start; with remainders those of one such tile alone count.
  bool knows_starts(const TensorShape& tensor, const Window& window, int fanout) const;
  // The end of the fan-outs from this one on that no memory stands between.
  int end_beside(int fanout) const;
  bool is_limited(const Link& link) const;
  void add_words(const Link& link, const LinkWords& words, Loads& loads) const;
  bool is_stationary(const Link& link) const {
    return solver_->stationary && link.child == solver_->stationary->memory &&
           link.tensor == solver_->stationary->tensor;
  }
  Int128 tile_changes(int block, const PerDim& inside) const;
  Int128 least_changes(std::int64_t more_instances) const;
  // The cycles of so many steps of the multipliers, and changes of the tile that stands still.
  Int128 array_cycles(Int128 steps, Int128 changes) const;
  std::uint32_t irrelevant_dims(const TensorShape& tensor) const {
    return ~tensor.relevant & ((1U << solver_->dim_count) - 1U);
  }
  Int128 elements(std::uint32_t dims) const;
  Int128 least_words(const TensorShape& tensor) const;
  // Words of a window that a link moves at least: each branch needs something of its own.
  Int128 least_of_branches(const Link& link, int kind, std::size_t window) const;
  std::int64_t used_branches(int memory, int dim) const;
  Rational least_share(const Window& window, int fanout) const;
  Int128 share(std::uint32_t dims, int memory) const;
  Int128 irrelevant_share(const Link& link, int kind, int memory, const PerDim& run) const;

  const SolverTables* solver_;
  const Placement* placement_;
  const SpatialBounds* spatial_;
  bool charges_words_ = false;
  std::array<PerDim, kMaxFanouts + 1> outside_;         // products of bounds of the outer fan-outs
  std::array<std::int64_t, kMaxMemories> instances_{};  // at most
  // Branches of a dimension that are in use outside a memory, or the compute level, at least.
  std::array<PerDim, kMaxMemories + 1> least_branches_{};
  std::array<Int128, kMaxMemories> held_{};  // elements of the output, all instances, at most
  std::vector<LinkCounts> compute_counts_;   // of each compute link
  std::vector<Energy> compute_energy_;       // the same
  Units fixed_energy_ = 0;
  Loads fixed_loads_{};
  // Steps of the multipliers; cycles without stalls, of an array with the fewest changes of its
  // stationary tile.
  Int128 steps_ = 1, compute_cycles_ = 1;
  std::int64_t least_instances_ = 1;
  mutable std::vector<WindowTiles> window_tiles_;  // what was asked for
};

}  // namespace tilewright::optimal
