#include <array>

#include "model/counts.h"

namespace tilewright::model {
namespace {

const PortWords& words_at(const PerMemoryTensor<PortWords>& table, int memory, int tensor) {
  return table[at(memory)][at(tensor)];
}

struct PortSums {
  std::int64_t reads = 0, writes = 0;
};

// What the ports of a memory's busiest instance carry.
PortSums ports_of(const Mapping& mapping, const Counts& counts, int memory) {
  PortSums sums;
  for (const int tensor : members(mapping.kept(MemoryId{memory}))) {
    const PortWords& one = words_at(counts.busiest, memory, tensor);
    sums.reads += one.reads;
    sums.writes += one.fills + one.updates;
  }
  return sums;
}

// Divides only where a port is slower than all before it: division is what
// this step would otherwise spend its time on.
void wait_for(std::int64_t words, const std::optional<Rational>& bandwidth, std::int64_t& cycles) {
  if (!bandwidth) return;
  if (static_cast<Int128>(words) * bandwidth->denominator >
      static_cast<Int128>(cycles) * bandwidth->numerator) {
    cycles = cycles_for(words, *bandwidth);
  }
}

std::int64_t cycles_of(const LoopLayout& layout, const Counts& counts) {
  const Compiled& c = layout.compiled();
  std::int64_t cycles = counts.compute_cycles;
  if (c.systolic) cycles = c.systolic->cycles_for(cycles, counts.stationary_changes);
  cycles = wait_for_memories(c, layout.mapping(), counts, cycles);
  if (!c.shared.empty()) cycles = wait_for_shared(layout, counts, cycles);
  return cycles;
}

}  // namespace

void wait_for_ports(const FlatMemory& memory, std::int64_t reads, std::int64_t writes,
                    std::int64_t& cycles) {
  wait_for(reads, memory.read_bandwidth, cycles);
  wait_for(writes, memory.write_bandwidth, cycles);
  wait_for(reads + writes, memory.shared_bandwidth, cycles);
}

std::int64_t wait_for_memories(const Compiled& c, const Mapping& mapping, const Counts& counts,
                               std::int64_t cycles) {
  for (int m = 0; m < c.memories; ++m) {
    const FlatMemory& table = c.memory[at(m)];
    if (!table.limited) continue;
    const PortSums sums = ports_of(mapping, counts, m);
    wait_for_ports(table, sums.reads, sums.writes, cycles);
  }
  return cycles;
}

PortCycles port_cycles(const LoopLayout& layout, const Counts& counts, int memory) {
  const FlatMemory& table = layout.compiled().memory[at(memory)];
  for (const SharedMemory& shared : layout.compiled().shared) {
    if (shared.first == memory) return port_cycles(layout, counts, shared);
  }
  if (!table.limited) return {};
  const PortSums sums = ports_of(layout.mapping(), counts, memory);
  PortCycles cycles;
  wait_for(sums.reads, table.read_bandwidth, cycles.read);
  wait_for(sums.writes, table.write_bandwidth, cycles.write);
  wait_for(sums.reads + sums.writes, table.shared_bandwidth, cycles.shared);
  return cycles;
}

// Each instance rounds up to whole blocks on its own, taking the mean of the
// instances where they differ.
double port_energy(const FlatMemory& memory, std::int64_t words, std::int64_t instances,
                   double each) {
  if (memory.block == 1) return static_cast<double>(words) * each;
  const Int128 at_once = static_cast<Int128>(instances) * memory.block;
  const Int128 rounds = (words + at_once - 1) / at_once;
  return static_cast<double>(static_cast<std::int64_t>(rounds) * instances) * each;
}

AccessEnergy access_energy(const Compiled& c, const Counts& counts, int memory, int tensor) {
  const FlatMemory& table = c.memory[at(memory)];
  const PortWords& traffic = words_at(counts.total, memory, tensor);
  const std::int64_t instances = counts.instances[at(memory)];
  const FlatPrices& price = c.prices[at(memory)];
  if (table.block == 1) {  // asked once, not for every port
    return {static_cast<double>(traffic.reads) * price.read_pj[at(tensor)],
            static_cast<double>(traffic.fills) * price.write_pj[at(tensor)],
            static_cast<double>(traffic.updates) * price.update_pj[at(tensor)]};
  }
  return {port_energy(table, traffic.reads, instances, price.read_pj[at(tensor)]),
          port_energy(table, traffic.fills, instances, price.write_pj[at(tensor)]),
          port_energy(table, traffic.updates, instances, price.update_pj[at(tensor)])};
}

double leakage_energy(const Compiled& c, std::int64_t instances, int memory, std::int64_t cycles) {
  const FlatMemory& table = c.memory[at(memory)];
  if (table.leakage_pj == 0) return 0;
  const std::int64_t leaking = c.leak_all ? table.physical_instances : instances;
  return table.leakage_pj * static_cast<double>(cycles) * static_cast<double>(leaking);
}

double network_energy(const Compiled& c, const Counts& counts, int fanout) {
  const FlatFanout& table = c.fanout[at(fanout)];
  if (table.word_pj == 0) return 0;
  std::int64_t words = 0;
  for (int t = 0; t < c.tensors; ++t) words += counts.fanout_words[at(fanout)][at(t)];
  return table.word_pj * static_cast<double>(words);
}

Score make_score(const LoopLayout& layout, const Counts& counts, const Verdict& verdict) {
  const Compiled& c = layout.compiled();
  Score score = make_score(c, layout.mapping(), counts, cycles_of(layout, counts),
                           layout.instances(c.memories));
  score.verdict = verdict;
  return score;
}

Score make_score(const Compiled& c, const Mapping& mapping, const Counts& counts,
                 std::int64_t cycles, std::int64_t compute_instances) {
  Score score;
  score.cycles = cycles;
  score.instances = compute_instances;
  double energy = static_cast<double>(c.macs) * c.mac_pj;
  for (int m = 0; m < c.memories; ++m) {
    for (const int tensor : members(mapping.kept(MemoryId{m}))) {
      const AccessEnergy access = access_energy(c, counts, m, tensor);
      energy += access.read + access.fill + access.update;
    }
    energy += leakage_energy(c, counts.instances[at(m)], m, score.cycles);
  }
  for (int f = 0; c.any_network && f < c.fanouts; ++f) energy += network_energy(c, counts, f);
  score.energy_pj = energy;
  return score;
}

}  // namespace tilewright::model
