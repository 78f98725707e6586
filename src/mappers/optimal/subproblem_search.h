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
};

class SubproblemSearch {
 public:
  SubproblemSearch(const SearchSetting& setting, const Candidate& candidate, const Goal& goal);

  SearchOutcome run();

 private:
  // A part of the subproblem, and what none of its mappings beats.
  struct Part {
    ExtentBox box;
    Cost bound;
    std::uint64_t number = 0;  // decides between equals
  };

  void expand();
  // Settles parts, those of lowest bound first.
  void settle_parts();
  void push_by_instances(ExtentBox box);
  bool comes_later(const Part& a, const Part& b) const;
  void push(ExtentBox box, const Cost& bound);
  Part pop();
  // Closes a part; false if it is to be taken apart.
  bool settle(Part& part);
  // Ranges of extents that may have something better: the box loses those at its ends that do
  // not. False if nothing is left.
  bool narrow(Part& part, double most_vectors, bool with_ports, TableMemory& memory);
  // Looks at all extents of a lattice. Throws Expired and TooLarge.
  bool search(Lattice lattice, std::int64_t instances, TableMemory& memory);
  bool pass_ports(Lattice& lattice, const Relaxation& relaxation, TableMemory& memory, Cost bound);
  void note(const DescentResult& descent);
  // Throws Expired or Postponed if it is not complete; this is the bound of its part.
  void take(const DescentResult& descent, const Cost& bound);
  // Leaves the rest for later; this is the bound of the part that is looked at.
  [[noreturn]] void postpone(Cost bound);
  // Of the steps that the subproblem has, those that are left for a search of mappings: as many as
  // were taken so far at least, so that these are not in vain.
  std::uint64_t steps_left() const;
  // Calls work(memory) with so many bytes for tables, if there are so many.
  template <typename Work>
  bool with_memory(std::int64_t bytes, Work work);
  // The energy without leakage at which a mapping of the subproblem is of no interest, if it
  // has so many instances in use at least.
  EnergyLimit energy_limit(std::int64_t instances) const;

  const SearchSetting& setting_;
  const SolverTables& solver_;
  const Candidate& candidate_;
  Goal goal_;
  Aim order_;
  Subproblem sub_;
  Loads least_loads_;
  std::vector<Part> parts_;  // a heap
  std::uint64_t numbers_ = 0;
  std::uint64_t most_steps_, descent_steps_ = 0;
  SearchOutcome outcome_;
};

}  // namespace tilewright::optimal
