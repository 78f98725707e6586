// Searching QuickFlow's map-spaces, and proving how good what was found is.
#pragma once

#include <string>
#include <vector>

#include "mappers/sampling/sampling.h"
#include "reproduce/figure.h"
#include "reproduce/quickflow_spaces.h"

namespace tilewright::reproduce {

// What a figure spends on itself. Tests take less of everything.
struct QuickflowEffort {
  int runs = 3;                         // of a search, the median of whose times counts
  double speed_seconds = 0.05;          // measuring the model in one map-space
  std::uint64_t combinations = 20'000;  // of orders, tried for one mapping at most
  double random_times = 1000;           // as long as the local search, for a random one
};

// What the local search found, and how long it took.
struct LocalResult {
  SearchResult search;
  double seconds = 0;  // the median of all runs
};
LocalResult search_repeatedly(const ReadySpace& space, const SamplingOptions& options, int runs);

struct QuickflowResult {
  QuickflowSpace space;
  double found = 0, optimum = 0;  // values of the objective
  double seconds = 0;
  std::uint64_t visited = 0;

  double gap() const { return found / optimum - 1; }
};

struct QuickflowRun {
  Objective objective = Objective::Edp;
  std::vector<QuickflowResult> results;
  std::vector<std::string> missing;  // spaces where nothing was found or nothing proven
};
// Ends early if cancelled.
QuickflowRun run_quickflow(const std::vector<QuickflowSpace>& spaces, Objective objective,
                           const Options& options, const QuickflowEffort& effort);

// Rows and headings: a row per map-space; and averages, per architecture, per type of
// kernel and over all.
Figure space_by_space(const QuickflowRun& run);
Figure averages_of(const QuickflowRun& run);

}  // namespace tilewright::reproduce
