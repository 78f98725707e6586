// Settles a subproblem: shows that nothing in it is better than what is known, or finds what is.
#pragma once

#include <optional>
#include <vector>

#include "base/deadline.h"
#include "base/memory_budget.h"
#include "mappers/optimal/descent.h"
#include "mappers/optimal/extent_box.h"
#include "mappers/optimal/optimal.h"
#include "mappers/optimal/subproblem_queue.h"

namespace tilewright::optimal {

// A subproblem took as many steps as it had.
struct Postponed {};

struct SearchOutcome {
  bool expanded = false;
  bool complete = true;
  bool postponed = false;  // not complete, and to be gone on with later
  bool too_large = false;
  Cost bound;  // of the subproblem, if it is not complete
  std::optional<Verdict> misfit;
  OpenParts parts;              // that are left of it, if it is postponed
  std::vector<Found> found;     // of interest, the later the better
  std::uint64_t evaluated = 0;  // mappings
  std::uint64_t steps = 0;      // of relaxations

  // Does the work that fills it; a deadline or a lack of memory leaves it incomplete.
  template <typename Work>
  void fill(const Work& work) {
    try {
      work();
    } catch (const Expired&) {
      complete = false;
    } catch (const Postponed&) {
      complete = false;
      postponed = true;
    } catch (const TooLarge&) {
      complete = false;
      too_large = true;
    }
  }
};

// What searches of all subproblems share.
struct SearchSetting {
  const SolverTables& solver;
  const std::vector<Port>& ports;
  const Deadline& deadline;
  MemoryBudget& tables;
  const Granularity& granularity;
  bool takes_long = false;  // the search of all subproblems, so far
};

class SubproblemSearch {
 public:
  SubproblemSearch(const SearchSetting& setting, const Candidate& candidate, const Goal& goal);

  SearchOutcome run();

 private:
  void expand();
  // Settles parts, those of lowest bound first.
  void settle_parts();
  // With what was left of them, if the subproblem was looked at before.
  void begin_with_parts();
  void push_by_instances(ExtentBox box);
  bool comes_later(const OpenPart& a, const OpenPart& b) const;
  void push(OpenPart part);
  OpenPart pop();
  // Takes a part apart that is not closed after all looks at it.
  void take_apart(const OpenPart& part);
  // Closes a part with one more look at it; false if it is still open.
  bool settle(OpenPart& part);
  // Ranges of extents that may have something better: the box loses those at its ends that do
  // not. False if nothing is left.
  bool narrow(OpenPart& part, double most_vectors, bool with_ports, TableMemory& memory);
  // Looks at all extents of a lattice; raises what none of its mappings beats. Throws Expired,
  // Postponed and TooLarge.
  void search(Lattice lattice, Cost& bound, TableMemory& memory);
  // Whether energy and the words of some port together leave nothing in a lattice.
  bool is_closed_by_tolls(const Lattice& lattice, Units least, TableMemory& memory,
                          const Cost& bound);
  void pass_ports(Lattice& lattice, const Relaxation& relaxation, TableMemory& memory, Cost& bound);
  void note(const DescentResult& descent);
  // Throws Expired or Postponed if it is not complete.
  void take(const DescentResult& descent);
  // Leaves all parts for later.
  [[noreturn]] void postpone_parts();
  // Looks for mappings within these bounds.
  void search_mappings(const Lattice& lattice, const Relaxation& relaxation,
                       const std::vector<PortLoad>& loads);
  // The steps that the subproblem has.
  std::uint64_t most_steps() const;
  // Those of them that are left for a search of mappings: as many as
  // were taken so far at least, so that these are not in vain.
  std::uint64_t steps_left() const;
  // Calls work(memory) with so many bytes for tables, if there are so many.
  template <typename Work>
  auto with_memory(std::int64_t bytes, Work work);
  // The energy without leakage at which a mapping of the subproblem is of no interest, if it
  // has so many instances in use at least.
  EnergyLimit energy_limit(std::int64_t instances) const;
  // Whether looks at ranges know more of what is ahead than one load of every element.
  bool knows_ahead() const { return setting_.takes_long && candidate_.ahead != nullptr; }

  const SearchSetting& setting_;
  const SolverTables& solver_;
  const Candidate& candidate_;
  Goal goal_;
  Aim order_;
  Subproblem sub_;
  Loads least_loads_;
  OpenParts parts_;  // a heap
  std::uint64_t numbers_ = 0;
  std::uint64_t descent_steps_ = 0;
  SearchOutcome outcome_;
};

}  // namespace tilewright::optimal
