#include "certificate/port_lattice.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// The fewest cycles with which the frame's floor of energy reaches the target.
Int128 cycles_to_reach(const FrameBound& bound, const Target& target) {
  Int128 low = bound.cycles();
  Int128 high = kWideLimit;
  while (low < high) {
    const Int128 middle = low + (high - low) / 2;
    if (target.is_reached_by({bound.energy(), middle, bound.instances()})) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

// The fewest words that take so many cycles.
Int128 words_in(Int128 cycles, const Rational& bandwidth) {
  return wide_product(cycles - 1, bandwidth.numerator) / bandwidth.denominator + 1;
}

Int128 least_standing_still(const Context& context) {
  Int128 least = 0;
  for (const LinkPlace& place : context.links()) {
    if (place.child == context.memories()) continue;
    const LinkBound link(context, place, -1);
    least += link.standing_still(link.least_words());
  }
  return least;
}

}  // namespace

Int128 PortLattice::cycles(const Context& context, const FrameBound& bound, Int128 words) const {
  if (measure.kind != Measure::Kind::StandingStill) return cycles_for(words, bandwidth);
  const Stationary& still = *context.terms().stationary;
  return still.cycles(bound.compute_cycles(), still.changes_for(words));
}

std::vector<PortLattice> port_lattices(const Context& context, const FrameBound& bound,
                                       const Target& target, const Deadline& deadline,
                                       SpareRoom& spare, LatticeUse use) {
  std::vector<PortLattice> made;
  const Int128 cycles = cycles_to_reach(bound, target);
  const auto add = [&](const Measure& measure, const Rational& bandwidth, Int128 base,
                       Int128 limit) {
    if (!made.empty() && made.back().lattice.least() >= kNever) return;
    const Int128 most = largest_count(context.problem().workload());
    const int shift = shift_for(std::max(base, std::min(limit, most)));
    auto closings = std::make_unique<Closings>(context, measure, shift);
    const Int128 units = ((limit - 1) >> shift) + 1;  // rounded up; what costs is rounded down
    Lattice lattice(context, *closings, static_cast<std::int64_t>(base >> shift),
                    {static_cast<std::int64_t>(std::min<Int128>(units, kNever))}, deadline, &spare,
                    use);
    made.push_back({measure, bandwidth, base, std::move(closings), std::move(lattice)});
  };
  if (const auto& still = context.terms().stationary) {
    const Int128 limit = still->words_for(bound.compute_cycles(), cycles);
    add({Measure::Kind::StandingStill, still->memory}, {}, least_standing_still(context), limit);
  }
  const std::vector<PortWords> ports = together(context.problem(), bound.ports());
  const auto add_port = [&](const std::optional<Rational>& bandwidth, const Measure& port) {
    if (!bandwidth) return;
    add(port, *bandwidth, carried(port, ports[at(port.memory)]), words_in(cycles, *bandwidth));
  };
  for (int m = 0; m < context.memories(); ++m) {
    const Memory& memory = context.problem().memory(MemoryId{m});
    if (first_point(context.problem(), m) != m) continue;
    add_port(memory.read_bandwidth, {Measure::Kind::Reads, m});
    add_port(memory.write_bandwidth, {Measure::Kind::Writes, m});
    add_port(memory.shared_bandwidth, {Measure::Kind::All, m});
  }
  return made;
}

}  // namespace tilewright::certificate
