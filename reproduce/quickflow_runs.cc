#include "reproduce/quickflow_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/deadline.h"
#include "mappers/optimal/optimal.h"
#include "mappers/quickflow/quickflow.h"
#include "reproduce/common.h"
#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

Problem problem_of(const QuickflowSpace& space) {
  return Problem::create(space.kernel.workload, shipped_architecture(space.architecture))
      .value.value();
}

std::size_t type_of(std::size_t kernel) {
  std::size_t type = 0;
  while (kernel >= kKernelTypes[type].first + kKernelTypes[type].count) ++type;
  return type;
}

std::optional<QuickflowResult> run_one(const QuickflowSpace& space, Objective objective,
                                       const Options& options, const QuickflowEffort& effort) {
  const ReadySpace ready(space);
  SamplingOptions search = search_options(options);
  search.objective = objective;
  const LocalResult local = search_repeatedly(ready, search, effort.runs);
  const std::optional<double> optimum = proven_optimum(ready, objective, options);
  if (!local.search.best || !optimum) return std::nullopt;
  return QuickflowResult{space, value_of(objective, local.search.score), *optimum, local.seconds,
                         local.search.seen};
}

// Without a minus for what differs in the last digits of a double.
std::string percent(double share) {
  return fmt::format("{:.3f}", std::round(1e5 * share) / 1e3 + 0.0);
}

std::string milliseconds(double seconds) { return fmt::format("{:.1f}", 1e3 * seconds); }

using OfResult = std::function<double(const QuickflowResult&)>;

double mean_of(const std::vector<QuickflowResult>& results, const OfResult& value) {
  double sum = 0;
  for (const QuickflowResult& result : results) sum += value(result);
  return sum / static_cast<double>(results.size());
}

double largest_of(const std::vector<QuickflowResult>& results, const OfResult& value) {
  double largest = value(results.front());
  for (const QuickflowResult& result : results) largest = std::max(largest, value(result));
  return largest;
}

std::string count_within(const std::vector<QuickflowResult>& results, double gap) {
  return fmt::format("{}", std::count_if(results.begin(), results.end(),
                                         [&](const auto& result) { return result.gap() <= gap; }));
}

std::vector<std::string> average_row(std::string_view over,
                                     const std::vector<QuickflowResult>& results) {
  const auto gap = [](const QuickflowResult& result) { return result.gap(); };
  const auto seconds = [](const QuickflowResult& result) { return result.seconds; };
  const auto visited = [](const QuickflowResult& result) {
    return static_cast<double>(result.visited);
  };
  return {std::string(over),
          fmt::format("{}", results.size()),
          percent(mean_of(results, gap)),
          percent(largest_of(results, gap)),
          count_within(results, 0.01),
          count_within(results, 0.05),
          milliseconds(mean_of(results, seconds)),
          milliseconds(largest_of(results, seconds)),
          fmt::format("{:.0f}", mean_of(results, visited)),
          "",
          ""};
}

}  // namespace

std::vector<QuickflowSpace> quickflow_spaces() {
  const Network kernels = io::load_network("quickflow").value.value();
  std::vector<QuickflowSpace> spaces;
  for (const std::string_view architecture : kQuickflowArchitectures) {
    for (std::size_t k = 0; k < kernels.layers.size(); ++k) {
      spaces.push_back({std::string(architecture), kernels.layers[k], type_of(k)});
    }
  }
  return spaces;
}

std::vector<QuickflowSpace> quickflow_spaces(const std::vector<std::string>& kernels) {
  std::vector<QuickflowSpace> spaces = quickflow_spaces();
  std::erase_if(spaces, [&](const QuickflowSpace& space) {
    return std::find(kernels.begin(), kernels.end(), space.kernel.name) == kernels.end();
  });
  return spaces;
}

ReadySpace::ReadySpace(const QuickflowSpace& space)
    : evaluator(Evaluator::compile(problem_of(space)).value.value()),
      restrictions(Restrictions::create(evaluator.problem()).value.value()) {}

std::vector<Mapping> visited_mappings(const ReadySpace& space) {
  std::vector<Mapping> visited;
  QuickflowSettings settings;
  settings.on_visit = [&](const Mapping& mapping) { visited.push_back(mapping); };
  search_locally({space.evaluator, SpaceKind::Perfect, space.restrictions}, {}, settings);
  return visited;
}

std::optional<double> proven_optimum(const ReadySpace& space, Objective objective,
                                     const Options& options) {
  const OptimalResult result =
      find_optimum({space.evaluator, SpaceKind::Perfect, space.restrictions, objective},
                   search_options(options));
  if (result.status != Proof::Status::Proven) return std::nullopt;
  return value_of(objective, result.score);
}

LocalResult search_repeatedly(const ReadySpace& space, const SamplingOptions& options, int runs) {
  LocalResult result;
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const Stopwatch stopwatch;
    result.search = search_locally(
        {space.evaluator, SpaceKind::Perfect, space.restrictions, options.objective}, options);
    seconds.push_back(stopwatch.seconds());
  }
  result.seconds = median(seconds);
  return result;
}

QuickflowRun run_quickflow(const std::vector<QuickflowSpace>& spaces, Objective objective,
                           const Options& options, const QuickflowEffort& effort) {
  QuickflowRun run;
  run.objective = objective;
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    std::optional<QuickflowResult> result = run_one(spaces[i], objective, options, effort);
    if (is_cancelled(options)) break;
    if (result) {
      run.results.push_back(std::move(*result));
    } else {
      run.missing.push_back(spaces[i].name());
    }
  }
  return run;
}

Figure space_by_space(const QuickflowRun& run) {
  const std::string objective = run.objective == Objective::Edp ? "EDP" : to_string(run.objective);
  Figure figure;
  figure.headings = {"architecture", "kernel", "type", objective,
                     "optimum",      "gap %",  "ms",   "visited"};
  for (const QuickflowResult& result : run.results) {
    figure.rows.push_back({result.space.architecture, result.space.kernel.name,
                           std::string(kKernelTypes[result.space.type].name),
                           fmt::format("{:.6g}", result.found),
                           fmt::format("{:.6g}", result.optimum), percent(result.gap()),
                           milliseconds(result.seconds), fmt::format("{}", result.visited)});
  }
  return figure;
}

Figure averages_of(const QuickflowRun& run) {
  Figure figure;
  figure.headings = {"over",       "map-spaces", "gap % mean",   "gap % worst",
                     "within 1 %", "within 5 %", "ms mean",      "ms worst",
                     "visited",    "paper ms",   "paper visited"};
  const auto add = [&](std::string_view over, const auto& belongs) {
    std::vector<QuickflowResult> results;
    std::copy_if(run.results.begin(), run.results.end(), std::back_inserter(results), belongs);
    if (!results.empty()) figure.rows.push_back(average_row(over, results));
  };
  for (const std::string_view architecture : kQuickflowArchitectures) {
    add(architecture,
        [&](const QuickflowResult& result) { return result.space.architecture == architecture; });
  }
  for (std::size_t type = 0; type < kKernelTypes.size(); ++type) {
    add(kKernelTypes[type].name,
        [&](const QuickflowResult& result) { return result.space.type == type; });
  }
  add("all", [](const QuickflowResult&) { return true; });
  add_printed(figure, "quickflow_averages");
  return figure;
}

}  // namespace tilewright::reproduce
