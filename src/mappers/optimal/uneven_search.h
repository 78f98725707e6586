// Settles a subproblem among all mappings, even and uneven.
#pragma once

#include "mappers/optimal/filling_floor.h"
#include "mappers/optimal/subproblem_search.h"
#include "mappers/optimal/uneven_mapping.h"

namespace tilewright::optimal {

class UnevenSearch {
 public:
  UnevenSearch(const SearchSetting& setting, FillingFloor& filling, const Candidate& candidate,
               const Goal& goal);

  // Finds out what several searches have in common. Called for one after the other, so that
  // the answer does not depend on the number of threads.
  void prepare();
  SearchOutcome run();

 private:
  std::int64_t bytes() const { return setting_.tables.bytes() / 4; }
  Units energy_limit() const;
  void expand();
  // Looks at all mappings that may be of interest, unless it takes more steps.
  void go_through_all(UnevenPaths::Options options, std::uint64_t most_steps);
  // Looks at the paths that end with something of interest.
  void take_ends(const UnevenPaths& paths);
  Cost cost_of(const UnevenPaths::End& end) const;
  void set_filling(UnevenPaths::Options& options);

  const SearchSetting& setting_;
  FillingFloor& filling_;
  const SolverTables& solver_;
  Goal goal_;
  Subproblem sub_;
  UnevenMappings mappings_;
  SearchOutcome outcome_;
};

}  // namespace tilewright::optimal
