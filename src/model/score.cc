#include <array>

#include "model/counts.h"

namespace tilewright::model {
namespace {

template <typename Number>
const PortWords<Number>& words_at(const PerMemoryTensor<PortWords<Number>>& table, int memory,
                                  int tensor) {
  return table[at(memory)][at(tensor)];
}

template <typename Number>
struct PortSums {
  Number reads = 0, writes = 0;
};

// What the ports of a memory's busiest instance carry.
template <typename Number>
PortSums<Number> ports_of(const Mapping& mapping, const Counts<Number>& counts, int memory) {
  PortSums<Number> sums;
  for (const int tensor : members(mapping.kept(MemoryId{memory}))) {
    const PortWords<Number>& one = words_at(counts.busiest, memory, tensor);
    sums.reads += one.reads;
    sums.writes += one.fills + one.updates;
  }
  return sums;
}

// Divides only where a port is slower than all before it: division is what
// this step would otherwise spend its time on.
void wait_for(std::int64_t words, const std::optional<Rational>& bandwidth, std::int64_t& cycles) {
  if (!bandwidth) return;
  if (words <= cycles && bandwidth->denominator <= bandwidth->numerator) return;
  if (static_cast<Int128>(words) * bandwidth->denominator >
      static_cast<Int128>(cycles) * bandwidth->numerator) {
    cycles = cycles_for(words, *bandwidth);
  }
}

void wait_for(Int128 words, const std::optional<Rational>& bandwidth, Int128& cycles) {
  if (bandwidth) cycles = std::max(cycles, cycles_for(words, *bandwidth));
}

template <typename Number>
Number cycles_of(const LoopLayout<Number>& layout, const Counts<Number>& counts) {
  const Compiled& c = layout.compiled();
  Number cycles = counts.compute_cycles;
  if (c.systolic) {
    cycles = static_cast<Number>(c.systolic->cycles_for(cycles, counts.stationary_changes));
  }
  cycles = wait_for_memories(c, layout.mapping(), counts, cycles);
  if (!c.shared.empty()) cycles = wait_for_shared(layout, counts, cycles);
  return cycles;
}

}  // namespace

template <typename Number>
void wait_for_ports(const FlatMemory& memory, Number reads, Number writes, Number& cycles) {
  wait_for(reads, memory.read_bandwidth, cycles);
  wait_for(writes, memory.write_bandwidth, cycles);
  wait_for(reads + writes, memory.shared_bandwidth, cycles);
}

template <typename Number>
Number wait_for_memories(const Compiled& c, const Mapping& mapping, const Counts<Number>& counts,
                         Number cycles) {
  for (int m = 0; m < c.memories; ++m) {
    const FlatMemory& table = c.memory[at(m)];
    if (!table.limited) continue;
    const PortSums<Number> sums = ports_of(mapping, counts, m);
    wait_for_ports(table, sums.reads, sums.writes, cycles);
  }
  return cycles;
}

template <typename Number>
PortCycles<Number> port_cycles(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                               int memory) {
  const FlatMemory& table = layout.compiled().memory[at(memory)];
  for (const SharedMemory& shared : layout.compiled().shared) {
    if (shared.first == memory) return port_cycles(layout, counts, shared);
  }
  if (!table.limited) return {};
  const PortSums<Number> sums = ports_of(layout.mapping(), counts, memory);
  PortCycles<Number> cycles;
  wait_for(sums.reads, table.read_bandwidth, cycles.read);
  wait_for(sums.writes, table.write_bandwidth, cycles.write);
  wait_for(sums.reads + sums.writes, table.shared_bandwidth, cycles.shared);
  return cycles;
}

// Each instance rounds up to whole blocks on its own, taking the mean of the
// instances where they differ.
template <typename Number>
double port_energy(const FlatMemory& memory, Number words, Number instances, double each) {
  if (memory.block == 1) return static_cast<double>(words) * each;
  const Int128 at_once = static_cast<Int128>(instances) * memory.block;
  const Int128 rounds = (words + at_once - 1) / at_once;
  return static_cast<double>(static_cast<Number>(rounds) * instances) * each;
}

template <typename Number>
AccessEnergy access_energy(const Compiled& c, const Counts<Number>& counts, int memory,
                           int tensor) {
  const FlatMemory& table = c.memory[at(memory)];
  const PortWords<Number>& traffic = words_at(counts.total, memory, tensor);
  const Number instances = counts.instances[at(memory)];
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

template <typename Number>
double leakage_energy(const Compiled& c, Number instances, int memory, Number cycles) {
  const FlatMemory& table = c.memory[at(memory)];
  if (table.leakage_pj == 0) return 0;
  const Number leaking = c.leak_all ? table.physical_instances : instances;
  return table.leakage_pj * static_cast<double>(cycles) * static_cast<double>(leaking);
}

template <typename Number>
double network_energy(const Compiled& c, const Counts<Number>& counts, int fanout) {
  const FlatFanout& table = c.fanout[at(fanout)];
  if (table.word_pj == 0) return 0;
  Number words = 0;
  for (int t = 0; t < c.tensors; ++t) words += counts.fanout_words[at(fanout)][at(t)];
  return table.word_pj * static_cast<double>(words);
}

template <typename Number>
Score make_score(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                 const Verdict& verdict) {
  const Compiled& c = layout.compiled();
  Score score = make_score(c, layout.mapping(), counts, cycles_of(layout, counts),
                           layout.instances(c.memories));
  score.verdict = verdict;
  return score;
}

template <typename Number>
Score make_score(const Compiled& c, const Mapping& mapping, const Counts<Number>& counts,
                 Number cycles, Number compute_instances) {
  Score score;
  score.cycles = cycles;
  score.instances = narrowed(compute_instances);
  double energy = static_cast<double>(static_cast<Number>(c.macs)) * c.mac_pj;
  for (int m = 0; m < c.memories; ++m) {
    for (const int tensor : members(mapping.kept(MemoryId{m}))) {
      const AccessEnergy access = access_energy(c, counts, m, tensor);
      energy += access.read + access.fill + access.update;
    }
    energy += leakage_energy(c, counts.instances[at(m)], m, cycles);
  }
  for (int f = 0; c.any_network && f < c.fanouts; ++f) energy += network_energy(c, counts, f);
  score.energy_pj = energy;
  return score;
}

template void wait_for_ports(const FlatMemory&, std::int64_t, std::int64_t, std::int64_t&);
template void wait_for_ports(const FlatMemory&, Int128, Int128, Int128&);
template std::int64_t wait_for_memories(const Compiled&, const Mapping&,
                                        const Counts<std::int64_t>&, std::int64_t);
template Int128 wait_for_memories(const Compiled&, const Mapping&, const Counts<Int128>&, Int128);
template PortCycles<std::int64_t> port_cycles(const LoopLayout<std::int64_t>&,
                                              const Counts<std::int64_t>&, int);
template PortCycles<Int128> port_cycles(const LoopLayout<Int128>&, const Counts<Int128>&, int);
template double port_energy(const FlatMemory&, std::int64_t, std::int64_t, double);
template double port_energy(const FlatMemory&, Int128, Int128, double);
template AccessEnergy access_energy(const Compiled&, const Counts<std::int64_t>&, int, int);
template AccessEnergy access_energy(const Compiled&, const Counts<Int128>&, int, int);
template double leakage_energy(const Compiled&, std::int64_t, int, std::int64_t);
template double leakage_energy(const Compiled&, Int128, int, Int128);
template double network_energy(const Compiled&, const Counts<std::int64_t>&, int);
template double network_energy(const Compiled&, const Counts<Int128>&, int);
template Score make_score(const LoopLayout<std::int64_t>&, const Counts<std::int64_t>&,
                          const Verdict&);
template Score make_score(const LoopLayout<Int128>&, const Counts<Int128>&, const Verdict&);
template Score make_score(const Compiled&, const Mapping&, const Counts<std::int64_t>&,
                          std::int64_t, std::int64_t);
template Score make_score(const Compiled&, const Mapping&, const Counts<Int128>&, Int128, Int128);

}  // namespace tilewright::model
