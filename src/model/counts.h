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
struct PortWords {
  std::int64_t reads, fills, updates;
};

// The tables are left uninitialised where a tensor is not kept; ask the mapping first.
struct Counts {
  std::array<std::int64_t, kMaxMemories> instances;
  PerMemoryTensor<PortWords> total;
  PerMemoryTensor<PortWords> busiest;  // exact only where a bandwidth is limited, or in full
  std::array<std::array<std::int64_t, kMaxTensors>, kMaxFanouts> fanout_words;
  std::int64_t compute_cycles;
  std::int64_t stationary_changes;  // only where an array is systolic
};

// Extra figures for the report.
struct Details {
  PerMemoryTensor<std::int64_t> tile{};
  PerMemoryTensor<std::int64_t> reductions{};
  PerMemoryTensor<double> sharing{};
  PerMemoryTensor<PortWords> spared_total{}, spared_busiest{};
};

// Words of the tile that starts at a slot; slot 0 gives the whole tensor.
std::int64_t tile_words(const LoopLayout& layout, int tensor, int slot);

// Says whether the mapping fits, and else the first place where it does not. All
// such places are put into `all` if it is given.
Verdict check_fit(const LoopLayout& layout, std::vector<Verdict>* all = nullptr);

// Gives no details if `details` is null.
void count_traffic(const LoopLayout& layout, Counts& counts, Details* details);
std::int64_t compute_cycles(const LoopLayout& layout);
// Cycles of the multipliers for so many steps of the busiest one.
std::int64_t cycles_of_steps(const Compiled& compiled, std::int64_t steps);
// Changes of the tile that stands still in a systolic array. It is kept out of what every
// evaluation does: other architectures do not pay for it.
[[gnu::noinline, gnu::cold]] std::int64_t stationary_changes(const LoopLayout& layout);

// Cycles a memory's busiest instance needs at its ports.
struct PortCycles {
  std::int64_t read = 0, write = 0, shared = 0;
};
PortCycles port_cycles(const LoopLayout& layout, const Counts& counts, int memory);
// The bandwidths that a memory's row of a report has. The first storage point of a memory
// stands for all of them, the others have none.
const FlatMemory& ports_at(const Compiled& compiled, int memory);

// The same for memories that stand as several storage points. These functions are kept out of
// those for whole memories, which are called in every evaluation: even mappings do not pay for
// them.
[[gnu::noinline, gnu::cold]] std::vector<Verdict> shared_misfits(const LoopLayout& layout);
// Cycles that the ports of an instance need for so many words.
[[gnu::noinline, gnu::cold]] std::int64_t port_limit(const FlatMemory& memory, std::int64_t reads,
                                                     std::int64_t writes);
// The cycles, if it takes so many without these memories.
[[gnu::noinline, gnu::cold]] std::int64_t wait_for_shared(const LoopLayout& layout,
                                                          const Counts& counts,
                                                          std::int64_t cycles);
PortCycles port_cycles(const LoopLayout& layout, const Counts& counts, const SharedMemory& shared);

// Energy of one memory's accesses for one tensor.
struct AccessEnergy {
  double read = 0, fill = 0, update = 0;
};
AccessEnergy access_energy(const Compiled& compiled, const Counts& counts, int memory, int tensor);
// The energy of so many words through all instances' ports, where one access takes `each`.
double port_energy(const FlatMemory& memory, std::int64_t words, std::int64_t instances,
                   double each);
// Lets cycles last until the ports of a memory's busiest instance are done.
void wait_for_ports(const FlatMemory& memory, std::int64_t reads, std::int64_t writes,
                    std::int64_t& cycles);

// The cycles, if it takes so many without the ports of memories that are no storage points.
std::int64_t wait_for_memories(const Compiled& compiled, const Mapping& mapping,
                               const Counts& counts, std::int64_t cycles);
// Cycles and energy of the whole; the only place where they are put together.
Score make_score(const LoopLayout& layout, const Counts& counts, const Verdict& verdict);
// The same where the cycles, and the compute instances that take part, are known.
Score make_score(const Compiled& compiled, const Mapping& mapping, const Counts& counts,
                 std::int64_t cycles, std::int64_t compute_instances);

// `instances` are those that take part.
double leakage_energy(const Compiled& compiled, std::int64_t instances, int memory,
                      std::int64_t cycles);
double network_energy(const Compiled& compiled, const Counts& counts, int fanout);

}  // namespace tilewright::model
