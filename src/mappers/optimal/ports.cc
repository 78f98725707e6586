#include "mappers/optimal/ports.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

// Tables in which only what passes the port costs something.
SolverTables words_only(const SolverTables& solver, int memory, bool reads, bool writes) {
  SolverTables tables = solver;
  tables.mac = 0;
  tables.least_filling = 0;
  tables.outer = nullptr;
  tables.scale = {};
  for (FanoutShape& fanout : tables.fanouts) fanout.word = 0;
  for (MemoryShape& each : tables.memories) {
    each.access = {};
    each.leakage = 0;
    each.block = 1;
  }
  for (AccessUnits& own : tables.memories[at(memory)].access) {
    own.read = reads ? 1 : 0;
    own.write = own.update = writes ? 1 : 0;
  }
  tables.only_stationary = !reads && !writes;
  tables.scale.shift = shift_for(tables);
  return tables;
}

Units value_in(const std::vector<Relaxation::Table>& tables, OpenLinks pending, std::size_t place) {
  for (const Relaxation::Table& table : tables) {
    if (table.pending == pending) return table.values[place] < kNever ? table.values[place] : 0;
  }
  return 0;
}

}  // namespace

std::vector<Port> list_ports(const SolverTables& solver) {
  std::vector<Port> ports;
  for (int m = 0; m < solver.memory_count; ++m) {
    const auto add = [&](const std::optional<Rational>& bandwidth, bool reads, bool writes) {
      if (!bandwidth) return;
      ports.push_back({m, reads, writes, *bandwidth, words_only(solver, m, reads, writes)});
    };
    const MemoryShape& memory = solver.memory(m);
    add(memory.read_bandwidth, true, false);
    add(memory.write_bandwidth, false, true);
    add(memory.shared_bandwidth, true, true);
  }
  if (solver.stationary) {
    const int memory = solver.stationary->memory;
    ports.push_back({memory, false, false, {}, words_only(solver, memory, false, false)});
  }
  return ports;
}

PortRate::PortRate(const Port& port, const Subproblem& sub)
    : port_(&port),
      sub_(port.tables, sub.placement(), sub.spatial()),
      first_moves_most_(first_moves_most()) {}

// It does, but for wide windows, and for diagonals and halos that are shared, beside remainders
// (docs/semantics.md).
bool PortRate::first_moves_most() const {
  const SolverTables& solver = sub_.solver();
  if (solver.is_perfect() || sub_.instances(port_->memory) == 1) return true;
  for (const TensorShape& tensor : solver.tensors) {
    for (const Window& window : tensor.windows) {
      if (window.dim_count() > 2 || tensor.shares_halos) return false;
      for (int f = 0; f < solver.fanout_count; ++f) {
        const bool both = sub_.spatial().unrolled(f, window.dim(0)) > 1 &&
                          sub_.spatial().unrolled(f, window.dim(1)) > 1;
        if (both) return false;
      }
    }
  }
  return true;
}

Int128 PortRate::cycles(Units words) const {
  if (words >= kNever) return kWideLimit;
  const Energy all = port_->tables.scale.energy(words);
  if (port_->tables.only_stationary) return sub_.stationary_cycles(all);
  if (!first_moves_most_) return 1;
  return cycles_for(ceil_div(all, sub_.instances(port_->memory)), port_->bandwidth);
}

std::optional<Energy> PortRate::most_words(Int128 cycles) const {
  constexpr Int128 kMost = Int128{1} << 62U;
  if (port_->tables.only_stationary || !first_moves_most_ || cycles > kMost) return std::nullopt;
  constexpr Int128 kMostWords = Int128{1} << 80U;
  const Int128 each =
      ceil_div(cycles * port_->bandwidth.numerator, Int128{port_->bandwidth.denominator});
  const Int128 all = times(each, sub_.instances(port_->memory));
  return all < kMostWords ? std::optional<Energy>(all) : std::nullopt;
}

PortLoad::PortLoad(const Port& port, const Subproblem& sub, Lattice& lattice, TableMemory& memory,
                   const Deadline& deadline)
    : rate_(port, sub), relaxation_(rate_.sub(), lattice, EnergyLimit(kNever), memory, deadline) {}

Units PortLoad::inside(int memory, OpenLinks pending, std::size_t place) const {
  return value_in(relaxation_.inside(memory), pending, place);
}

Units PortLoad::at_end(OpenLinks pending, std::size_t place) const {
  return value_in(relaxation_.at_end(), pending, place);
}

}  // namespace tilewright::optimal
