#include "certificate/range_bound.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

Int128 rounded_up(Int128 all, Int128 by) { return (all + by - 1) / by; }

Int128 blocks_of(Int128 words, const Memory& memory) {
  return rounded_up(words, memory.block_words);
}

}  // namespace

RangeBound::RangeBound(const Terms& terms, const Rules& rules, const Cover& cover, const Cell& cell)
    : terms_(terms),
      rules_(rules),
      cover_(cover),
      cell_(cell),
      places_(fanout_places(*terms.problem)) {}

Cost RangeBound::floor() const {
  const Architecture& arch = problem().arch();
  const Int128 cycles = this->cycles();
  Int128 energy = times(terms_.macs, terms_.energies.mac);
  for (int t = 0; t < problem().tensor_count(); ++t) energy = plus(energy, cheapest_chain(t));
  for (int m = 0; m < problem().memory_count(); ++m) {
    const std::int64_t leaking = arch.leaking == LeakingInstances::All
                                     ? physical_instances(arch, problem().use(MemoryId{m}).level)
                                     : instances(m);
    energy = plus(energy, times(times(terms_.energies.memories[at(m)].leakage, leaking), cycles));
  }
  return {energy, cycles, instances(problem().memory_count())};
}

std::int64_t RangeBound::instances(int memory) const {
  if (!is_perfect()) return 1;
  Count product = 1;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    for (int d = 0; places_[f] <= memory && d < problem().dim_count(); ++d) {
      product *= least(static_cast<int>(f), d);
    }
  }
  return narrow(product);
}

// Dimensions that are settled take their own steps. The others together take no fewer
// than the room that is left in each fan-out allows.
Int128 RangeBound::cycles() const {
  const int dims = problem().dim_count();
  std::uint32_t settled = 0;
  for (int d = 0; d < dims; ++d) {
    bool all = true;
    for (std::size_t f = 0; f < places_.size(); ++f) {
      all = all && least(static_cast<int>(f), d) == most(static_cast<int>(f), d);
    }
    if (all) settled |= 1U << d;
  }
  Count steps = 1;
  Count apart = 1;  // of the others, each on its own
  Int128 points = 1;
  Int128 room = 1;
  for (int d = 0; d < dims; ++d) {
    Int128 unrolled = 1;
    for (std::size_t f = 0; f < places_.size(); ++f) {
      unrolled = std::min<Int128>(unrolled * most(static_cast<int>(f), d), kCountLimit);
    }
    const auto alone = static_cast<std::int64_t>(rounded_up(size(d), unrolled));
    (contains(settled, d) ? steps : apart) *= alone;
    if (!contains(settled, d)) points *= size(d);
  }
  for (std::size_t f = 0; f < places_.size(); ++f) {
    Int128 used = 1;
    Int128 largest = 1;
    for (int d = 0; d < dims; ++d) {
      (contains(settled, d) ? used : largest) *= most(static_cast<int>(f), d);
      largest = std::min<Int128>(largest, cover_.instances(static_cast<int>(f)));
    }
    room *= std::min(largest, cover_.instances(static_cast<int>(f)) / used);
    room = std::min<Int128>(std::max<Int128>(room, 1), kCountLimit);
  }
  steps *= std::max<Int128>(apart, rounded_up(points, room));
  const Compute& compute = problem().arch().compute();
  const Int128 cycles = cycles_for(ceil_div(Int128{steps}, compute.macs), {1, compute.cycles});
  return terms_.stationary ? terms_.stationary->cycles(cycles, least_changes()) : cycles;
}

// How often the tile that stands still in a systolic array changes: every element stands in some
// instance.
Int128 RangeBound::least_changes() const {
  const Stationary& still = *terms_.stationary;
  const Parts& parts = terms_.parts[at(still.tensor)];
  Int128 instances = 1;  // that hold different elements, at most
  for (std::size_t f = 0; f < places_.size(); ++f) {
    if (places_[f] > still.memory) continue;
    Int128 branches = 1;
    for (const int d : members(parts.relevant)) {
      branches = std::min<Int128>(branches * most(static_cast<int>(f), d),
                                  cover_.instances(static_cast<int>(f)));
    }
    instances = times(instances, branches);
  }
  return still.changes_for(rounded_up(elements(parts), instances));
}

const Fanout& RangeBound::fanout_level(int fanout) const {
  const int slot = fanout_slots(problem())[at(fanout)];
  return std::get<Fanout>(problem().arch().level(problem().slots()[at(slot)].level));
}

bool RangeBound::shares(int fanout, int tensor) const {
  const Fanout& found = fanout_level(fanout);
  return is_output(tensor) ? found.reduction : found.multicast;
}

// Over all sets of memories that may keep the tensor, from the inside out.
Int128 RangeBound::cheapest_chain(int tensor) const {
  const int memories = problem().memory_count();
  std::vector<std::vector<Int128>> links(at(memories), std::vector<Int128>(at(memories + 1), -1));
  Int128 cheapest = -1;
  for (const std::uint32_t keepers : cover_.keepers(tensor)) {
    Int128 sum = 0;
    int child = memories;
    for (int m = memories; m-- > 0;) {
      if (!contains(keepers, m)) continue;
      Int128& energy = links[at(m)][at(child)];
      if (energy < 0) energy = link_energy(tensor, m, child);
      sum = plus(sum, energy);
      child = m;
    }
    if (cheapest < 0 || sum < cheapest) cheapest = sum;
  }
  return std::max<Int128>(cheapest, 0);
}

Int128 RangeBound::link_energy(int tensor, int parent, int child) const {
  const Energies& pj = terms_.energies;
  const Energies::OfAccess& there = pj.memories[at(parent)].access[at(tensor)];
  const Memory& outer = problem().memory(MemoryId{parent});
  const bool to_compute = child == problem().memory_count();
  const Int128 served = blocks_of(words(tensor, parent, child, 0), outer);
  // Old sums that come back are left out.
  Int128 energy = times(served, is_output(tensor) ? there.update : there.read);
  const int fanouts = static_cast<int>(places_.size());
  if (!to_compute && !is_output(tensor)) {
    const Memory& inner = problem().memory(MemoryId{child});
    const Int128 entering = blocks_of(words(tensor, parent, child, fanouts), inner);
    energy = plus(energy, times(entering, pj.memories[at(child)].access[at(tensor)].write));
  }
  for (int f = 0; f < fanouts; ++f) {
    if (places_[at(f)] <= parent || places_[at(f)] > child || pj.fanouts[at(f)] == 0) continue;
    energy = plus(energy, times(words(tensor, parent, child, f + 1), pj.fanouts[at(f)]));
  }
  return energy;
}

Int128 RangeBound::words(int tensor, int parent, int child, int first) const {
  return child == problem().memory_count() ? compute_words(tensor, parent, first)
                                           : fill_words(tensor, parent, child, first);
}

Int128 RangeBound::elements(const Parts& parts) const {
  Int128 words = 1;
  for (const int d : parts.alone) words = times(words, size(d));
  for (const Window& window : parts.windows) {
    Extents whole;
    for (const int d : window.dims()) whole.push_back(size(d));
    words = times(words, window.distinct(whole));
  }
  return words;
}

// Every element enters once, and anew in every branch that is unrolled without sharing.
Int128 RangeBound::fill_words(int tensor, int parent, int child, int first) const {
  const Parts& parts = terms_.parts[at(tensor)];
  Int128 words = elements(parts);
  for (int d = 0; d < problem().dim_count(); ++d) {
    if (contains(parts.relevant, d)) continue;
    Int128 branches = 1;
    for (int f = 0; f < static_cast<int>(places_.size()); ++f) {
      if (places_[at(f)] > child) continue;
      const bool between = places_[at(f)] > parent && f >= first;
      if (!between || !shares(f, tensor)) branches = times(branches, least(f, d));
    }
    const std::int64_t largest =
        is_perfect() ? size(d) : std::max<std::int64_t>(1, 2 * size(d) - 2);
    words = times(words, rounded_up(times(size(d), branches), largest));
  }
  return words;
}

// One for every multiplication, but for those that share.
Int128 RangeBound::compute_words(int tensor, int parent, int first) const {
  Share all;
  bool inside_halo = false;  // of a fan-out that shares them
  for (int f = first; f < static_cast<int>(places_.size()); ++f) {
    if (places_[at(f)] <= parent || !shares(f, tensor)) continue;
    const Share share = most_shared(f, tensor, inside_halo);
    inside_halo = inside_halo || (fanout_level(f).shares_halos && !is_output(tensor));
    all = {times(all.over, share.over), times(all.under, share.under)};
  }
  return rounded_up(times(terms_.macs, all.under), all.over);
}

// Branches share that differ in irrelevant dimensions, or meet in a window: of these at
// least one more differs for every step in any dimension, with remainders as many as the
// largest factor. Inside a fan-out that shares halos branches of all kinds may have the same words.
RangeBound::Share RangeBound::most_shared(int fanout, int tensor, bool inside_halo) const {
  const Parts& parts = terms_.parts[at(tensor)];
  Share share;
  Int128 apart = 1;  // branches that have nothing in common
  for (int d = 0; d < problem().dim_count(); ++d) {
    const bool alone = std::count(parts.alone.begin(), parts.alone.end(), d) != 0;
    if (alone) {
      apart = times(apart, least(fanout, d));
    } else {
      share.over = times(share.over, most(fanout, d));
    }
  }
  for (const Window& window : parts.windows) {
    Int128 sum = 1;
    Int128 largest = 1;
    for (const int d : window.dims()) {
      sum += least(fanout, d) - 1;
      largest = std::max<Int128>(largest, least(fanout, d));
    }
    if (!inside_halo) share.under *= is_perfect() ? sum : largest;
  }
  const Int128 room = cover_.instances(fanout) / apart;
  if (share.over > room * share.under) return {room, 1};
  return share;
}

}  // namespace tilewright::certificate
