// Figure 6 of QuickFlow on average: what the local search finds, how fast, and how far that is from
// the optimum, which the paper could not tell.
#include <fmt/format.h>

#include "reproduce/common.h"
#include "reproduce/quickflow_figures.h"

namespace tilewright::reproduce {

namespace {

void add_search_notes(Figure& figure, const QuickflowRun& run, const Options& options,
                      const QuickflowEffort& effort) {
  if (!run.missing.empty()) {
    figure.notes.push_back(fmt::format("Left out, for nothing was found or proven: {}.",
                                       fmt::join(run.missing, ", ")));
  }
  add_notes(
      figure,
      {"optimum: that of all mappings with perfect factors, proven (docs/optimal.md). The paper "
       "compares with other mappers only, and draws EDP and times without numbers.",
       fmt::format(
           "ms: of this machine and this run with {} threads, the median of {}. The paper states "
           "3.8 s "
           "on average with 8 threads of a Ryzen 9 3900XT, and a few thousand mappings visited.",
           options.threads, effort.runs),
       "Energies, sizes and bandwidths: the paper prints none; they are those of the later "
       "versions "
       "in its authors' repository (docs/architectures.md).",
       "Capacities: tiles of windows with strides are counted exactly. The authors' public code "
       "counts them as if strides were 1, and accepts mappings that do not fit.",
       "Starts: as the paper's, and one more per tensor, which is made stationary first. Each is "
       "climbed one hop at a time; the paper's several hops go on from the best of them alone.",
       "Stops: when no mapping within these hops improves EDP over utilisation and then, in a last "
       "round that the paper does not have, EDP alone."});
  note_cancellation(options, figure);
}

}  // namespace

Figure quickflow_averages(const Options& options, const std::vector<QuickflowSpace>& spaces,
                          const QuickflowEffort& effort) {
  const QuickflowRun run = run_quickflow(spaces, Objective::Edp, options, effort);
  Figure figure = averages_of(run);
  figure.title = "Figure 6 on average: how far EDP is from the optimum, time, visited mappings";
  add_search_notes(figure, run, options, effort);
  return figure;
}

}  // namespace tilewright::reproduce
