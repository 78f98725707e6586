// The fast model: what a mapping costs, in closed form.
//
// Compile once per problem, then evaluate as many mappings as wanted, from any
// number of threads. Evaluation allocates nothing, and counts in 64 bits where all counts of the
// problem have room there, else in 128. docs/model.md goes through
// the formulas; tests hold the model equal to the oracle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright {

namespace model {
struct Compiled;  // flat tables; private
}
struct FlatProblem;  // private, too

// Whether the hardware can hold a mapping, and if not, where it breaks first.
struct Verdict {
  enum class Kind : std::uint8_t { Fits, CapacityExceeded, PartitionExceeded, FanoutExceeded };
  Kind kind = Kind::Fits;
  LevelId level{};          // the memory or fan-out
  TensorId tensor{};        // the partition's tensor, or the largest one of a shared memory
  SlotKind axis{};          // of a fan-out
  std::int64_t needed = 0;  // in the unit of the capacity, or instances
  std::int64_t available = 0;

  bool fits() const { return kind == Kind::Fits; }
  bool operator==(const Verdict&) const = default;
};

struct Score {
  Verdict verdict;
  double energy_pj = 0;
  Int128 cycles = 0;
  std::int64_t instances = 0;  // of the compute level, that take part

  double edp() const { return energy_pj * static_cast<double>(cycles); }  // pJ * cycles
  // Adds the energy and the cycles of something that is run so many times.
  void add(const Score& more, std::int64_t times) {
    energy_pj += static_cast<double>(times) * more.energy_pj;
    cycles += wide_product(times, more.cycles);
  }
  bool operator==(const Score&) const = default;
};

// In pJ and cycles: pJ * cycles for the EDP.
double value_of(Objective objective, const Score& score);
// True if `a` is the better of two that fit. Mappings that are equal by the objective
// are told apart by fewer cycles, then less energy, last by fewer compute instances in
// use. Energies that agree in twelve digits are equal: sums of the same terms in another
// order differ there.
bool is_better(Objective objective, const Score& a, const Score& b);

// Words that cross a memory's ports on behalf of one tensor.
struct Traffic {
  Int128 reads = 0;    // to serve what is inside, or to read partial sums back
  Int128 fills = 0;    // words that enter from outside
  Int128 updates = 0;  // partial sums that arrive from inside

  bool operator==(const Traffic&) const = default;
};

// One tensor in one memory.
struct Holding {
  bool kept = false;
  Int128 tile_words = 0;  // the largest tile an instance holds
  Traffic total;          // all instances together
  Traffic busiest;        // the instance with all spatial digits 0
  Int128 reductions = 0;  // additions of an update to an older partial sum, all instances
  // Reads and fills of an output's old partial sums that first visits of elements spare. They
  // come on top where the elements are not new (plans run an einsum in parts).
  Traffic spared_total, spared_busiest;
  double sharing = 1;  // instances served by one read, or sums merged into one update
  double read_pj = 0, fill_pj = 0, update_pj = 0;

  double energy_pj() const { return read_pj + fill_pj + update_pj; }
};

struct MemoryReport {
  LevelId level{};
  std::int64_t instances = 0;  // that take part
  std::vector<Holding> tensors;
  double leakage_pj = 0;
  // Cycles that the busiest instance's ports need; nothing if unlimited.
  std::optional<Int128> read_cycles, write_cycles, shared_cycles;

  Int128 cycles() const;  // the slowest port
};

struct FanoutReport {
  LevelId level{};
  std::int64_t used_x = 1, used_y = 1;
  std::vector<Int128> words;  // per tensor, delivered to or collected from instances
  double network_pj = 0;
};

// What sets the number of cycles.
struct Bottleneck {
  enum class Port : std::uint8_t { Compute, Read, Write, Shared };
  Port port = Port::Compute;
  LevelId level{};
};

struct Evaluation {
  Score score;
  std::vector<MemoryReport> memories;  // outermost first
  std::vector<FanoutReport> fanouts;   // outermost first
  std::vector<Int128> tensor_words;    // elements of each whole tensor
  Int128 macs = 0;
  std::int64_t compute_instances = 0;  // that take part
  Int128 compute_cycles = 0;
  // A systolic array has: how often the tile that stands still changes, and the cycles in which
  // the array fills and drains, and in which the tile is loaded. They follow those of compute.
  Int128 stationary_changes = 0, fill_cycles = 0, preload_cycles = 0;
  double compute_pj = 0;
  double utilisation = 0;
  double area_um2 = 0;
  Bottleneck bottleneck;

  // Without stalls: the multipliers, and what a systolic array takes beside them.
  Int128 array_cycles() const;
};

class Evaluator {
 public:
  // Fails if the index expressions of a tensor are beyond the closed forms.
  static Checked<Evaluator> compile(const Problem& problem);
  // The same of a pair, which may be no problem.
  static Checked<Evaluator> compile(const Workload& workload, const Architecture& arch);

  const Problem& problem() const;
  const FlatProblem& flat() const;  // the same in tables, for mappers

  // Mappings must be structurally sound (structural_problems() is empty).
  Score score(const Mapping& mapping) const;
  // Many at once: scores[i] belongs to mappings[i]; as many of one as of the other.
  void score(std::span<const Mapping> mappings, std::span<Score> scores) const;
  // Numbers of a mapping that does not fit are those it would have.
  Evaluation evaluate(const Mapping& mapping) const;
  // Every place where the mapping does not fit, innermost memory first.
  std::vector<Verdict> violations(const Mapping& mapping) const;

 private:
  friend class OpenOrders;
  friend class Neighbours;
  friend class Scorer;
  friend Evaluator in_wide_counts(const Evaluator& evaluator);  // in model/scorer.h
  explicit Evaluator(std::shared_ptr<const model::Compiled> compiled);
  std::shared_ptr<const model::Compiled> compiled_;
};

// "glb: 1200 words of tensors, 131 too many for its 1069; the largest is I"
std::string to_string(const Verdict& verdict, const Problem& problem);

}  // namespace tilewright
