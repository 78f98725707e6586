// All counts of one mapping, in fixed-size tables.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/loop_layout.h"

namespace tilewright::model {

template <typename T>
using PerMemoryTensor = std::array<std::array<T, kMaxTensors>, kMaxMemories>;

// Traffic without initialisers: tables of it cost nothing until they are used.
template <typename Number>
struct PortWords {
  Number reads, fills, updates;
};

// The tables are left uninitialised where a tensor is not kept; ask the mapping first.
template <typename Number>
struct Counts {
  std::array<Number, kMaxMemories> instances;
  PerMemoryTensor<PortWords<Number>> total;
  PerMemoryTensor<PortWords<Number>>
      busiest;  // exact only where a bandwidth is limited, or in full
  std::array<std::array<Number, kMaxTensors>, kMaxFanouts> fanout_words;
  Number compute_cycles;
  Number stationary_changes;  // only where an array is systolic
};

// Extra figures for the report.
template <typename Number>
struct Details {
  PerMemoryTensor<Number> tile{};
  PerMemoryTensor<Number> reductions{};
  PerMemoryTensor<double> sharing{};
  PerMemoryTensor<PortWords<Number>> spared_total{}, spared_busiest{};
};

// Words of the tile that starts at a slot; slot 0 gives the whole tensor.
template <typename Number>
Number tile_words(const LoopLayout<Number>& layout, int tensor, int slot);

// Says whether the mapping fits, and else the first place where it does not. All
// such places are put into `all` if it is given.
template <typename Number>
Verdict check_fit(const LoopLayout<Number>& layout, std::vector<Verdict>* all = nullptr);

// Gives no details if `details` is null.
template <typename Number>
void count_traffic(const LoopLayout<Number>& layout, Counts<Number>& counts,
                   Details<Number>* details);
template <typename Number>
Number compute_cycles(const LoopLayout<Number>& layout);
// Cycles of the multipliers for so many steps of the busiest one.
template <typename Number>
Number cycles_of_steps(const Compiled& compiled, Number steps);
// Changes of the tile that stands still in a systolic array. It is kept out of what every
// evaluation does: other architectures do not pay for it.
template <typename Number>
[[gnu::noinline, gnu::cold]] Number stationary_changes(const LoopLayout<Number>& layout);

// Cycles a memory's busiest instance needs at its ports.
template <typename Number>
struct PortCycles {
  Number read = 0, write = 0, shared = 0;
};
template <typename Number>
PortCycles<Number> port_cycles(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                               int memory);
// The bandwidths that a memory's row of a report has. The first storage point of a memory
// stands for all of them, the others have none.
const FlatMemory& ports_at(const Compiled& compiled, int memory);

// The same for memories that stand as several storage points. These functions are kept out of
// those for whole memories, which are called in every evaluation: even mappings do not pay for
// them.
template <typename Number>
[[gnu::noinline, gnu::cold]] std::vector<Verdict> shared_misfits(const LoopLayout<Number>& layout);
// Cycles that the ports of an instance need for so many words.
template <typename Number>
[[gnu::noinline, gnu::cold]] Number port_limit(const FlatMemory& memory, Number reads,
                                               Number writes);
// The cycles, if it takes so many without these memories.
template <typename Number>
[[gnu::noinline, gnu::cold]] Number wait_for_shared(const LoopLayout<Number>& layout,
                                                    const Counts<Number>& counts, Number cycles);
template <typename Number>
PortCycles<Number> port_cycles(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                               const SharedMemory& shared);

// Energy of one memory's accesses for one tensor.
struct AccessEnergy {
  double read = 0, fill = 0, update = 0;
};
template <typename Number>
AccessEnergy access_energy(const Compiled& compiled, const Counts<Number>& counts, int memory,
                           int tensor);
// The energy of so many words through all instances' ports, where one access takes `each`.
template <typename Number>
double port_energy(const FlatMemory& memory, Number words, Number instances, double each);
// Lets cycles last until the ports of a memory's busiest instance are done.
template <typename Number>
void wait_for_ports(const FlatMemory& memory, Number reads, Number writes, Number& cycles);

// The cycles, if it takes so many without the ports of memories that are no storage points.
template <typename Number>
Number wait_for_memories(const Compiled& compiled, const Mapping& mapping,
                         const Counts<Number>& counts, Number cycles);
// Cycles and energy of the whole; the only place where they are put together.
template <typename Number>
Score make_score(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                 const Verdict& verdict);
// The same where the cycles, and the compute instances that take part, are known.
template <typename Number>
Score make_score(const Compiled& compiled, const Mapping& mapping, const Counts<Number>& counts,
                 Number cycles, Number compute_instances);

// The score of any mapping, perfect or not.
Score score_of_any(const Compiled& compiled, const Mapping& mapping);

// `instances` are those that take part.
template <typename Number>
double leakage_energy(const Compiled& compiled, Number instances, int memory, Number cycles);
template <typename Number>
double network_energy(const Compiled& compiled, const Counts<Number>& counts, int fanout);

}  // namespace tilewright::model
