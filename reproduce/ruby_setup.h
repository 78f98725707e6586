// What the figures of Ruby share: map-spaces, accelerators, workloads.
#pragma once

#include <array>
#include <cstdint>

#include "tilewright/arch.h"
#include "tilewright/mapspace.h"
#include "tilewright/workload.h"

namespace tilewright::reproduce {

inline constexpr std::array<SpaceKind, 4> kRubySpaces = {SpaceKind::Perfect, SpaceKind::RubyS,
                                                         SpaceKind::RubyT, SpaceKind::Ruby};

// The toy of section III-A: `elements` PEs in a row with a scratchpad of 1 KiB
// each, and DRAM outside. Ruby prints no energies; they are those of toy_linear,
// whose buffer becomes the scratchpad.
Architecture ruby_toy(std::int64_t elements);

// `size` elements that are moved and nothing else, as in section II-D.
Workload ruby_elements(std::int64_t size);

// The same with 16-bit tensors, as Ruby's Eyeriss has them.
Workload with_16_bits(Workload workload);

}  // namespace tilewright::reproduce
