#include "certificate/frame_bound.h"

#include <algorithm>
#include <array>

namespace tilewright::certificate {

std::vector<PortWords> together(const Problem& problem, std::vector<PortWords> ports) {
  for (int m = problem.memory_count(); m-- > 1;) {
    if (first_point(problem, m) == m) continue;
    add(ports[at(m - 1)], ports[at(m)]);
    ports[at(m)] = {};
  }
  return ports;
}

LeastLink least_link(const Context& context, const LinkPlace& place) {
  // Where no block is given, the runs take everything.
  const bool to_compute = place.child == context.memories();
  const LinkBound link(context, place, to_compute ? context.memories() - 1 : -1);
  const std::array<int, kMaxDims> first{};
  const LinkBound::Words words = to_compute ? link.words(first.data(), Move{}) : link.least_words();
  const Int128 energy =
      to_compute ? link.energy(words, first.data(), Move{}) : link.least_energy(words);
  return {energy, link.at_parent(words), link.at_child(words)};
}

std::vector<LeastLink> least_links(const Context& context) {
  std::vector<LeastLink> links;
  for (const LinkPlace& place : context.links()) links.push_back(least_link(context, place));
  return links;
}

FrameBound::FrameBound(const Context& context, std::span<const LeastLink> links)
    : context_(context),
      in_parts_(has_parts(context.problem().arch())),
      ports_(at(context.memories())) {
  const Energies& pj = context.terms().energies;
  const Architecture& arch = context.problem().arch();
  Count steps = 1;
  for (int d = 0; d < context.dims(); ++d) {
    steps *= ceil_div(context.size(d), context.unrolled(d, -1, context.memories()));
  }
  compute_cycles_ =
      cycles_for(ceil_div(Int128{steps}, arch.compute().macs), {1, arch.compute().cycles});
  if (context.terms().stationary) least_changes_ = least_changes();
  energy_ = times(context.terms().macs, pj.mac);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkPlace& place = context.links()[i];
    energy_ += links[i].energy;
    add(ports_[at(place.parent)], links[i].at_parent);
    if (place.child < context.memories()) add(ports_[at(place.child)], links[i].at_child);
  }
  for (int m = 0; m < context.memories(); ++m) {
    const std::int64_t leaking =
        arch.leaking == LeakingInstances::All
            ? physical_instances(arch, context.problem().use(MemoryId{m}).level)
            : context.least_instances(m);
    leakage_per_cycle_ += times(pj.memories[at(m)].leakage, leaking);
  }
  cycles_ = cycles_of(ports_);
  instances_ = context.least_instances(context.memories());
}

// Every element stands still in some instance, and the first one has as many changes as any.
Int128 FrameBound::least_changes() const {
  const Stationary& still = *context_.terms().stationary;
  const Parts& parts = context_.terms().parts[at(still.tensor)];
  Count words = 1;
  for (const int d : parts.alone) {
    words *= ceil_div(context_.size(d), context_.unrolled(d, -1, still.memory));
  }
  for (const Window& window : parts.windows) {
    Extents whole;
    Count branches = 1;
    for (const int d : window.dims()) {
      whole.push_back(context_.size(d));
      branches *= context_.unrolled(d, -1, still.memory);
    }
    words *= ceil_div(window.distinct(whole), Int128{branches});
  }
  return still.changes_for(words);
}

Int128 FrameBound::cycles_of(const std::vector<PortWords>& ports, Int128 changes) const {
  Int128 cycles = compute_cycles_;
  if (const auto& still = context_.terms().stationary) {
    cycles = still->cycles(compute_cycles_, std::max(changes, least_changes_));
  }
  if (!in_parts_) return cycles_of_ports(ports, cycles);
  return cycles_of_ports(together(context_.problem(), ports), cycles);
}

Int128 FrameBound::cycles_of_ports(const std::vector<PortWords>& ports, Int128 cycles) const {
  for (int m = 0; m < context_.memories(); ++m) {
    const Memory& memory = context_.problem().memory(MemoryId{m});
    cycles = std::max(cycles, port_cycles(memory, ports[at(m)]));
  }
  return cycles;
}

}  // namespace tilewright::certificate
