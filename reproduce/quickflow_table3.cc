// Table III of QuickFlow: how many mappings the model evaluates in a second.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/deadline.h"
#include "reproduce/common.h"
#include "reproduce/quickflow_figures.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

// Some hundred of those that the local search visits, from all of its way.
std::vector<Mapping> some_mappings(const ReadySpace& space) {
  constexpr std::size_t kEnough = 500;
  const std::vector<Mapping> visited = visited_mappings(space);
  std::vector<Mapping> some;
  const std::size_t step = visited.size() / kEnough + 1;
  for (std::size_t i = 0; i < visited.size(); i += step) some.push_back(visited[i]);
  return some;
}

// Evaluations per second, on one thread. Of many short passes the fastest counts: what
// slows down the others is not the model.
double speed_of(const QuickflowSpace& space, double seconds) {
  const ReadySpace ready(space);
  const std::vector<Mapping> mappings = some_mappings(ready);
  const Deadline deadline(seconds);
  double fastest = seconds;
  while (!deadline.has_passed()) {
    const Stopwatch stopwatch;
    for (const Mapping& mapping : mappings) ready.evaluator.score(mapping);
    fastest = std::min(fastest, stopwatch.seconds());
  }
  return static_cast<double>(mappings.size()) / fastest;
}

// Each type has, by architecture, the speeds of its kernels.
using Speeds = std::array<std::array<std::vector<double>, kQuickflowArchitectures.size()>,
                          kKernelTypes.size()>;

std::vector<std::string> speed_row(std::size_t type, const Speeds& speeds) {
  std::vector<std::string> row = {std::string(kKernelTypes[type].kernels),
                                  std::string(kKernelTypes[type].name)};
  std::vector<double> means;
  for (const std::vector<double>& measured : speeds[type]) {
    if (!measured.empty()) means.push_back(mean(measured));
    row.push_back(measured.empty() ? "" : fmt::format("{:.0f}", means.back()));
  }
  const Table table = printed_table("quickflow_table3");
  const std::vector<std::string>& printed = *table.find({row[1]});
  row.push_back(fmt::format("{:.0f}", mean(means)));
  row.push_back(printed[1]);
  row.push_back(fmt::format("{:.0f}", mean(means) / std::stod(printed[1])));
  row.push_back(printed[2]);
  return row;
}

}  // namespace

Figure quickflow_table3(const Options& options, const std::vector<QuickflowSpace>& spaces,
                        const QuickflowEffort& effort) {
  Figure figure{"Table III: evaluations per second, on one thread", {"kernels", "type"}};
  figure.headings.insert(figure.headings.end(), kQuickflowArchitectures.begin(),
                         kQuickflowArchitectures.end());
  figure.headings.insert(figure.headings.end(), {"mean", "paper", "times", "paper accuracy"});
  Speeds speeds;
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    const auto* const at = std::find(kQuickflowArchitectures.begin(), kQuickflowArchitectures.end(),
                                     spaces[i].architecture);
    speeds[spaces[i].type][static_cast<std::size_t>(at - kQuickflowArchitectures.begin())]
        .push_back(speed_of(spaces[i], effort.speed_seconds));
  }
  for (std::size_t type = 0; type < speeds.size(); ++type) {
    const bool measured = std::any_of(speeds[type].begin(), speeds[type].end(),
                                      [](const auto& of_kernels) { return !of_kernels.empty(); });
    if (measured) figure.rows.push_back(speed_row(type, speeds));
  }
  figure.notes = {
      "Speeds are of this machine, this run and what else runs beside it; the paper's of a Ryzen 9 "
      "3900XT, in Python. Evaluated are mappings that the local search visits, each on its own; "
      "the mean is over the architectures.",
      "Accuracy with respect to Timeloop: the model equals the 1,300 results of timeloop-model in "
      "tests/golden, which `tilewright golden` shows: convolutions with windows of 1 x 1 and more, "
      "strides, dilations and batches, but none that is transposed."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
