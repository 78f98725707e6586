// The least energy of a subproblem's mappings from compute out to each memory, by
// extents and open links (docs/optimal.md, "One run at a time").
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/energy_limit.h"
#include "mappers/optimal/lattice.h"
#include "mappers/optimal/open_links.h"

namespace tilewright::optimal {

class CostAhead;

class Relaxation {
 public:
  // States that lead to no mapping below `limit` may be left out, and extents
  // that no other state has from the lattice; the more, if something is known of what is ahead of
  // them. Throws Expired and TooLarge.
  Relaxation(const Subproblem& sub, Lattice& lattice, const EnergyLimit& limit, TableMemory& memory,
             const Deadline& deadline, const CostAhead* ahead = nullptr);

  // The least energy of all mappings: multipliers, links and network, without leakage;
  // kNever if none fits.
  Units least() const { return least_; }
  // The same by what is known of the cost that was ahead of states, too; `limit` at most.
  Units bound() const { return std::max(least_, least_through_); }
  // What all states that are left take at least, as far as their extents tell.
  Int128 least_cycles() const { return least_cycles_; }
  // How much work it was: edges followed, over all vectors.
  std::uint64_t steps() const { return steps_; }
  // Where nothing fits, and the least that would be needed there.
  const std::optional<Verdict>& misfit() const { return misfit_; }

  struct Table {
    OpenLinks pending = 0;
    Values values;  // by the inner extents of the memory's axes
  };
  // What is paid inside the loops of a memory.
  const std::vector<Table>& inside(int memory) const { return inside_[at(memory)]; }
  // What is paid at the end, by the outer extents of the outermost memory; all
  // links that are still open are paid for.
  const std::vector<Table>& at_end() const { return at_end_; }

 private:
  std::vector<Table> cross_block(int memory, Units limit);
  void leave_out_misfits(int memory, std::vector<Table>& tables);
  void know_through(Units least, const EnergyLimit& limit);
  void pay_at_end();
  void drop_unused_extents(int memory, std::vector<Table>& tables);

  const Subproblem* sub_;
  Lattice* lattice_;
  const Deadline* deadline_;
  Units least_ = kNever;
  Units least_through_ = 0;  // states of one memory, with what was ahead of them
  Int128 least_cycles_ = 1;
  std::uint64_t steps_ = 0;
  std::optional<Verdict> misfit_;
  std::vector<std::vector<Table>> inside_;
  std::vector<Table> at_end_;
};

// What is known of the cost that is still ahead of states.
class CostAhead {
 public:
  virtual ~CostAhead() = default;
  // Takes away states of a subproblem just inside the loops of a memory from which every mapping
  // costs `limit` or more, and tables that have no other. Returns what mappings from those that are
  // left cost at least; kNever if none are.
  virtual Units leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                          std::vector<Relaxation::Table>& tables) const = 0;
  // What goes into this memory and those outside it costs at least from each place of such a table,
  // if that is known.
  virtual std::optional<Values> least_filling(const Subproblem& /*sub*/, const Lattice& /*lattice*/,
                                              int /*memory*/, const Values& /*like*/) const {
    return std::nullopt;
  }
};

// Adds what links to the multipliers cost where they cross the fan-outs outside a memory, to tables
// of the extents just outside these.
void pay_crossing(const Subproblem& sub, const Lattice& lattice, int memory,
                  std::vector<Relaxation::Table>& tables);

// Whether few places of tables have a value, so that it is worth while to list them.
bool is_sparse(const std::vector<Relaxation::Table>& tables);

// Which places of an axis have a value in some table, if the axis is `length` long and
// `after` neighbours share each of its places.
std::vector<bool> used_places(const std::vector<Relaxation::Table>& tables, std::size_t length,
                              std::size_t after);
// Takes the other places of such an axis away.
void keep_places(Values& values, const std::vector<bool>& kept, std::size_t after);

// Takes away states just inside the loops of a memory from which every mapping
// costs `limit` or more, and tables that have no other. Of the links that are
// open, only those of tensors that the next loop does not move can still save
// anything. Returns what is known of the states that are left.
struct Hopeful {
  Units least = 0;  // that mappings from them cost; kNever if there are none
  Int128 cycles = 1;
};
Hopeful leave_out_hopeless(const Subproblem& sub, const Lattice& lattice, int memory,
                           const EnergyLimit& limit, std::vector<Relaxation::Table>& tables,
                           const CostAhead* ahead = nullptr);

}  // namespace tilewright::optimal
