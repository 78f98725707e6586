// Holds the answers of searches without proof against proven optima.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/asked.h"
#include "support/brute_force.h"
#include "support/check_optimum.h"
#include "support/small_instance.h"

namespace tilewright::testing {

// Everything that is wrong with an answer, wherever the optimum is: that its mapping
// is in the space and fits and has the score it claims, and how it was found.
std::vector<std::string> wrong_with(const SearchResult& answer, const Evaluator& evaluator,
                                    SpaceKind kind, const Restrictions& restrictions,
                                    Objective objective);

struct LocalSearchReport {
  std::string failures;                  // with all that is needed to see them again
  std::optional<double> found, optimum;  // values of the objective
};

using SearchRun =
    std::function<SearchResult(const Evaluator&, SpaceKind, const Restrictions&, const Asked&)>;
LocalSearchReport check_search(const SmallInstance& instance, SpaceKind kind, Objective objective,
                               const SearchRun& run);
// The same of quickflow.
LocalSearchReport check_local_search(const SmallInstance& instance, SpaceKind kind,
                                     Objective objective);

}  // namespace tilewright::testing
