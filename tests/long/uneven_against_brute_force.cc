// Uneven mappings of many random problems: the model against the oracle, and the best mapping and
// its certificate against brute force.
// `tilewright_long_uneven_against_brute_force [--cases N] [--seed S]`.

#include "long/oracle_cases.h"
#include "support/brute_force.h"
#include "support/check_uneven.h"
#include "support/uneven_case.h"

namespace {

using tilewright::Accounting;
using tilewright::SpaceKind;
using namespace tilewright::testing;

int optimum_failures(std::uint64_t seed, std::int64_t cases) {
  int failures = 0;
  long long tried = 0, gains = 0, unproven = 0;
  unsigned long long mappings = 0;
  for (std::int64_t i = 0; i < cases && failures < 10; ++i) {
    const SpaceKind kind = kSpaceKinds[static_cast<std::size_t>(i) % kSpaceKinds.size()];
    const UnevenReport report =
        check_uneven_seed(seed * 1000003 + static_cast<std::uint64_t>(i), kind, 200'000);
    tried += report.tried ? 1 : 0;
    gains += report.gains;
    unproven += report.unproven;
    mappings += report.mappings;
    if (report.failures.empty()) continue;
    ++failures;
    std::printf("%s\n", report.failures.c_str());
  }
  std::printf(
      "%lld instances gone through, %llu mappings: %d wrong; an uneven mapping is best by "
      "%lld objectives, %lld answers are not proven\n",
      tried, mappings, failures, gains, unproven);
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const OracleCases asked(argc, argv);
  const auto differing = [&](std::int64_t count, const RandomOptions& options) {
    return asked.differing(count, [&](TestRng& rng) { return random_uneven_case(rng, options); });
  };
  const std::int64_t cases = asked.cases;
  int failures = differing(cases, {.accounting = Accounting::Exact});
  failures += differing(cases / 4, {.accounting = Accounting::Timeloop});
  std::printf("%lld uneven mappings with seed %llu: %d differ from the oracle\n",
              static_cast<long long>(cases + cases / 4),
              static_cast<unsigned long long>(asked.seed), failures);
  failures += optimum_failures(asked.seed, cases / 5);
  return failures == 0 ? 0 : 1;
}
