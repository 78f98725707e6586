// Many small map-spaces (see small_runs.h), optimised and gone through, with a certificate of
// every optimum.

#include <fmt/format.h>

#include <cstdio>

#include "support/check_optimum.h"
#include "support/small_runs.h"

namespace {

using namespace tilewright::testing;

struct Totals {
  std::uint64_t failures = 0, infeasible = 0, mappings = 0, slowest_seed = 0;
  double slowest_seconds = 0;
};

void run_seed(std::uint64_t seed, const SmallOptions& options, Totals& totals) {
  const CheckReport report = check_seed(seed, options);
  totals.mappings += report.mappings;
  totals.infeasible += report.valid == 0 ? 1 : 0;
  if (report.slowest_seconds > totals.slowest_seconds) {
    totals.slowest_seconds = report.slowest_seconds;
    totals.slowest_seed = seed;
  }
  if (report.failures.empty()) return;
  ++totals.failures;
  fmt::print("{}\n", report.failures);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  SmallRuns runs{.cases = 10'000, .options = {.most_mappings = 50'000}};
  runs.read(argc, argv);
  Totals totals;
  runs.for_each([&](std::uint64_t seed, const SmallOptions& options) {
    SmallOptions with_arrays = options;
    with_arrays.systolic = options.systolic || seed % 4 == 0;
    with_arrays.square = options.square || seed % 4 == 1;
    run_seed(seed, with_arrays, totals);
    return totals.failures;
  });
  fmt::print(
      "{} cases from seed {}, {} mappings, {} infeasible: {} differ; slowest {:.3f} s, seed {}\n",
      runs.cases, runs.seed, totals.mappings, totals.infeasible, totals.failures,
      totals.slowest_seconds, totals.slowest_seed);
  return totals.failures == 0 ? 0 : 1;
}
