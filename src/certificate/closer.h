// Closes frames one by one: shows that none of a frame's mappings is better than
// a target.
#pragma once

#include <optional>

#include "certificate/frame_list.h"
#include "certificate/port_lattice.h"
#include "certificate/target.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

class Closer {
 public:
  Closer(const Terms& terms, const Rules& rules, const Target& target);

  const std::vector<Placement>& placements() const { return placements_; }
  std::size_t frames() const { return frames_.size(); }

  // True if the frame is closed in this way.
  bool closes(std::size_t placement, std::size_t frame, Closed how);
  // The cheapest way that closes the frame; nothing if it has something better.
  std::optional<Closed> close(std::size_t placement, std::size_t frame);

  // Of the last frame that was not closed: what its floor says, and a better
  // mapping if the tree found one.
  const Cost& open_floor() const { return open_floor_; }
  const std::optional<Mapping>& better() const { return better_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  std::optional<Closed> close_up_to(std::size_t placement, std::size_t frame, Closed first,
                                    Closed last);

  bool are_closed(const FrameBound& bound, const Lattice& lattice,
                  const std::vector<PortLattice>& ports) const;

  const Terms& terms_;
  const Rules& rules_;
  const Target& target_;
  std::vector<Placement> placements_;
  FrameList frames_;
  Cost open_floor_;
  std::optional<Mapping> better_;
  Statistics statistics_;
};

}  // namespace tilewright::certificate
