// Many random cases: `tilewright_long_model_against_oracle [--cases N] [--seed S]`.

#include "long/oracle_cases.h"

using namespace tilewright::testing;
using tilewright::Accounting;

int main(int argc, char** argv) {
  const OracleCases asked(argc, argv);
  const auto differing = [&](std::int64_t count, const RandomOptions& options) {
    return asked.differing(count, [&](TestRng& rng) { return random_case(rng, options); });
  };
  const std::int64_t cases = asked.cases;
  int failures = differing(cases, {.accounting = Accounting::Exact});
  failures += differing(cases / 4, {.accounting = Accounting::Timeloop});
  failures += differing(cases / 20, {.largest_tables = true});
  std::printf("%lld cases with seed %llu: %d differ\n",
              static_cast<long long>(cases + cases / 4 + cases / 20),
              static_cast<unsigned long long>(asked.seed), failures);
  return failures == 0 ? 0 : 1;
}
