// Many random cases: `tilewright_long_model_against_oracle [--cases N] [--seed S]`.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/compare_with_oracle.h"

namespace {

using tilewright::Accounting;
using namespace tilewright::testing;

int failures_of(std::uint64_t seed, std::int64_t cases, const RandomOptions& options) {
  int failures = 0;
  for (std::int64_t i = 0; i < cases && failures < 10; ++i) {
    TestRng rng(seed + static_cast<std::uint64_t>(i) * 1000003);
    const RandomCase random = random_case(rng, options);
    const auto found = compare_with_oracle(random);
    if (found.empty()) continue;
    ++failures;
    std::printf("case %lld: %s\n", static_cast<long long>(i), describe(random).c_str());
    for (const std::string& line : found) std::printf("    %s\n", line.c_str());
  }
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
  int failures = failures_of(seed, cases, {.accounting = Accounting::Exact});
  failures += failures_of(seed, cases / 4, {.accounting = Accounting::Timeloop});
  failures += failures_of(seed, cases / 20, {.largest_tables = true});
  std::printf("%lld cases with seed %llu: %d differ\n",
              static_cast<long long>(cases + cases / 4 + cases / 20),
              static_cast<unsigned long long>(seed), failures);
  return failures == 0 ? 0 : 1;
}
