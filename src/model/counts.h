// All counts of one mapping, in fixed-size tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
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
// The energy of so many words through all instances' ports, where one access takes `each`.
template <typename Number>
double port_energy(const FlatMemory& memory, Number words, Number instances, double each);
template <typename Number>
AccessEnergy access_energy(const Compiled& c, const Counts<Number>& counts, int memory,
                           int tensor) {
  const FlatMemory& table = c.memory[at(memory)];
  const PortWords<Number>& traffic = counts.total[at(memory)][at(tensor)];
  const FlatPrices& price = c.prices[at(memory)];
  if (table.block == 1) {  // asked once, not for every port
    return {static_cast<double>(traffic.reads) * price.read_pj[at(tensor)],
            static_cast<double>(traffic.fills) * price.write_pj[at(tensor)],
            static_cast<double>(traffic.updates) * price.update_pj[at(tensor)]};
  }
  const Number instances = counts.instances[at(memory)];
  return {port_energy(table, traffic.reads, instances, price.read_pj[at(tensor)]),
          port_energy(table, traffic.fills, instances, price.write_pj[at(tensor)]),
          port_energy(table, traffic.updates, instances, price.update_pj[at(tensor)])};
}
// What the ports of a memory's busiest instance carry.
template <typename Number>
struct PortSums {
  Number reads = 0, writes = 0;
};
template <typename Number>
PortSums<Number> ports_of(const Mapping& mapping, const Counts<Number>& counts, int memory);
// Lets cycles last until a port is done. Divides only where it is slower than all before it:
// division is what this step would otherwise spend its time on.
[[gnu::always_inline]] inline void wait_for(std::int64_t words,
                                            const std::optional<Rational>& bandwidth,
                                            std::int64_t& cycles) {
  if (!bandwidth) return;
  if (words <= cycles && bandwidth->denominator <= bandwidth->numerator) return;
  if (static_cast<Int128>(words) * bandwidth->denominator >
      static_cast<Int128>(cycles) * bandwidth->numerator) {
    cycles = cycles_for(words, *bandwidth);
  }
}
inline void wait_for(Int128 words, const std::optional<Rational>& bandwidth, Int128& cycles) {
  if (bandwidth) cycles = std::max(cycles, cycles_for(words, *bandwidth));
}
// Lets cycles last until the ports of a memory's busiest instance are done.
template <typename Number>
void wait_for_ports(const FlatMemory& memory, Number reads, Number writes, Number& cycles) {
  wait_for(reads, memory.read_bandwidth, cycles);
  wait_for(writes, memory.write_bandwidth, cycles);
  wait_for(reads + writes, memory.shared_bandwidth, cycles);
}

// The cycles, if it takes so many without the ports of memories that are no storage points.
template <typename Number>
Number wait_for_memories(const Compiled& compiled, const Mapping& mapping,
                         const Counts<Number>& counts, Number cycles);
// Cycles and energy of the whole.
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
double leakage_energy(const Compiled& c, Number instances, int memory, Number cycles) {
  const FlatMemory& table = c.memory[at(memory)];
  if (table.leakage_pj == 0) return 0;
  const Number leaking = c.leak_all ? table.physical_instances : instances;
  return table.leakage_pj * static_cast<double>(cycles) * static_cast<double>(leaking);
}
template <typename Number>
double network_energy(const Compiled& compiled, const Counts<Number>& counts, int fanout);

// All accesses of one memory for one tensor.
template <typename Number>
double energy_at(const Compiled& compiled, const Counts<Number>& counts, int memory, int tensor) {
  const AccessEnergy access = access_energy(compiled, counts, memory, tensor);
  return access.read + access.fill + access.update;
}
// The only place where cycles and energies are put together; `add_memory` adds to an energy what
// energy_at() gives of a memory's tensors, one by one.
template <typename Number, typename AddMemory>
Score sum_score(const Compiled& c, const Counts<Number>& counts, Number cycles,
                Number compute_instances, AddMemory add_memory) {
  Score score;
  score.cycles = cycles;
  score.instances = narrowed(compute_instances);
  double energy = static_cast<double>(static_cast<Number>(c.macs)) * c.mac_pj;
  for (int m = 0; m < c.memories; ++m) {
    add_memory(m, energy);
    energy += leakage_energy(c, counts.instances[at(m)], m, cycles);
  }
  for (int f = 0; c.any_network && f < c.fanouts; ++f) energy += network_energy(c, counts, f);
  score.energy_pj = energy;
  return score;
}

}  // namespace tilewright::model
