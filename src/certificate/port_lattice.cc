#include "certificate/port_lattice.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// The fewest cycles with which the frame's floor of energy reaches the target.
std::int64_t cycles_to_reach(const FrameBound& bound, const Target& target) {
  std::int64_t low = bound.cycles();
  std::int64_t high = kCountLimit;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (target.is_reached_by({bound.energy(), middle, bound.instances()})) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

// The fewest words that take so many cycles.
std::int64_t words_in(std::int64_t cycles, const Rational& bandwidth) {
  const Int128 before = static_cast<Int128>(cycles - 1) * bandwidth.numerator;
  return static_cast<std::int64_t>(std::min<Int128>(before / bandwidth.denominator + 1, kNever));
}

std::int64_t least_standing_still(const Context& context) {
  std::int64_t least = 0;
  for (const LinkPlace& place : context.links()) {
    if (place.child == context.memories()) continue;
    const LinkBound link(context, place, -1);
    least += link.standing_still(link.least_words());
  }
  return least;
}

}  // namespace

std::int64_t PortLattice::cycles(const Context& context, const FrameBound& bound,
                                 std::int64_t words) const {
  if (measure.kind != Measure::Kind::StandingStill) return cycles_for(words, bandwidth);
  const Stationary& still = *context.terms().stationary;
  return still.cycles(bound.compute_cycles(), still.changes_for(words));
}

std::vector<PortLattice> port_lattices(const Context& context, const FrameBound& bound,
                                       const Target& target, const Deadline& deadline) {
  std::vector<PortLattice> made;
  const std::int64_t cycles = cycles_to_reach(bound, target);
  const auto add = [&](const Measure& measure, const Rational& bandwidth, std::int64_t base,
                       std::int64_t limit) {
    if (!made.empty() && made.back().lattice.least() >= kNever) return;
    auto closings = std::make_unique<Closings>(context, measure);
    Lattice lattice(context, *closings, base, limit, deadline);
    made.push_back({measure, bandwidth, base, std::move(closings), std::move(lattice)});
  };
  if (const auto& still = context.terms().stationary) {
    const Int128 limit = still->words_for(bound.compute_cycles(), cycles);
    add({Measure::Kind::StandingStill, still->memory}, {}, least_standing_still(context),
        static_cast<std::int64_t>(std::min<Int128>(limit, kNever)));
  }
  const auto add_port = [&](const std::optional<Rational>& bandwidth, const Measure& port) {
    if (!bandwidth) return;
    add(port, *bandwidth, carried(port, bound.ports()[at(port.memory)]),
        words_in(cycles, *bandwidth));
  };
  for (int m = 0; m < context.memories(); ++m) {
    const Memory& memory = context.problem().memory(MemoryId{m});
    add_port(memory.read_bandwidth, {Measure::Kind::Reads, m});
    add_port(memory.write_bandwidth, {Measure::Kind::Writes, m});
    add_port(memory.shared_bandwidth, {Measure::Kind::All, m});
  }
  return made;
}

}  // namespace tilewright::certificate
