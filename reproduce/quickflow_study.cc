// What QuickFlow says of its search: sizes of map-spaces, steps, the bound on what is visited, and
// what a wider search would still find.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mappers/quickflow/quickflow.h"
#include "reproduce/common.h"
#include "reproduce/quickflow_figures.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

// How often each prime divides a number.
std::vector<int> prime_powers(std::int64_t number) {
  std::vector<int> powers;
  for (std::int64_t prime = 2; number > 1; ++prime) {
    if (prime * prime > number) prime = number;
    int power = 0;
    for (; number % prime == 0; number /= prime) ++power;
    if (power > 0) powers.push_back(power);
  }
  return powers;
}

// Memories, and axes of fan-outs with more than one instance; the multipliers hold no loops.
struct LevelCounts {
  int memories = 0, all = 0;
};

LevelCounts levels_of(const Problem& problem) {
  LevelCounts counts;
  counts.memories = static_cast<int>(problem.memories().size());
  counts.all = counts.memories;
  for (const Level& level : problem.arch().levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr) continue;
    counts.all += (fanout->x.size > 1 ? 1 : 0) + (fanout->y.size > 1 ? 1 : 0);
  }
  return counts;
}

std::vector<std::int64_t> dimension_sizes(const Workload& workload) {
  std::vector<std::int64_t> sizes;
  for (const Dimension& dim : workload.dims) {
    if (dim.size > 1) sizes.push_back(dim.size);
  }
  return sizes;
}

// log10 of how many ways there are to deal out so many equal things to so many places.
double log_ways(int things, int places) {
  return (std::lgamma(things + places) - std::lgamma(places) - std::lgamma(things + 1)) /
         std::log(10.0);
}

// log10 of the paper's |MS|: orders of the loops at every memory, and allocations of factors.
struct LogSizes {
  double orders = 0, allocations = 0;
};

LogSizes log_sizes(const std::vector<std::int64_t>& dims, const LevelCounts& levels) {
  LogSizes sizes;
  sizes.orders =
      levels.memories * std::lgamma(static_cast<double>(dims.size()) + 1) / std::log(10.0);
  for (const std::int64_t dim : dims) {
    for (const int power : prime_powers(dim)) sizes.allocations += log_ways(power, levels.all);
  }
  return sizes;
}

std::string power_text(double exponent) { return fmt::format("10^{:.1f}", exponent); }

// As the paper restricts nothing that it names.
double log_distinct(const ReadySpace& ready) {
  const MadeSpace made =
      MapSpace::create(ready.evaluator.problem(), SpaceKind::Perfect, ready.restrictions);
  return std::log10(made.value.value().size().value());
}

// --- steps ------------------------------------------------------------------------

constexpr int kHops = 4, kHopsOfTiling = 2;  // the paper's N in its rounds
constexpr double kBeam = 1024;               // and K

struct StepCount {
  int steps = 0, beams = 0;
  std::uint64_t visited = 0;

  // A search of N hops that finds nothing better goes on from what it found, as a beam.
  void count(const QuickflowSettings::Step& step) {
    steps += step.better ? 1 : 0;
    beams += (step.hops - 1) / (step.memories ? kHopsOfTiling : kHops);
  }
};

StepCount count_steps(const ReadySpace& ready) {
  StepCount count;
  QuickflowSettings settings = QuickflowSettings::of_paper();
  settings.on_step = [&](const QuickflowSettings::Step& step) { count.count(step); };
  const SearchResult result =
      search_locally({ready.evaluator, SpaceKind::Perfect, ready.restrictions}, {}, settings);
  count.visited = result.seen;
  return count;
}

// E: the neighbours that an allocation has at most.
double degree_of(const Problem& problem) {
  double factors = 0;
  for (const std::int64_t size : dimension_sizes(problem.workload())) {
    for (const int power : prime_powers(size)) factors += power;
  }
  return (levels_of(problem).all - 1) * factors;
}

// EDP of the search as printed, of a wider one, and the least there is.
struct WiderSearch {
  double narrow = 0, wider = 0, optimum = 0;
};

// Searches end with the optimum: nothing better is to be found. Nothing if that is not proven.
std::optional<WiderSearch> search_wider(const QuickflowSpace& space, const QuickflowSettings& wide,
                                        const Options& options) {
  constexpr double kLastDigits = 1e-12;
  const ReadySpace ready(space);
  const MappingTask task{ready.evaluator, SpaceKind::Perfect, ready.restrictions};
  const auto optimum = proven_optimum(ready, Objective::Edp, options);
  if (!optimum) return std::nullopt;
  SamplingOptions until = search_options(options);
  until.target = *optimum * (1 + kLastDigits);
  const double narrow = search_locally(task, until, QuickflowSettings::of_paper()).score.edp();
  const bool is_best = narrow <= *until.target;
  return WiderSearch{narrow, is_best ? narrow : search_locally(task, until, wide).score.edp(),
                     *optimum};
}

}  // namespace

Figure quickflow_sizes(const Options& options, const std::vector<QuickflowSpace>& spaces) {
  Figure figure{"Section III-D: sizes of the map-spaces",
                {"architecture", "kernel", "dimensions", "memories", "levels", "orders",
                 "allocations", "|MS|", "distinct and allowed"}};
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    const ReadySpace ready(spaces[i]);
    const std::vector<std::int64_t> dims = dimension_sizes(spaces[i].kernel.workload);
    const LevelCounts levels = levels_of(ready.evaluator.problem());
    const LogSizes sizes = log_sizes(dims, levels);
    figure.rows.push_back(
        {spaces[i].architecture, spaces[i].kernel.name, fmt::format("{}", dims.size()),
         fmt::format("{}", levels.memories), fmt::format("{}", levels.all),
         power_text(sizes.orders), power_text(sizes.allocations),
         power_text(sizes.orders + sizes.allocations), power_text(log_distinct(ready))});
  }
  const LogSizes example = log_sizes(std::vector<std::int64_t>(6, 32), {4, 5});
  figure.notes = {
      "|MS|: the paper's formula, orders times allocations, of dimensions larger than 1 and levels "
      "that can hold loops. Distinct and allowed: what `tilewright space` counts: no orders of "
      "loops that do not exist, and only what the architecture allows.",
      fmt::format("The paper's example (five levels, four of them memories, six dimensions of five "
                  "equal factors) is printed as above 10^21; the formula gives {}.",
                  power_text(example.orders + example.allocations))};
  note_cancellation(options, figure);
  return figure;
}

Figure quickflow_steps(const Options& options, const std::vector<QuickflowSpace>& spaces) {
  Figure figure{"Section IV-C: steps of the search as printed, and the bound on its visits",
                {"architecture", "kernel", "steps", "paper steps", "beam steps", "paper beam steps",
                 "visited", "E", "bound"}};
  StepCount least{1 << 30, 1 << 30, 0}, most;
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    const ReadySpace ready(spaces[i]);
    const StepCount count = count_steps(ready);
    const double degree = degree_of(ready.evaluator.problem());
    const double bound = (count.steps + count.beams * kBeam) * std::pow(degree, kHops);
    figure.rows.push_back({spaces[i].architecture, spaces[i].kernel.name,
                           fmt::format("{}", count.steps), "", fmt::format("{}", count.beams), "",
                           fmt::format("{}", count.visited), fmt::format("{:.0f}", degree),
                           fmt::format("{:.2g}", bound)});
    least = {std::min(least.steps, count.steps), std::min(least.beams, count.beams), 0};
    most = {std::max(most.steps, count.steps), std::max(most.beams, count.beams), 0};
  }
  if (!figure.rows.empty()) {
    figure.rows.push_back({"all", "", fmt::format("{}-{}", least.steps, most.steps), "",
                           fmt::format("{}-{}", least.beams, most.beams), "", "", "", ""});
  }
  add_printed(figure, "quickflow_steps");
  figure.notes = {
      "steps: moves to a better allocation, in all rounds; fewer than printed, for a move takes "
      "any "
      "number of copies of a factor, and a beam of eight hops is one step. Beam steps: how often N "
      "hops (4, in the "
      "round over memories 2) found nothing better and the search went on from what they found.",
      "bound: (steps + beam steps * K) * E^N with K = 1024 and N = 4. The visits stay far below, "
      "for "
      "a step ends with the first hop that brings something better."};
  note_cancellation(options, figure);
  return figure;
}

Figure quickflow_wider(const Options& options, const std::vector<QuickflowSpace>& spaces,
                       const QuickflowEffort& effort) {
  Figure figure{"Section V-B: what a wider search finds, and what there is to be found",
                {"architecture", "kernel", "EDP", "wider EDP", "reduction %", "paper reduction %",
                 "optimum", "to the optimum %"}};
  QuickflowSettings wide = QuickflowSettings::of_paper();
  for (auto* round : {&wide.parallelism, &wide.tiling, &wide.both}) round->beam = effort.wider_beam;
  double most = 0, most_left = 0;
  int better = 0, below = 0;
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    const auto searched = search_wider(spaces[i], wide, options);
    if (is_cancelled(options) || !searched) continue;
    const auto [narrow, wider, optimum] = *searched;
    const double reduction = 100 * (1 - wider / narrow);
    const double left = std::max(0.0, 100 * (1 - optimum / narrow));
    constexpr double kDigits = 1e-7;
    better += reduction > kDigits ? 1 : 0;
    below += left > kDigits ? 1 : 0;
    most = std::max(most, reduction);
    most_left = std::max(most_left, left);
    figure.rows.push_back({spaces[i].architecture, spaces[i].kernel.name,
                           fmt::format("{:.6g}", narrow), fmt::format("{:.6g}", wider),
                           fmt::format("{:.3f}", reduction), "", fmt::format("{:.6g}", optimum),
                           fmt::format("{:.3f}", left)});
  }
  const std::string all = fmt::format("{}", figure.rows.size());
  figure.rows.push_back({"all", "better in", "", "", fmt::format("{} of {}", better, all), "", "",
                         fmt::format("{} of {}", below, all)});
  figure.rows.push_back({"all", "at most", "", "", fmt::format("{:.3f}", most), "", "",
                         fmt::format("{:.3f}", most_left)});
  add_printed(figure, "quickflow_wider");
  figure.notes = {fmt::format(
      "The search as printed (chains of eight moves, beams of 1024) beside the same with "
      "beams of {}. The paper's study tries all mappings within eight moves, which takes "
      "it more than an hour, to judge how near to the optimum it is; here the optimum is "
      "proven, which answers that. A search that comes upon the optimum ends there, and where the "
      "one as printed does so, the wider one has nothing to find.",
      effort.wider_beam)};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
