// What every mapping of a frame costs at least, without looking at extents. Of a context
// without placement: what all frames of an unrolling cost.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/link_bound.h"

namespace tilewright::certificate {

// What a link adds at least, with the runs as long as they can be.
struct LeastLink {
  Int128 energy = 0;
  PortWords at_parent, at_child;
};
LeastLink least_link(const Context& context, const LinkPlace& place);

class FrameBound {
 public:
  explicit FrameBound(const Context& context);

  std::int64_t cycles() const { return cycles_; }
  std::int64_t instances() const { return instances_; }  // of the compute level, in use
  // Everything with the runs as long as they can be, leakage of these cycles
  // included.
  Int128 energy() const { return energy_ + leakage(cycles_); }
  // What a mapping costs that takes more cycles than these; its energy has their leakage.
  Cost cost(Int128 energy, std::int64_t cycles) const {
    return {energy + leakage(cycles) - leakage(cycles_), cycles, instances_};
  }

  // The least that each port carries, all tensors, per memory.
  const std::vector<PortWords>& ports() const { return ports_; }
  // The cycles of ports that carry so much, or of the multipliers if they take
  // longer; in a systolic array with so many changes of its tile, or the fewest there can be.
  std::int64_t cycles_of(const std::vector<PortWords>& ports, std::int64_t changes = 0) const;
  // Of the multipliers alone.
  std::int64_t compute_cycles() const { return compute_cycles_; }

 private:
  std::int64_t least_changes() const;

  Int128 leakage(std::int64_t cycles) const { return times(leakage_per_cycle_, cycles); }

  const Context& context_;
  std::int64_t compute_cycles_ = 1;
  std::int64_t least_changes_ = 0;  // of the tile that stands still
  std::int64_t cycles_ = 1;
  std::int64_t instances_ = 1;
  Int128 energy_ = 0;  // without leakage
  Int128 leakage_per_cycle_ = 0;
  std::vector<PortWords> ports_;
};

}  // namespace tilewright::certificate
