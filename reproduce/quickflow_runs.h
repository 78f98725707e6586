// The evaluation of QuickFlow, section V-A: 20 kernels on three accelerators; searching
// their map-spaces, and proving how good what was found is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mappers/sampling/sampling.h"
#include "reproduce/figure.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"
#include "tilewright/workload.h"

namespace tilewright::reproduce {

inline constexpr std::array<std::string_view, 3> kQuickflowArchitectures = {"eyeriss", "simba",
                                                                            "tpu_v1"};

// Kernels that Table III takes together.
struct KernelType {
  std::string_view name;
  std::string_view kernels;  // by their numbers in Table I
  std::size_t first = 0, count = 0;
};
inline constexpr std::array<KernelType, 5> kKernelTypes = {{
    {"simple", "I-X", 0, 10},
    {"pointwise", "XI-XII", 10, 2},
    {"stride & dilation", "XIII-XV", 12, 3},
    {"transposed", "XVI-XVII", 15, 2},
    {"batched", "XVIII-XX", 17, 3},
}};

// A kernel on an architecture, both of which ship.
struct QuickflowSpace {
  std::string architecture;
  Layer kernel;
  std::size_t type = 0;  // of kKernelTypes

  std::string name() const { return kernel.name + " on " + architecture; }
};
// All 60, or those of some kernels; one architecture after the other.
std::vector<QuickflowSpace> quickflow_spaces();
std::vector<QuickflowSpace> quickflow_spaces(const std::vector<std::string>& kernels);

// What it takes to search a map-space. Factors are perfect, as the paper's.
struct ReadySpace {
  Evaluator evaluator;
  Restrictions restrictions;

  explicit ReadySpace(const QuickflowSpace& space);
};

// The mappings that the local search looks at on its way to the lowest EDP, each in
// the orders that it chose.
std::vector<Mapping> visited_mappings(const ReadySpace& space);

// --- searches ------------------------------------------------------------------

// What a figure spends on itself. Tests take less of everything.
struct QuickflowEffort {
  int runs = 3;                         // of a search, the median of whose times counts
  double speed_seconds = 0.05;          // measuring the model in one map-space
  std::uint64_t combinations = 20'000;  // of orders, tried for one mapping at most
  double random_times = 100;            // as long as the local search, for a random one
  int wider_beam = 2048;                // of the study with a wider search
};

// What the local search found, and how long it took.
struct LocalResult {
  SearchResult search;
  double seconds = 0;  // the median of all runs
};
LocalResult search_repeatedly(const ReadySpace& space, const SamplingOptions& options, int runs);

// Of perfect factors; nothing if it is not proven.
std::optional<double> proven_optimum(const ReadySpace& space, Objective objective,
                                     const Options& options);

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
