// What every mapping of a frame costs at least, without looking at extents. Of a context
// without placement: what all frames of an unrolling cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "certificate/link_bound.h"

namespace tilewright::certificate {

// Adds up each memory and those that share its ports, in the place of the first of them.
std::vector<PortWords> together(const Problem& problem, std::vector<PortWords> ports);

// What a link adds at least, with the runs as long as they can be.
struct LeastLink {
  Int128 energy = 0;
  PortWords at_parent, at_child;
};
LeastLink least_link(const Context& context, const LinkPlace& place);
std::vector<LeastLink> least_links(const Context& context);  // of all its links

class FrameBound {
 public:
  explicit FrameBound(const Context& context) : FrameBound(context, least_links(context)) {}
  // With what the links of the context add, if that is known.
  FrameBound(const Context& context, std::span<const LeastLink> links);

  Int128 cycles() const { return cycles_; }
  std::int64_t instances() const { return instances_; }  // of the compute level, in use
  // Everything with the runs as long as they can be, leakage of these cycles
  // included.
  Int128 energy() const { return plus(energy_, leakage(cycles_)); }
  // What a mapping costs that takes more cycles than these; its energy has their leakage.
  Cost cost(Int128 energy, Int128 cycles) const {
    return {plus(energy - leakage(cycles_), leakage(cycles)), cycles, instances_};
  }

  // The leakage of these cycles beyond that of the least.
  Int128 more_leakage(Int128 cycles) const { return leakage(cycles) - leakage(cycles_); }

  // The least that each port carries, all tensors, per memory.
  const std::vector<PortWords>& ports() const { return ports_; }
  // The cycles of ports that carry so much, or of the multipliers if they take
  // longer; in a systolic array with so many changes of its tile, or the fewest there can be.
  Int128 cycles_of(const std::vector<PortWords>& ports, Int128 changes = 0) const;
  bool in_parts() const { return in_parts_; }
  // The cycles of the multipliers alone.
  Int128 compute_cycles() const { return compute_cycles_; }

 private:
  Int128 least_changes() const;
  Int128 cycles_of_ports(const std::vector<PortWords>& ports, Int128 cycles) const;

  Int128 leakage(Int128 cycles) const { return times(leakage_per_cycle_, cycles); }

  const Context& context_;
  bool in_parts_;  // memories share ports
  Int128 compute_cycles_ = 1;
  Int128 least_changes_ = 0;  // of the tile that stands still
  Int128 cycles_ = 1;
  std::int64_t instances_ = 1;
  Int128 energy_ = 0;  // without leakage
  Int128 leakage_per_cycle_ = 0;
  std::vector<PortWords> ports_;
};

}  // namespace tilewright::certificate
