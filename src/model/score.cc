#include <algorithm>

#include "model/counts.h"

namespace tilewright::model {
namespace {

// Accesses that move `words` in blocks. Each instance rounds up on its own,
// taking the mean of the instances where they differ.
double blocks(std::int64_t words, std::int64_t instances, std::int64_t block) {
  if (block == 1 || words == 0) return static_cast<double>(words);
  return static_cast<double>(ceil_div(words, instances * block) * instances);
}

const Traffic& traffic_at(const PerMemoryTensor<Traffic>& table, int memory, int tensor) {
  return table[static_cast<std::size_t>(memory)][static_cast<std::size_t>(tensor)];
}

}  // namespace

PortCycles port_cycles(const Frame& frame, const Counts& counts, int memory) {
  const Compiled& c = frame.compiled();
  const MemoryTable& table = c.memory[static_cast<std::size_t>(memory)];
  PortCycles cycles;
  if (!table.limited) return cycles;
  Traffic sum;
  for (int t = 0; t < c.tensors; ++t) {
    if (!frame.mapping().keeps(MemoryId{memory}, TensorId{t})) continue;
    const Traffic& one = traffic_at(counts.busiest, memory, t);
    sum.reads += one.reads;
    sum.fills += one.fills;
    sum.updates += one.updates;
  }
  const std::int64_t writes = sum.fills + sum.updates;
  if (table.read_bandwidth) cycles.read = cycles_for(sum.reads, *table.read_bandwidth);
  if (table.write_bandwidth) cycles.write = cycles_for(writes, *table.write_bandwidth);
  if (table.shared_bandwidth) {
    cycles.shared = cycles_for(sum.reads + writes, *table.shared_bandwidth);
  }
  return cycles;
}

AccessEnergy access_energy(const Frame& frame, const Counts& counts, int memory, int tensor) {
  const MemoryTable& table = frame.compiled().memory[static_cast<std::size_t>(memory)];
  const Traffic& traffic = traffic_at(counts.total, memory, tensor);
  const std::int64_t instances = counts.instances[static_cast<std::size_t>(memory)];
  return {blocks(traffic.reads, instances, table.block) * table.read_pj,
          blocks(traffic.fills, instances, table.block) * table.write_pj,
          blocks(traffic.updates, instances, table.block) * table.update_pj};
}

double leakage_energy(const Frame& frame, const Counts& counts, int memory, std::int64_t cycles) {
  const Compiled& c = frame.compiled();
  const MemoryTable& table = c.memory[static_cast<std::size_t>(memory)];
  if (table.leakage_pj == 0) return 0;
  const std::int64_t instances =
      c.leak_all ? table.physical_instances : counts.instances[static_cast<std::size_t>(memory)];
  return table.leakage_pj * static_cast<double>(cycles) * static_cast<double>(instances);
}

double network_energy(const Frame& frame, const Counts& counts, int fanout) {
  const Compiled& c = frame.compiled();
  const FanoutTable& table = c.fanout[static_cast<std::size_t>(fanout)];
  if (table.word_pj == 0) return 0;
  std::int64_t words = 0;
  for (int t = 0; t < c.tensors; ++t) {
    words += counts.fanout_words[static_cast<std::size_t>(fanout)][static_cast<std::size_t>(t)];
  }
  return table.word_pj * static_cast<double>(words);
}

Score make_score(const Frame& frame, const Counts& counts, const Verdict& verdict) {
  const Compiled& c = frame.compiled();
  Score score;
  score.verdict = verdict;
  score.cycles = counts.compute_cycles;
  for (int m = 0; m < c.memories; ++m) {
    const PortCycles ports = port_cycles(frame, counts, m);
    score.cycles = std::max({score.cycles, ports.read, ports.write, ports.shared});
  }
  double energy = static_cast<double>(c.macs) * c.mac_pj;
  for (int m = 0; m < c.memories; ++m) {
    for (int t = 0; t < c.tensors; ++t) {
      if (!frame.mapping().keeps(MemoryId{m}, TensorId{t})) continue;
      const AccessEnergy access = access_energy(frame, counts, m, t);
      energy += access.read + access.fill + access.update;
    }
    energy += leakage_energy(frame, counts, m, score.cycles);
  }
  for (int f = 0; f < c.fanouts; ++f) energy += network_energy(frame, counts, f);
  score.energy_pj = energy;
  return score;
}

}  // namespace tilewright::model
