#include "certificate/closer.h"

#include <algorithm>

#include "certificate/tree.h"

namespace tilewright::certificate {

Closer::Closer(const Terms& terms, const Rules& rules, const Target& target)
    : terms_(terms),
      rules_(rules),
      target_(target),
      placements_(all_placements(*terms.problem, rules)),
      frames_(*terms.problem, rules) {
  statistics_.placements = static_cast<std::int64_t>(placements_.size());
}

bool Closer::closes(std::size_t placement, std::size_t frame, Closed how) {
  return close_up_to(placement, frame, how, how).has_value();
}

std::optional<Closed> Closer::close(std::size_t placement, std::size_t frame) {
  return close_up_to(placement, frame, Closed::ByFloor, Closed::ByTree);
}

// Every mapping takes the least energy and the least cycles of each port.
bool Closer::are_closed(const FrameBound& bound, const Lattice& lattice,
                        const std::vector<PortLattice>& ports) const {
  if (lattice.least() >= kNever) return true;
  std::int64_t cycles = bound.cycles();
  for (const PortLattice& port : ports) {
    if (port.lattice.least() >= kNever) return true;
    cycles = std::max(cycles, cycles_for(port.lattice.least(), port.bandwidth));
  }
  const Int128 more = bound.leakage(cycles) - bound.leakage(bound.cycles());
  return target_.is_reached_by(lattice.least() + more, cycles);
}

std::optional<Closed> Closer::close_up_to(std::size_t placement, std::size_t frame, Closed first,
                                          Closed last) {
  ++statistics_.frames;
  const Context context(terms_, rules_, placements_[placement], frames_.unrolling(frame),
                        frames_.chains(frame));
  const FrameBound bound(context);
  open_floor_ = {bound.energy(), bound.cycles()};
  const Int128 needed = target_.energy_needed(bound.cycles());
  if (first == Closed::ByFloor && bound.energy() >= needed) {
    ++statistics_.by_floor;
    return Closed::ByFloor;
  }
  if (last == Closed::ByFloor) return std::nullopt;
  if (bound.energy() >= kNever || (needed >= kNever && needed != Target::kUnreachable)) {
    throw Unverifiable("the energies have too many digits");
  }
  Closings closings(context);
  const Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy()),
                        static_cast<std::int64_t>(std::min<Int128>(needed, kNever)));
  std::vector<PortLattice> ports;
  if (lattice.least() < kNever) ports = port_lattices(context, bound, target_);
  if (are_closed(bound, lattice, ports)) {
    ++statistics_.by_lattice;
    return Closed::ByLattice;
  }
  if (last == Closed::ByLattice) return std::nullopt;
  Tree tree(context, bound, lattice, ports, closings, target_);
  better_ = tree.find_better();
  statistics_.nodes += tree.nodes();
  if (better_) return std::nullopt;
  ++statistics_.by_tree;
  return Closed::ByTree;
}

}  // namespace tilewright::certificate
