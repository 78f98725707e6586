// The best mappings of a map-space by scoring every one of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/space_kinds.h"
#include "tilewright/map.h"

namespace tilewright::testing {

inline constexpr std::array<Objective, 4> kObjectives = {Objective::Energy, Objective::Latency,
                                                         Objective::Edp, Objective::Ed2p};
struct BruteForce {
  struct Best {
    Score score;
    Mapping mapping;
  };
  std::uint64_t mappings = 0, valid = 0;
  std::array<std::optional<Best>, kObjectives.size()> best;  // in the order of kObjectives
  // Where the model and the oracle differ, for the best EDP and for another one.
  std::vector<std::string> doubts;
};

// Counts a mapping that fits, and keeps it if it is the best so far.
void note_mapping(BruteForce& result, const Mapping& mapping, const Score& score);

// An empty space has no mappings. All orders of a mapping that does not fit are
// tried as well: nothing is taken for granted but the walk, which tests hold against
// trying everything.
BruteForce brute_force(const Evaluator& evaluator, SpaceKind kind,
                       const Restrictions& restrictions);

}  // namespace tilewright::testing
