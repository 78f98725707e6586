// Long runs over small map-spaces, as the command line of a program asks for:
// `[--cases N] [--seed S] [--mappings M] [--failures F] [--systolic 1]`, with F the number at
// which it gives up. Case i has seed S + i / 4 and the (i mod 4)-th kind of map-space.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/brute_force.h"
#include "support/small_instance.h"

namespace tilewright::testing {

struct SmallRuns {
  std::uint64_t cases = 0;
  SmallOptions options;
  std::uint64_t seed = 1, most_failures = 10;

  void read(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
      if (std::strcmp(argv[i], "--cases") == 0) cases = value;
      if (std::strcmp(argv[i], "--seed") == 0) seed = value;
      if (std::strcmp(argv[i], "--mappings") == 0) options.most_mappings = value;
      if (std::strcmp(argv[i], "--failures") == 0) most_failures = value;
      if (std::strcmp(argv[i], "--systolic") == 0) options.systolic = value != 0;
    }
  }

  // run(seed, options) gives the number of failures so far.
  template <typename Run>
  void for_each(Run run) {
    std::uint64_t failures = 0;
    for (std::uint64_t i = 0; i < cases && failures < most_failures; ++i) {
      options.kind = kSpaceKinds[i % kSpaceKinds.size()];
      failures = run(seed + i / kSpaceKinds.size(), options);
    }
  }
};

}  // namespace tilewright::testing
