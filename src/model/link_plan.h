// The links that follow from what the memories keep, whatever the bounds are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/link.h"

namespace tilewright::model {

struct PlannedLink : LinkEnds {
  int first_fanout, end_fanout;  // between the two
};

class LinkPlan {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): links are filled as far as they are
  // used
  explicit LinkPlan(const Compiled& compiled) : c_(compiled) {}

  // Makes the plan that belongs to what a mapping keeps, if it is another one than before.
  void follow(const Mapping& mapping);

  // Whether PerfectCounter knows how to count all that the plan has: it leaves out homes of
  // windows below fan-outs.
  bool is_simple() const { return simple_; }
  // Link by link from the inside out, tensor by tensor.
  std::span<const PlannedLink> links() const {
    return {links_.data(), static_cast<std::size_t>(count_)};
  }
  // Tensors of which a memory holds all that it ever serves, not a tile.
  std::uint32_t homes(int memory) const { return homes_[at(memory)]; }
  // Another number for each plan that was made.
  std::uint64_t version() const { return version_; }

 private:
  void make();
  void find_homes();
  void add_links(int tensor);

  const Compiled& c_;
  bool simple_ = false;
  int count_ = -1;
  std::uint64_t version_ = 0;
  std::array<std::uint32_t, kMaxMemories> kept_{};
  std::array<std::uint32_t, kMaxMemories> homes_{};
  std::array<PlannedLink, std::size_t{kMaxMemories} * kMaxTensors> links_;
};

}  // namespace tilewright::model
