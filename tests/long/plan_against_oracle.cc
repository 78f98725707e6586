// Many random plans: `tilewright_long_plan_against_oracle [--cases N] [--seed S]`.

#include "long/oracle_cases.h"
#include "support/random_plan.h"

using namespace tilewright::testing;

int main(int argc, char** argv) {
  const OracleCases asked(argc, argv);
  std::int64_t tried = 0, same = 0;
  int failures = 0;
  for (std::uint64_t seed = asked.seed; tried < asked.cases && failures < 10; ++seed) {
    TestRng rng(seed * 1000003);
    const auto random = random_plan(rng);
    if (!random) continue;
    ++tried;
    bool same_live = false;
    const auto found = compare_with_oracle(*random, same_live);
    same += same_live ? 1 : 0;
    if (found.empty()) continue;
    ++failures;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                describe(*random).c_str());
    for (const std::string& line : found) std::printf("    %s\n", line.c_str());
  }
  std::printf("%lld plans: %d differ; %lld reserve just the room that lives\n",
              static_cast<long long>(tried), failures, static_cast<long long>(same));
  return failures == 0 ? 0 : 1;
}
