// Section V-B of QuickFlow: how long a random search takes to find what the local
// search finds.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "reproduce/common.h"
#include "reproduce/quickflow_figures.h"

namespace tilewright::reproduce {

namespace {

// Until it is as good as `target`, or the time is over.
SearchResult search_at_random(const ReadySpace& ready, double target, double seconds,
                              const Options& options,
                              const std::function<void(double)>& on_fraction) {
  // Without what cannot fit, as the random mapper does.
  Restrictions narrowed = ready.restrictions;
  narrowed.exclude_misfits(ready.evaluator.problem());
  const MapSpace space =
      MapSpace::create(ready.evaluator.problem(), SpaceKind::Perfect, narrowed).value.value();
  SamplingOptions limits = search_options(options);
  limits.target = target;
  limits.seconds = seconds;
  limits.hopeless = std::numeric_limits<std::uint64_t>::max();
  limits.on_progress = [&](const SearchProgress& progress) {
    on_fraction(progress.seconds / seconds);
  };
  return search(ready.evaluator, *random_strategy(space, options.seed), limits);
}

std::vector<std::string> random_row(const QuickflowSpace& space, const LocalResult& local,
                                    const SearchResult& random) {
  const bool reached = random.stop == SearchResult::Stop::Target;
  const double edp = local.search.score.edp();
  return {space.architecture,
          space.kernel.name,
          fmt::format("{:.6g}", edp),
          fmt::format("{:.1f}", 1e3 * local.seconds),
          fmt::format("{}", local.search.seen),
          random.best ? fmt::format("{:.3f}", random.score.edp() / edp) : "none",
          fmt::format("{:.1f}", random.seconds),
          fmt::format("{}", random.seen),
          fmt::format("{}{:.0f}", reached ? "" : "> ", random.seconds / local.seconds)};
}

}  // namespace

Figure quickflow_random(const Options& options, const std::vector<QuickflowSpace>& spaces,
                        const QuickflowEffort& effort) {
  Figure figure{"Section V-B: the time of a random search to the EDP of the local search",
                {"architecture", "kernel", "EDP", "ms", "visited", "random EDP", "random s",
                 "random seen", "times slower"}};
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    const auto tell = [&](double fraction) {
      tell_progress(
          options, spaces[i].name(),
          (static_cast<double>(i) + std::min(fraction, 1.0)) / static_cast<double>(spaces.size()));
    };
    tell(0);
    const ReadySpace ready(spaces[i]);
    const LocalResult local = search_repeatedly(ready, search_options(options), effort.runs);
    if (!local.search.best) continue;
    const SearchResult random = search_at_random(
        ready, local.search.score.edp(), effort.random_times * local.seconds, options, tell);
    if (is_cancelled(options)) break;
    figure.rows.push_back(random_row(spaces[i], local, random));
  }
  figure.notes = {
      fmt::format("ms: of the local search, the median of {} runs. random EDP: the lowest found in "
                  "at most {:g} times that, over the EDP of the local search; above 1, the random "
                  "search needs longer (>). Both ran on {} threads of this machine.",
                  effort.runs, effort.random_times, options.threads),
      "The random search draws mappings of the map-space uniformly, leaving out what one dimension "
      "alone shows not to fit, and evaluates them with the same model. The paper compares times "
      "until each tool ends by itself: Timeloop's takes 1.2 to 2,700 times as long, and ends at "
      "1.0 to 18,000 times the EDP."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
