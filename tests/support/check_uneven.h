// Holds the best of all mappings, even and uneven, against brute force, and the checker against
// both: it must certify the best mapping, and nothing else.
#pragma once

#include <cstdint>
#include <string>

#include "support/small_instance.h"

namespace tilewright::testing {

struct UnevenReport {
  std::string failures;  // with all that is needed to see them again; empty if none
  bool tried = false;    // the instance has few enough mappings
  std::uint64_t mappings = 0, valid = 0;
  int gains = 0;     // objectives by which an uneven mapping is the best
  int unproven = 0;  // objectives without a proof, though the answer is right
};

// Goes through all mappings of an instance, if there are at most so many, and optimises
// it for every objective.
UnevenReport check_uneven(const SmallInstance& instance, SpaceKind kind,
                          std::uint64_t most_mappings);
// The same of a small random one.
UnevenReport check_uneven_seed(std::uint64_t seed, SpaceKind kind, std::uint64_t most_mappings);

}  // namespace tilewright::testing
