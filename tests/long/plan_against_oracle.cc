// Many random plans: `tilewright_long_plan_against_oracle [--cases N] [--seed S]`. Every third one
// has several shared memories.

#include "long/oracle_cases.h"
#include "support/random_plan.h"

using namespace tilewright::testing;

int main(int argc, char** argv) {
  const OracleCases asked(argc, argv);
  std::int64_t tried = 0, same = 0, several = 0;
  int failures = 0;
  for (std::uint64_t seed = asked.seed; tried < asked.cases && failures < 10; ++seed) {
    TestRng rng(seed * 1000003);
    const auto random = random_plan(rng, /*several_memories=*/seed % 3 == 0);
    if (!random) continue;
    ++tried;
    several += has_several_homes(*random) ? 1 : 0;
    bool same_live = false;
    const auto found = compare_with_oracle(*random, same_live);
    same += same_live ? 1 : 0;
    if (found.empty()) continue;
    ++failures;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                describe(*random).c_str());
    for (const std::string& line : found) std::printf("    %s\n", line.c_str());
  }
  std::printf(
      "%lld plans, %lld of them at home in several memories: %d differ; %lld reserve just the room "
      "that lives\n",
      static_cast<long long>(tried), static_cast<long long>(several), failures,
      static_cast<long long>(same));
  return failures == 0 ? 0 : 1;
}
