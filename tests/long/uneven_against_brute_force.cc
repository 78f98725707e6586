// Uneven mappings of many random problems: the model against the oracle, and the best mapping
// against brute force. `tilewright_long_uneven_against_brute_force [--cases N] [--seed S]`.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/check_uneven.h"
#include "support/compare_with_oracle.h"
#include "support/uneven_case.h"

namespace {

using tilewright::Accounting;
using namespace tilewright::testing;

int model_failures(std::uint64_t seed, std::int64_t cases, const RandomOptions& options) {
  int failures = 0;
  for (std::int64_t i = 0; i < cases && failures < 10; ++i) {
    TestRng rng(seed + static_cast<std::uint64_t>(i) * 1000003);
    const RandomCase random = random_uneven_case(rng, options);
    const auto found = compare_with_oracle(random);
    if (found.empty()) continue;
    ++failures;
    std::printf("case %lld: %s\n", static_cast<long long>(i), describe(random).c_str());
    for (const std::string& line : found) std::printf("    %s\n", line.c_str());
  }
  return failures;
}

int optimum_failures(std::uint64_t seed, std::int64_t cases) {
  int failures = 0;
  long long tried = 0, gains = 0, unproven = 0;
  unsigned long long mappings = 0;
  for (std::int64_t i = 0; i < cases && failures < 10; ++i) {
    const UnevenReport report =
        check_uneven_seed(seed * 1000003 + static_cast<std::uint64_t>(i), 200'000);
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
  std::int64_t cases = 20000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--cases") == 0) cases = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  int failures = model_failures(seed, cases, {.accounting = Accounting::Exact});
  failures += model_failures(seed, cases / 4, {.accounting = Accounting::Timeloop});
  std::printf("%lld uneven mappings with seed %llu: %d differ from the oracle\n",
              static_cast<long long>(cases + cases / 4), static_cast<unsigned long long>(seed),
              failures);
  failures += optimum_failures(seed, cases / 5);
  return failures == 0 ? 0 : 1;
}
