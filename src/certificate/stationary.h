// The tile that stands still in a systolic array: each change of it takes cycles
// (docs/semantics.md, "Cycles").
#pragma once

#include <cstdint>
#include <optional>

#include "certificate/nest.h"
#include "certificate/parts.h"

namespace tilewright::certificate {

struct Stationary {
  int tensor = 0, memory = 0;
  std::int64_t cycles_per_change = 0;
  std::int64_t most_words = 1;  // that the tile has

  // All cycles of the array, with those of the multipliers.
  std::int64_t cycles(std::int64_t compute_cycles, std::int64_t changes) const;
  // At least so often a tile changes if so many words enter one instance.
  std::int64_t changes_for(std::int64_t words) const;
  // The fewest words with which the array takes so many cycles or more.
  Int128 words_for(std::int64_t compute_cycles, std::int64_t cycles) const;
};

// Nothing if changes of tiles take no time.
std::optional<Stationary> stationary_of(const Problem& problem);

// How often the tile changes in the first instance: its moving loop's iterations, all in all.
std::int64_t tile_changes(const Nest& nest, const Parts& parts, int memory);

}  // namespace tilewright::certificate
