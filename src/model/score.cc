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
PortSums<Number> ports_of(const Mapping& mapping, const Counts<Number>& counts, int memory) {
  PortSums<Number> sums;
  for (const int tensor : members(mapping.kept(MemoryId{memory}))) {
    const PortWords<Number>& one = words_at(counts.busiest, memory, tensor);
    sums.reads += one.reads;
    sums.writes += one.fills + one.updates;
  }
  return sums;
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
  return sum_score(c, counts, cycles, compute_instances, [&](int m, double& energy) {
    for (const int tensor : members(mapping.kept(MemoryId{m}))) {
      energy += energy_at(c, counts, m, tensor);
    }
  });
}

template PortSums<std::int64_t> ports_of(const Mapping&, const Counts<std::int64_t>&, int);
template PortSums<Int128> ports_of(const Mapping&, const Counts<Int128>&, int);
template std::int64_t wait_for_memories(const Compiled&, const Mapping&,
                                        const Counts<std::int64_t>&, std::int64_t);
template Int128 wait_for_memories(const Compiled&, const Mapping&, const Counts<Int128>&, Int128);
template PortCycles<std::int64_t> port_cycles(const LoopLayout<std::int64_t>&,
                                              const Counts<std::int64_t>&, int);
template PortCycles<Int128> port_cycles(const LoopLayout<Int128>&, const Counts<Int128>&, int);
template double port_energy(const FlatMemory&, std::int64_t, std::int64_t, double);
template double port_energy(const FlatMemory&, Int128, Int128, double);
template double network_energy(const Compiled&, const Counts<std::int64_t>&, int);
template double network_energy(const Compiled&, const Counts<Int128>&, int);
template Score make_score(const LoopLayout<std::int64_t>&, const Counts<std::int64_t>&,
                          const Verdict&);
template Score make_score(const LoopLayout<Int128>&, const Counts<Int128>&, const Verdict&);
template Score make_score(const Compiled&, const Mapping&, const Counts<std::int64_t>&,
                          std::int64_t, std::int64_t);
template Score make_score(const Compiled&, const Mapping&, const Counts<Int128>&, Int128, Int128);

}  // namespace tilewright::model
