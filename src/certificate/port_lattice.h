// The least that each port with a bandwidth carries in a frame, over all
// extents, as the lattice of energies says it of energy; the same of the tile that stands still
// in a systolic array.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "certificate/frame_bound.h"
#include "certificate/lattice.h"
#include "certificate/target.h"

namespace tilewright::certificate {

struct PortLattice {
  Measure measure;
  Rational bandwidth;     // of a port; a systolic array takes cycles as its tile changes
  std::int64_t base = 0;  // words that every mapping of the frame moves
  std::unique_ptr<Closings> closings;
  // Words that take so long that the target is reached anyway count as kNever.
  Lattice lattice;

  std::int64_t cycles(const Context& context, const FrameBound& bound, std::int64_t words) const;
};

// Ends with the first port that reaches the target on its own.
std::vector<PortLattice> port_lattices(const Context& context, const FrameBound& bound,
                                       const Target& target, const Deadline& deadline);

}  // namespace tilewright::certificate
