// What the figures of Ruby share: map-spaces, accelerators, workloads.
#pragma once

#include <array>
#include <cstdint>
#include <string>

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

struct ArraySize {
  std::int64_t columns = 14, rows = 12;
};
std::string to_string(const ArraySize& size);  // "14x12"

// ruby_eyeriss_14x12 with another array; a PE stays what it is.
Architecture eyeriss_array(const ArraySize& size);

// simba with another number of PEs, each with as many vector MACs as these are wide.
Architecture simba_array(std::int64_t elements, std::int64_t vector_macs);

// A built-in network with tensors whose elements have this width.
Network network_of_width(const std::string& name, std::int64_t bits);

}  // namespace tilewright::reproduce
