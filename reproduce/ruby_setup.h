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

// Those of figures 13 and 14. The paper sweeps "2x7 to 16x16" and lists no sizes: here an even grid
// between the two, and the baseline. Fewer than 7 rows could not hold the 7x7 filters.
inline constexpr std::array<ArraySize, 13> kSweptArrays = {{{2, 7},
                                                            {2, 12},
                                                            {2, 16},
                                                            {7, 7},
                                                            {7, 12},
                                                            {7, 16},
                                                            {11, 7},
                                                            {11, 12},
                                                            {11, 16},
                                                            {14, 12},
                                                            {16, 7},
                                                            {16, 12},
                                                            {16, 16}}};

// Their workloads of DeepBench: of the problems whose filters fit on the rows of every array, every
// fourth. The paper shows a selection that it does not list.
Network deepbench_selection();

// ruby_simba with another number of PEs, each with as many vector MACs as these are wide.
Architecture simba_array(std::int64_t elements, std::int64_t vector_macs);

// A built-in network with tensors whose elements have this width.
Network network_of_width(const std::string& name, std::int64_t bits);

}  // namespace tilewright::reproduce
