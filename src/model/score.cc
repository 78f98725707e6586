#include <algorithm>

#include "model/counts.h"

namespace tilewright::model {
namespace {

// Accesses that move `words` in blocks. Each instance rounds up on its own,
// taking the mean of the instances where they differ.
double blocks(std::int64_t words, std::int64_t instances, std::int64_t block) {
  const Int128 at_once = static_cast<Int128>(instances) * block;
  const Int128 rounds = (words + at_once - 1) / at_once;
  return static_cast<double>(static_cast<std::int64_t>(rounds) * instances);
}

const PortWords& words_at(const PerMemoryTensor<PortWords>& table, int memory, int tensor) {
  return table[static_cast<std::size_t>(memory)][static_cast<std::size_t>(tensor)];
}

PortWords busiest_sum(const Frame& frame, const Counts& counts, int memory) {
  PortWords sum{};
  for (std::uint32_t rest = frame.mapping().kept(MemoryId{memory}); rest != 0; rest &= rest - 1) {
    const PortWords& one = words_at(counts.busiest, memory, __builtin_ctz(rest));
    sum.reads += one.reads;
    sum.fills += one.fills;
    sum.updates += one.updates;
  }
  return sum;
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

std::int64_t cycles_of(const Frame& frame, const Counts& counts) {
  const Compiled& c = frame.compiled();
  std::int64_t cycles = counts.compute_cycles;
  for (int m = 0; m < c.memories; ++m) {
    const MemoryTable& table = c.memory[static_cast<std::size_t>(m)];
    if (!table.limited) continue;
    const PortWords sum = busiest_sum(frame, counts, m);
    const std::int64_t writes = sum.fills + sum.updates;
    wait_for(sum.reads, table.read_bandwidth, cycles);
    wait_for(writes, table.write_bandwidth, cycles);
    wait_for(sum.reads + writes, table.shared_bandwidth, cycles);
  }
  return cycles;
}

}  // namespace

PortCycles port_cycles(const Frame& frame, const Counts& counts, int memory) {
  const MemoryTable& table = frame.compiled().memory[static_cast<std::size_t>(memory)];
  PortCycles cycles;
  if (!table.limited) return cycles;
  const PortWords sum = busiest_sum(frame, counts, memory);
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
  const PortWords& traffic = words_at(counts.total, memory, tensor);
  if (table.block == 1) {
    return {static_cast<double>(traffic.reads) * table.read_pj,
            static_cast<double>(traffic.fills) * table.write_pj,
            static_cast<double>(traffic.updates) * table.update_pj};
  }
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
  score.cycles = cycles_of(frame, counts);
  double energy = static_cast<double>(c.macs) * c.mac_pj;
  for (int m = 0; m < c.memories; ++m) {
    for (std::uint32_t rest = frame.mapping().kept(MemoryId{m}); rest != 0; rest &= rest - 1) {
      const AccessEnergy access = access_energy(frame, counts, m, __builtin_ctz(rest));
      energy += access.read + access.fill + access.update;
    }
    energy += leakage_energy(frame, counts, m, score.cycles);
  }
  for (int f = 0; c.any_network && f < c.fanouts; ++f) energy += network_energy(frame, counts, f);
  score.energy_pj = energy;
  return score;
}

}  // namespace tilewright::model
