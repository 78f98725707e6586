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
  Rational bandwidth;  // of a port; a systolic array takes cycles as its tile changes
  Int128 base = 0;     // words that every mapping of the frame moves
  std::unique_ptr<Closings> closings;
  // Words that take so long that the target is reached anyway count as kNever.
  Lattice lattice;

  Int128 cycles(const Context& context, const FrameBound& bound, Int128 words) const;
  // Words that a value of the lattice stands for.
  Int128 words(std::int64_t value) const { return Int128{value} << closings->shift(); }
};

// Ends with the first port that reaches the target on its own.
std::vector<PortLattice> port_lattices(const Context& context, const FrameBound& bound,
                                       const Target& target, const Deadline& deadline,
                                       SpareRoom& spare, LatticeUse use);

}  // namespace tilewright::certificate
