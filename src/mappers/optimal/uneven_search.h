// Settles a subproblem with perfect factors among all mappings, even and uneven.
#pragma once

#include "mappers/optimal/subproblem_search.h"
#include "mappers/optimal/uneven_paths.h"

namespace tilewright::optimal {

class UnevenSearch {
 public:
  UnevenSearch(const SearchSetting& setting, const Candidate& candidate, const Goal& goal);

  SearchOutcome run();

 private:
  void expand();
  // Looks at the paths that end with something of interest.
  void take_ends(const UnevenPaths& paths);
  Cost cost_of(const UnevenPaths::End& end) const;

  const SearchSetting& setting_;
  const SolverTables& solver_;
  Goal goal_;
  Subproblem sub_;
  SearchOutcome outcome_;
};

}  // namespace tilewright::optimal
