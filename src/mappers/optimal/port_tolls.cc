#include "mappers/optimal/port_tolls.h"

#include <algorithm>
#include <optional>

namespace tilewright::optimal {
namespace {

// The most cycles in which something is of interest; nothing if there is no end.
std::optional<Int128> last_cycles(const KnownOfPort& known) {
  constexpr Int128 kMost = Int128{1} << 90U;
  const auto is_of_interest = [&](Int128 cycles) {
    return known.limit.with_cycles(cycles) > known.least_energy;
  };
  Int128 below = known.least_cycles;
  Int128 above = 2 * below;
  while (is_of_interest(above)) {
    if (above > kMost) return std::nullopt;
    below = above;
    above *= 2;
  }
  while (below + 1 < above) {
    const Int128 middle = below + (above - below) / 2;
    (is_of_interest(middle) ? below : above) = middle;
  }
  return below;
}

// A word that passes the port costs so much on top.
SolverTables with_toll(const SolverTables& solver, const Port& port, std::int64_t toll) {
  SolverTables tables = solver;
  for (AccessUnits& own : tables.memories[at(port.memory)].access) {
    if (port.reads) own.read += toll;
    if (port.writes) own.write += toll;
    if (port.writes) own.update += toll;
  }
  tables.scale.shift = shift_for(tables);
  return tables;
}

}  // namespace

// In `c` cycles `w(c)` words pass at most, and energies below `e(c)` are of interest. So nothing is
// where energy and toll * words are no less than e(c) + toll * w(c). That is convex, but for
// rounding, so it is largest at the fewest cycles or at the last that matter; the toll makes both
// alike.
bool tolls_leave_nothing(const KnownOfPort& known, const Subproblem& sub, Lattice lattice,
                         TableMemory& memory, const Deadline& deadline, std::uint64_t& steps) {
  constexpr Energy kMostToll = Energy{1} << 40U;
  constexpr Energy kRounding = 8;  // units of tables
  const SolverTables& solver = sub.solver();
  const Port& port = known.rate.port();
  if (solver.memory(port.memory).block > 1) return false;
  const Units first_energy = known.limit.with_cycles(known.least_cycles);
  if (first_energy >= kNever || first_energy <= known.least_energy) return false;
  const std::optional<Int128> last = last_cycles(known);
  if (!last) return false;
  const std::optional<Energy> first_words = known.rate.most_words(known.least_cycles);
  const std::optional<Energy> last_words = known.rate.most_words(*last);
  if (!first_words || !last_words || *last_words <= *first_words) return false;
  const Energy most = solver.scale.energy(first_energy);
  const Energy least = solver.scale.energy(known.limit.with_cycles(*last));
  const Energy toll = (most - least) / (*last_words - *first_words);
  if (toll == 0 || toll > kMostToll) return false;
  const Energy needed = std::max(most + toll * *first_words, least + toll * *last_words) +
                        solver.scale.energy(kRounding);
  const SolverTables tables = with_toll(solver, port, static_cast<std::int64_t>(toll));
  const Units limit = tables.scale.table(needed) + 1;
  if (limit >= kTooMuch) return false;
  const Subproblem tolled(tables, sub.placement(), sub.spatial());
  const Relaxation relaxation(tolled, lattice, EnergyLimit(limit), memory, deadline);
  steps += relaxation.steps();
  return relaxation.least() >= limit;
}

}  // namespace tilewright::optimal
