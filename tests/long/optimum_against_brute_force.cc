// Many small map-spaces, optimised and gone through:
// `tilewright_long_optimum_against_brute_force [--cases N] [--seed S] [--mappings M]
// [--failures F]`, the number at which it gives up.
// Case i has seed S + i / 4 and the (i mod 4)-th kind of map-space.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/check_optimum.h"

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
  std::uint64_t cases = 2500, seed = 1, most_failures = 10;
  SmallOptions options{.most_mappings = 50'000};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--cases") == 0) cases = value;
    if (std::strcmp(argv[i], "--seed") == 0) seed = value;
    if (std::strcmp(argv[i], "--mappings") == 0) options.most_mappings = value;
    if (std::strcmp(argv[i], "--failures") == 0) most_failures = value;
  }
  Totals totals;
  for (std::uint64_t i = 0; i < cases && totals.failures < most_failures; ++i) {
    options.kind = kSpaceKinds[i % kSpaceKinds.size()];
    run_seed(seed + i / kSpaceKinds.size(), options, totals);
  }
  fmt::print(
      "{} cases from seed {}, {} mappings, {} infeasible: {} differ; slowest {:.3f} s, seed {}\n",
      cases, seed, totals.mappings, totals.infeasible, totals.failures, totals.slowest_seconds,
      totals.slowest_seed);
  return totals.failures == 0 ? 0 : 1;
}
