// A problem and its map-space as the solver sees them: flat tables, energies
// as whole numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mapping/flat_problem.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"

namespace tilewright::optimal {

// Energy in whole units (see Scale): of accesses and mappings, exactly.
using Energy = Int128;
// Energy in tables, in units of 2^shift, rounded down. The shift is such that
// all mappings together stay below kTooMuch.
using Units = std::int64_t;
inline constexpr Units kTooMuch = Units{1} << 60;
inline constexpr Units kNever = Units{1} << 61;  // no mapping does it

constexpr Units sum(Units a, Units b) {
  const Units total = a + b;  // both at most kNever: no overflow
  return total < kNever ? total : kNever;
}

// A unit is 10^-decimals pJ, divided by what the block sizes have in common.
struct Scale {
  int decimals = 0;
  std::int64_t blocks = 1;
  double per_pj = 1;  // units in a picojoule
  int shift = 0;
  bool exact = true;  // the energies are whole numbers of units

  std::int64_t of(double pj) const;  // rounded down where the decimals do not suffice
  Units table(Energy energy) const {
    const Energy units = energy >> shift;
    return units < kTooMuch ? static_cast<Units>(units) : kTooMuch;
  }
  Energy energy(Units units) const { return static_cast<Energy>(units) << shift; }
};

struct TensorShape : FlatTensor {
  std::vector<std::int64_t> window_elements;  // that each window moves at least, as a whole
};

// Energies are in units.
struct AccessUnits {
  std::int64_t read = 0, write = 0, update = 0;
};
// One instance of a memory, where a shape stands for all of them together: its room, and how many
// of its tiles may be side by side in each dimension.
struct InstanceShape {
  Room room;
  PerDim most_beside{};

  // The least that an instance has of a tile of all of them.
  PerDim least_tile(const PerDim& extents) const {
    PerDim tile{};
    for (std::size_t d = 0; d < tile.size(); ++d) {
      tile[d] = extents[d] > 1 ? ceil_div(extents[d], most_beside[d]) : extents[d];
    }
    return tile;
  }
};

struct MemoryShape : FlatMemory {
  std::array<AccessUnits, kMaxTensors> access{};  // one, by tensor
  std::int64_t leakage = 0;                       // per cycle and instance
  std::optional<InstanceShape> instance;
};

struct FanoutShape : FlatFanout {
  std::int64_t word = 0;
};

// The tile that stands still in a systolic array.
struct Stationary {
  SystolicArray array;
  int tensor = 0, memory = 0;
  std::int64_t most_words = 1;  // that the tile has
};

// What is known of the bounds of the outermost fan-out if they are not settled.
struct UnsettledFanout {
  std::vector<std::int64_t> sharing;  // branches that share each tensor, at most
  // The bounds of dimensions that meet in windows that do not grow evenly; 1 of others.
  PerDim first{}, last{};

  auto operator<=>(const UnsettledFanout&) const = default;
};

class OuterFilling;
class ArrayChoices;

// Each dimension's place in a mirror (see mirrors.h).
using DimMirror = std::array<int, kMaxDims>;

struct SolverTables {
  SolverTables(const Evaluator& e, SpaceKind k, const Restrictions& r)
      : evaluator(&e), kind(k), restrictions(&r) {}

  const Problem& problem() const { return evaluator->problem(); }
  bool may_leave_remainder(int slot) const {
    return tilewright::may_leave_remainder(kind, problem().slots()[at(slot)]);
  }
  bool is_perfect() const { return kind == SpaceKind::Perfect; }
  const MemoryShape& memory(int m) const { return memories[at(m)]; }
  const TensorShape& tensor(int t) const { return tensors[at(t)]; }
  const FanoutShape& fanout(int f) const { return fanouts[at(f)]; }
  std::int64_t size(int d) const { return sizes[at(d)]; }
  // Whether a memory shares its room with the next one outside it.
  bool shares_outside(int m) const { return m < memory_count && first_of[at(m)] < m; }
  bool has_shared_rooms() const {
    for (int m = 0; m < memory_count; ++m) {
      if (shares_outside(m)) return true;
    }
    return false;
  }

  // The solver numbers dimensions in its own way; this is the one of the workload.
  DimId original(int d) const { return originals[at(d)]; }
  const BoundLimits& limits(int slot, int d) const {
    return restrictions->limits(slot, original(d));
  }

  const Evaluator* evaluator;
  SpaceKind kind;
  const Restrictions* restrictions;
  Scale scale;
  bool wide = false;  // counts may need more than 64 bits
  bool boxes = false, reads_first_sums = false, leak_all = false;
  int dim_count = 0, tensor_count = 0, memory_count = 0, fanout_count = 0;
  // Dimensions of size 1 have no loops and are left out; the others are numbered by
  // size, so that the last axis of an array is the longest.
  std::vector<DimId> originals;
  PerDim sizes{};
  std::vector<TensorShape> tensors;
  std::vector<MemoryShape> memories;
  // The first of the memories that share room and ports with each one, which has the ports of all;
  // the memory itself if it shares nothing.
  std::array<int, kMaxMemories + 1> first_of{};
  std::vector<FanoutShape> fanouts;
  std::optional<Stationary> stationary;
  std::uint32_t uneven = 0;      // memories, as bits, whose tensors may have points of their own
  bool only_stationary = false;  // what costs something is the words of that tile, 1 each
  Int128 macs = 0;
  std::int64_t compute_macs = 1, compute_cycles = 1;
  std::int64_t mac = 0;
  // What is known beforehand of all mappings: cycles, and the energy of the links into the
  // memories up to `filled`; 0 if nothing is.
  Int128 least_cycles = 0;
  Units least_filling = 0;
  int filled = 0;
  // The same of cycles, as the solver finds it (see home_load.h): floors of frames know no more, so
  // that frames come in the same order whatever is known beforehand.
  Int128 home_cycles = 0;
  const OuterFilling* outer = nullptr;       // found by the solver itself, if it is
  std::optional<UnsettledFanout> unsettled;  // if subproblems stand for all with other bounds there
  std::shared_ptr<const ArrayChoices> arrays;  // that frames must keep to one of, if there are any
  // It is enough to solve one of a subproblem and its images in these.
  std::vector<DimMirror> mirrors;
  // Spatial bounds are left out of which smaller ones are as good (see tight_bounds.h).
  bool only_tight_bounds = false;
  // Tables that allow all remainders may stand for mappings whose loops in time have none.
  bool loops_divide = false;
};

// Whether loops of some memory may leave remainders.
bool has_remainders_in_time(const SolverTables& solver);

SolverTables make_solver_tables(const Evaluator& evaluator, SpaceKind kind,
                                const Restrictions& restrictions);

// The shift that keeps the costs of all mappings together below kTooMuch.
int shift_for(const SolverTables& solver);

// The energy of a mapping, from its counts.
Energy exact_energy(const SolverTables& solver, const Evaluation& evaluation);

}  // namespace tilewright::optimal
