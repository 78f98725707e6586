// Many small map-spaces (see small_runs.h), each searched locally and optimised
// for every objective.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "support/check_local_search.h"
#include "support/small_runs.h"

namespace {

using namespace tilewright;
using namespace tilewright::testing;

struct Totals {
  std::uint64_t searches = 0, failures = 0, infeasible = 0, not_found = 0;
  std::uint64_t equal = 0, within_1 = 0, within_5 = 0;  // per cent of the optimum
  double worst = 1;
  std::uint64_t worst_seed = 0;

  void add(const LocalSearchReport& report, std::uint64_t seed) {
    ++searches;
    failures += report.failures.empty() ? 0 : 1;
    infeasible += report.optimum ? 0 : 1;
    if (!report.optimum || !report.failures.empty()) return;
    not_found += report.found ? 0 : 1;
    if (!report.found) return;
    const double ratio = *report.found / *report.optimum;
    equal += same_value(*report.found, *report.optimum) ? 1 : 0;
    within_1 += ratio <= 1.01 ? 1 : 0;
    within_5 += ratio <= 1.05 ? 1 : 0;
    if (ratio <= worst) return;
    worst = ratio;
    worst_seed = seed;
  }

  double percent(std::uint64_t count) const {
    const std::uint64_t feasible = std::max<std::uint64_t>(1, searches - infeasible);
    return 100 * static_cast<double>(count) / static_cast<double>(feasible);
  }
};

void run_seed(std::uint64_t seed, const SmallOptions& options, Totals& totals) {
  const SmallInstance instance = small_instance(seed, options);
  for (const Objective objective : kObjectives) {
    const LocalSearchReport report = check_local_search(instance, options.kind, objective);
    totals.add(report, seed);
    if (report.failures.empty()) continue;
    fmt::print("seed {}, {}", seed, report.failures);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  SmallRuns runs{.cases = 4000, .options = {.most_mappings = 1'000'000}};
  runs.read(argc, argv);
  Totals totals;
  runs.for_each([&](std::uint64_t seed, const SmallOptions& options) {
    run_seed(seed, options, totals);
    return totals.failures;
  });
  fmt::print("{} cases from seed {}, {} searches, {} infeasible: {} wrong\n", runs.cases, runs.seed,
             totals.searches, totals.infeasible, totals.failures);
  fmt::print(
      "of the others {:.2f} % optimal, {:.2f} % within 1 %, {:.2f} % within 5 %, {:.2f} % found "
      "nothing; worst {:.3f} times the optimum, seed {}\n",
      totals.percent(totals.equal), totals.percent(totals.within_1),
      totals.percent(totals.within_5), totals.percent(totals.not_found), totals.worst,
      totals.worst_seed);
  const bool good = totals.percent(totals.within_5) > 90 && totals.percent(totals.not_found) < 3;
  return totals.failures == 0 && good ? 0 : 1;
}
