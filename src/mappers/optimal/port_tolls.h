// Energy and the words of a port together: mappings of little energy may pass many words, and those
// that pass few may take much energy, so that bounds of each alone are far from what there is.
#pragma once

#include "mappers/optimal/energy_limit.h"
#include "mappers/optimal/ports.h"

namespace tilewright::optimal {

// What is known of a subproblem: the least energy of a lattice, the cycles that all its mappings
// take, and what is of interest in more of them.
struct KnownOfPort {
  const PortRate& rate;
  Units least_energy = 0;
  Int128 least_cycles = 0;
  const EnergyLimit& limit;
};

// Whether nothing in the lattice is of interest. The goal is no front. Adds the steps that it
// takes.
bool tolls_leave_nothing(const KnownOfPort& known, const Subproblem& sub, Lattice lattice,
                         TableMemory& memory, const Deadline& deadline, std::uint64_t& steps);

}  // namespace tilewright::optimal
