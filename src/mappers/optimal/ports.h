// The words that each port with a bandwidth carries at least, over all vectors of extents. A
// port is a measure like energy: its own accesses cost 1, all others nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

struct Port {
  int memory = 0;
  bool reads = false, writes = false;  // what passes it; neither: the tile that stands still
  Rational bandwidth;
  SolverTables tables;  // with words in place of energies
};

// All ports of the memories that have a bandwidth. A systolic array is like one more port: it
// takes cycles for the words of the tile that stands still.
std::vector<Port> list_ports(const SolverTables& solver);

// Words and cycles of a port in a subproblem.
class PortRate {
 public:
  PortRate(const Port& port, const Subproblem& sub);

  const Port& port() const { return *port_; }
  const Subproblem& sub() const { return sub_; }  // with words in place of energies
  // The cycles that so many words take: an instance has its share of them at least.
  Int128 cycles(Units words) const;
  // The most words of all instances that pass in so many cycles, parts of a word of each rounded
  // up; nothing if it is not known.
  std::optional<Energy> most_words(Int128 cycles) const;

 private:
  // Whether the first instance moves no less than the mean of all.
  bool first_moves_most() const;

  const Port* port_;
  Subproblem sub_;
  bool first_moves_most_;
};

// What a port carries in a subproblem.
class PortLoad {
 public:
  // Like the relaxation of energies, whose extents the lattice has.
  PortLoad(const Port& port, const Subproblem& sub, Lattice& lattice, TableMemory& memory,
           const Deadline& deadline);

  // Words of a link through all instances of the port.
  Units words(const Link& link, int block, const PerDim& inside, const Mover& mover) const {
    return rate_.sub().energy(link, rate_.sub().counts(link, block, inside, mover));
  }
  // What crossing the fan-outs outside a memory adds to the words of links to the multipliers.
  Units crossing(int memory, const PerDim& tile) const {
    return rate_.sub().crossing_energy(memory, tile);
  }
  Int128 cycles(Units words) const { return rate_.cycles(words); }
  Int128 least_cycles() const { return cycles(relaxation_.least()); }
  // Words inside the loops of a memory, or at the end; 0 if nothing is known.
  Units inside(int memory, OpenLinks pending, std::size_t place) const;
  Units at_end(OpenLinks pending, std::size_t place) const;

 private:
  PortRate rate_;
  Relaxation relaxation_;
};

}  // namespace tilewright::optimal
