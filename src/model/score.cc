#include <array>

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

struct Port {
  std::int64_t words;
  const std::optional<Rational>& bandwidth;
};

// What the ports of a memory's busiest instance carry: read, write, shared.
std::array<Port, 3> ports_of(const Frame& frame, const Counts& counts, int memory) {
  const MemoryTable& table = frame.compiled().memory[static_cast<std::size_t>(memory)];
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  for (std::uint32_t rest = frame.mapping().kept(MemoryId{memory}); rest != 0; rest &= rest - 1) {
    const PortWords& one = words_at(counts.busiest, memory, __builtin_ctz(rest));
    reads += one.reads;
    writes += one.fills + one.updates;
  }
  return {{{reads, table.read_bandwidth},
           {writes, table.write_bandwidth},
           {reads + writes, table.shared_bandwidth}}};
}

// Divides only where a port is slower than all before it: division is what
// this step would otherwise spend its time on.
void wait_for(const Port& port, std::int64_t& cycles) {
  if (!port.bandwidth) return;
  if (static_cast<Int128>(port.words) * port.bandwidth->denominator >
      static_cast<Int128>(cycles) * port.bandwidth->numerator) {
    cycles = cycles_for(port.words, *port.bandwidth);
  }
}

std::int64_t cycles_of(const Frame& frame, const Counts& counts) {
  const Compiled& c = frame.compiled();
  std::int64_t cycles = counts.compute_cycles;
  for (int m = 0; m < c.memories; ++m) {
    if (!c.memory[static_cast<std::size_t>(m)].limited) continue;
    for (const Port& port : ports_of(frame, counts, m)) wait_for(port, cycles);
  }
  return cycles;
}

}  // namespace

PortCycles port_cycles(const Frame& frame, const Counts& counts, int memory) {
  if (!frame.compiled().memory[static_cast<std::size_t>(memory)].limited) return {};
  const auto cycles = [](const Port& port) {
    return port.bandwidth ? cycles_for(port.words, *port.bandwidth) : 0;
  };
  const auto ports = ports_of(frame, counts, memory);
  return {cycles(ports[0]), cycles(ports[1]), cycles(ports[2])};
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
