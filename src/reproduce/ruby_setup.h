// What the figures of Ruby share: accelerators, workloads, searches, progress.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tilewright/mapper.h"
#include "tilewright/reproduce.h"

namespace tilewright::reproduce {

inline constexpr std::array<SpaceKind, 4> kRubySpaces = {SpaceKind::Perfect, SpaceKind::RubyS,
                                                         SpaceKind::RubyT, SpaceKind::Ruby};

// An architecture that ships; the name must be right.
Architecture shipped_architecture(const std::string& name);

// The toy of section III-A: `elements` PEs in a row with a scratchpad of 1 KiB
// each, and DRAM outside. Ruby prints no energies; they are those of toy_linear,
// whose buffer becomes the scratchpad.
Architecture ruby_toy(std::int64_t elements);

// `size` elements that are moved and nothing else, as in section II-D.
Workload ruby_elements(std::int64_t size);

// The same with 16-bit tensors, as Ruby's Eyeriss has them.
Workload with_16_bits(Workload workload);

bool is_cancelled(const Options& options);
void tell_progress(const Options& options, const std::string& what, double fraction);
// Says in a note that the figure lacks something, if it was cancelled.
void note_cancellation(const Options& options, Figure& figure);

// The threads and the cancellation of a figure, without limits.
SearchOptions search_options(const Options& options);

}  // namespace tilewright::reproduce
