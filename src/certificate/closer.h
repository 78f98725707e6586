// Closes frames one by one: shows that none of a frame's mappings is better than
// a target.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "certificate/frame_list.h"
#include "certificate/port_lattice.h"
#include "certificate/target.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

// The names of what closes a frame.
inline constexpr std::array<const char*, 3> kWays = {"floor", "lattice", "tree"};

class Closer {
 public:
  Closer(const Terms& terms, const Rules& rules, const Target& target);

  // Copies share the lists, and count for themselves.
  const std::vector<Placement>& placements() const { return lists_->placements; }
  std::size_t frames() const { return lists_->frames.size(); }

  // True if the frame is closed in this way.
  bool closes(std::size_t placement, std::size_t frame, Closed how);
  // The cheapest way that closes the frame; nothing if it has something better.
  std::optional<Closed> close(std::size_t placement, std::size_t frame);

  // What the floor of the last frame that was not closed says, and a better mapping of
  // that frame if the tree found one.
  const Cost& open_floor() const { return open_floor_; }
  const std::optional<Mapping>& better() const { return better_; }
  const Statistics& statistics() const { return statistics_; }

  // For copies: to start anew, and to bring together what they have seen.
  void forget();
  void add(const Statistics& more);
  void take_failure(const Closer& other);

 private:
  std::optional<Closed> close_up_to(std::size_t placement, std::size_t frame, Closed first,
                                    Closed last);

  bool are_closed(const FrameBound& bound, const Lattice& lattice,
                  const std::vector<PortLattice>& ports) const;

  const Terms& terms_;
  const Rules& rules_;
  Target target_;  // remembers its last answer, so every copy has its own
  struct Lists {
    std::vector<Placement> placements;
    FrameList frames;
  };
  std::shared_ptr<const Lists> lists_;
  // Large tables are made one at a time, so that threads need no more memory.
  std::shared_ptr<std::mutex> one_at_a_time_ = std::make_shared<std::mutex>();
  Cost open_floor_;
  std::optional<Mapping> better_;
  Statistics statistics_;
};

// Calls close(closer, number) for the frames of all placements, numbered one
// placement after the other, until one gives false; so many threads, each with a
// closer of its own. Gives the first number that failed. What is thrown comes out here.
std::optional<std::size_t> for_each_frame(Closer& closer, int threads,
                                          const std::function<bool(Closer&, std::size_t)>& close);

}  // namespace tilewright::certificate
