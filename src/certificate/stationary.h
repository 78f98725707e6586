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
  Int128 cycles(Int128 compute_cycles, Int128 changes) const;
  // At least so often a tile changes if so many words enter one instance.
  Int128 changes_for(Int128 words) const;
  // The fewest words with which the array takes so many cycles or more.
  Int128 words_for(Int128 compute_cycles, Int128 cycles) const;
};

// Nothing if changes of tiles take no time.
std::optional<Stationary> stationary_of(const Problem& problem);

// How often the tile changes in the first instance: its moving loop's iterations, all in all.
Int128 tile_changes(const Nest& nest, const Parts& parts, int memory);

}  // namespace tilewright::certificate
