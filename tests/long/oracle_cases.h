// Many random cases on which the model is held against the oracle.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/compare_with_oracle.h"

namespace tilewright::testing {

// What a program was asked for: [--cases N] [--seed S].
struct OracleCases {
  std::int64_t cases = 20000;
  std::uint64_t seed = 1;

  OracleCases(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
      if (std::strcmp(argv[i], "--cases") == 0) cases = std::atoll(argv[i + 1]);
      if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
  }

  // The number of those that differ, up to ten; draw(rng) gives a case.
  template <typename Draw>
  int differing(std::int64_t count, const Draw& draw) const {
    int failures = 0;
    for (std::int64_t i = 0; i < count && failures < 10; ++i) {
      TestRng rng(seed + static_cast<std::uint64_t>(i) * 1000003);
      const RandomCase random = draw(rng);
      const auto found = compare_with_oracle(random);
      if (found.empty()) continue;
      ++failures;
      std::printf("case %lld: %s\n", static_cast<long long>(i), describe(random).c_str());
      for (const std::string& line : found) std::printf("    %s\n", line.c_str());
    }
    return failures;
  }
};

}  // namespace tilewright::testing
