#include "certificate/range_bound.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

Int128 rounded_up(Int128 all, Int128 by) { return (all + by - 1) / by; }

Int128 blocks_of(Int128 words, const Memory& memory) {
  return rounded_up(words, memory.block_words);
}

}  // namespace

RangeBound::RangeBound(const Terms& terms, const Rules& rules)
    : terms_(&terms), rules_(&rules), places_(fanout_places(*terms.problem)) {
  for (const int slot : fanout_slots(problem())) {
    const LevelId level = problem().slots()[at(slot)].level;
    fanouts_.push_back(&std::get<Fanout>(problem().arch().level(level)));
  }
  for (const Parts& parts : terms.parts) {
    Int128 words = 1;
    for (const int d : parts.alone) words = times(words, size(d));
    for (const Window& window : parts.windows) {
      Extents whole;
      for (const int d : window.dims()) whole.push_back(size(d));
      words = times(words, window.distinct(whole));
    }
    elements_.push_back(words);
  }
  home_cycles_ = home_cycles();
}

// Every element that it has to keep passes once, if there is one instance of it.
Int128 RangeBound::home_cycles() const {
  const bool is_one = std::none_of(places_.begin(), places_.end(), [](int f) { return f == 0; });
  if (!is_one || rules_->uneven != 0 || has_parts(problem().arch())) return 0;
  PortWords words;
  for (int t = 0; t < problem().tensor_count(); ++t) {
    if (!contains(rules_->must.front(), t)) continue;
    (is_output(t) ? words.updates : words.reads) += elements_[at(t)];
  }
  return port_cycles(problem().memory(MemoryId{0}), words);
}

// Dimensions whose factors are all known.
std::uint32_t RangeBound::settled_dims() const {
  std::uint32_t settled = 0;
  for (int d = 0; d < problem().dim_count(); ++d) {
    bool all = true;
    for (std::size_t f = 0; f < places_.size(); ++f) {
      all = all && least(static_cast<int>(f), d) == most(static_cast<int>(f), d);
    }
    if (all) settled |= 1U << d;
  }
  return settled;
}

void RangeBound::look_at(const Cover& cover, const Cell& cell) {
  cover_ = &cover;
  cell_ = &cell;
  settled_ = settled_dims();
}

Cost RangeBound::floor(const Cover& cover, const Cell& cell) {
  look_at(cover, cell);
  Int128 links = 0;
  for (int t = 0; t < problem().tensor_count(); ++t) links = plus(links, cheapest_chain(t));
  return cost_with(links);
}

Cost RangeBound::cost_with(Int128 links) const {
  const Architecture& arch = problem().arch();
  const Int128 cycles = this->cycles();
  Int128 energy = plus(links, times(terms_->macs, terms_->energies.mac));
  for (int m = 0; m < problem().memory_count(); ++m) {
    const std::int64_t leaking = arch.leaking == LeakingInstances::All
                                     ? physical_instances(arch, problem().use(MemoryId{m}).level)
                                     : instances(m);
    energy = plus(energy, times(times(terms_->energies.memories[at(m)].leakage, leaking), cycles));
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
    (contains(settled_, d) ? steps : apart) *= alone;
    if (!contains(settled_, d)) points *= size(d);
  }
  for (std::size_t f = 0; f < places_.size(); ++f) {
    Int128 used = 1;
    Int128 largest = 1;
    for (int d = 0; d < dims; ++d) {
      (contains(settled_, d) ? used : largest) *= most(static_cast<int>(f), d);
      largest = std::min<Int128>(largest, cover_->instances(static_cast<int>(f)));
    }
    room *= std::min(largest, cover_->instances(static_cast<int>(f)) / used);
    room = std::min<Int128>(std::max<Int128>(room, 1), kCountLimit);
  }
  steps *= std::max<Int128>(apart, rounded_up(points, room));
  const Compute& compute = problem().arch().compute();
  const Int128 cycles = cycles_for(ceil_div(Int128{steps}, compute.macs), {1, compute.cycles});
  const Int128 array =
      terms_->stationary ? terms_->stationary->cycles(cycles, least_changes()) : cycles;
  return std::max(array, home_cycles_);
}

// How often the tile that stands still in a systolic array changes: every element stands in some
// instance.
Int128 RangeBound::least_changes() const {
  const Stationary& still = *terms_->stationary;
  const Parts& parts = terms_->parts[at(still.tensor)];
  Int128 instances = 1;  // that hold different elements, at most
  for (std::size_t f = 0; f < places_.size(); ++f) {
    if (places_[f] > still.memory) continue;
    Int128 branches = 1;
    for (const int d : members(parts.relevant)) {
      branches = std::min<Int128>(branches * most(static_cast<int>(f), d),
                                  cover_->instances(static_cast<int>(f)));
    }
    instances = times(instances, branches);
  }
  return still.changes_for(rounded_up(elements_[at(still.tensor)], instances));
}

bool RangeBound::shares(int fanout, int tensor) const {
  return is_output(tensor) ? fanouts_[at(fanout)]->reduction : fanouts_[at(fanout)]->multicast;
}

bool RangeBound::shares_halos(int fanout, int tensor) const {
  return fanouts_[at(fanout)]->shares_halos && !is_output(tensor);
}

// Over all sets of memories that may keep the tensor, from the inside out.
Int128 RangeBound::cheapest_chain(int tensor) const {
  const int memories = problem().memory_count();
  std::vector<std::vector<Int128>> links(at(memories), std::vector<Int128>(at(memories + 1), -1));
  Int128 cheapest = -1;
  for (const std::uint32_t keepers : cover_->keepers(tensor)) {
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

Int128 RangeBound::link_energy(int tensor, int parent, int child, Int128 reuse) const {
  const Energies& pj = terms_->energies;
  const Energies::OfAccess& there = pj.memories[at(parent)].access[at(tensor)];
  const Memory& outer = problem().memory(MemoryId{parent});
  const bool back = is_output(tensor) && !outer.accumulates_in_place;  // old sums go in again
  const auto words_from = [&](int first) {
    const Int128 plain = words(tensor, parent, child, first);
    return reuse == 0 ? plain : std::max(plain, reused_words(tensor, parent, child, first, reuse));
  };
  const Int128 served = words_from(0);
  Int128 energy = times(blocks_of(served, outer), is_output(tensor) ? there.update : there.read);
  if (back) {
    energy = plus(energy, times(blocks_of(excess(served, most_held(parent)), outer), there.read));
  }
  if (child < problem().memory_count() && (back || !is_output(tensor))) {
    const Memory& inner = problem().memory(MemoryId{child});
    const Int128 entering = words_from(fanouts());
    const Int128 fills = back ? excess(entering, most_held(child)) : entering;
    energy = plus(energy,
                  times(blocks_of(fills, inner), pj.memories[at(child)].access[at(tensor)].write));
  }
  for (int f = 0; f < fanouts(); ++f) {
    if (places_[at(f)] <= parent || places_[at(f)] > child || pj.fanouts[at(f)] == 0) continue;
    energy = plus(energy, times(words_from(f + 1), pj.fanouts[at(f)]));
  }
  return energy;
}

// Elements of the output that the instances of a memory ever hold, at most.
Int128 RangeBound::most_held(int memory) const {
  const Parts& parts = terms_->parts.back();
  if (problem().arch().reads_first_sums) return 0;  // nothing is spared
  if (!parts.windows.empty()) return kWideLimit;
  Int128 held = elements_.back();
  for (int d = 0; d < problem().dim_count(); ++d) {
    if (contains(parts.relevant, d)) continue;
    Int128 instances = 1;
    for (int f = 0; f < static_cast<int>(places_.size()) && places_[at(f)] <= memory; ++f) {
      instances = std::min<Int128>(times(instances, most(f, d)), size(d));
    }
    held = times(held, instances);
  }
  return held;
}

Int128 RangeBound::words(int tensor, int parent, int child, int first) const {
  return child == problem().memory_count() ? compute_words(tensor, parent, first)
                                           : fill_words(tensor, parent, child, first);
}

// Every element enters once, and anew in every branch that is unrolled without sharing.
Int128 RangeBound::fill_words(int tensor, int parent, int child, int first) const {
  const Parts& parts = terms_->parts[at(tensor)];
  Int128 words = elements_[at(tensor)];
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

// Of windows whose halos are shared nothing is known.
Int128 RangeBound::reused_words(int tensor, int parent, int child, int first, Int128 reuse) const {
  const bool has_window = !terms_->parts[at(tensor)].windows.empty();
  Share all;
  for (int f = 0; f < fanouts(); ++f) {
    if (has_window && shares_halos(f, tensor)) return 0;
    const bool is_between = places_[at(f)] > parent && places_[at(f)] <= child;
    if (!is_between || f < first || !shares(f, tensor)) continue;
    const Share share = most_shared(f, tensor, /*inside_halo=*/false, /*own_steps=*/false);
    all = compact({times(all.over, share.over), times(all.under, share.under)});
  }
  return times(terms_->macs / reuse, all.under) / all.over;
}

// The same fraction, or more where its numbers are too large to be multiplied.
RangeBound::Share RangeBound::compact(Share share) const {
  const Int128 largest = std::min((Int128{1} << 125) / terms_->macs, Int128{1} << 40);
  Int128 divisor = share.over;
  for (Int128 rest = share.under; rest != 0;) divisor = std::exchange(rest, divisor % rest);
  share = {share.over / divisor, share.under / divisor};
  while (share.over > largest) share = {rounded_up(share.over, 2), share.under / 2};
  return share;
}

// One for every multiplication, but for those that share, and every element once. Dimensions that
// the tensor lacks and that are settled take their own steps; the others share the room that these
// leave.
Int128 RangeBound::compute_words(int tensor, int parent, int first) const {
  Share all;
  Int128 steps = 1;
  Int128 others = 1;  // multiplications of all other dimensions
  std::array<std::int64_t, kMaxDims> together;
  together.fill(1);
  bool inside_halo = false;  // of a fan-out that shares them
  for (int f = first; f < static_cast<int>(places_.size()); ++f) {
    if (places_[at(f)] <= parent || !shares(f, tensor)) continue;
    const Share share = most_shared(f, tensor, inside_halo);
    inside_halo = inside_halo || shares_halos(f, tensor);
    all = compact({times(all.over, share.over), times(all.under, share.under)});
    for (const int d : members(settled_)) together[at(d)] *= least(f, d);
  }
  for (int d = 0; d < problem().dim_count(); ++d) {
    const bool own = takes_own_steps(tensor, d);
    (own ? steps : others) *= own ? ceil_div(size(d), together[at(d)]) : size(d);
  }
  const Int128 words = times(steps, rounded_up(times(others, all.under), all.over));
  return std::max(words, elements_[at(tensor)]);
}

bool RangeBound::takes_own_steps(int tensor, int dim) const {
  return contains(settled_, dim) && !contains(terms_->parts[at(tensor)].relevant, dim);
}

// With perfect factors, or where branches take single elements, starts are told apart. Else one
// dimension's branches differ.
Starts RangeBound::least_starts_of(const Window& window, int fanout, bool single) const {
  BranchDims dims;
  Int128 largest = 1;
  Int128 all = 1;
  for (const int d : window.dims()) {
    largest = std::max<Int128>(largest, most(fanout, d));
    all = times(all, most(fanout, d));
  }
  if (largest == all) return {};  // branches differ in one dimension: none are alike
  for (const int d : window.dims()) {
    const bool settled = least(fanout, d) == most(fanout, d);
    dims.push_back({most(fanout, d), size(d), settled ? size(d) / most(fanout, d) : size(d)});
  }
  if (is_perfect() || single) return least_starts(window, dims, is_perfect());
  return {largest, all};
}

// Branches share that differ in irrelevant dimensions that do not take their own steps, or meet in
// a window: the share of different ones is the smaller the more of them there are. Inside a fan-out
// that shares halos branches of all kinds may have the same words.
RangeBound::Share RangeBound::most_shared(int fanout, int tensor, bool inside_halo,
                                          bool own_steps) const {
  const Parts& parts = terms_->parts[at(tensor)];
  Share share;
  Int128 apart = 1;  // branches that have nothing in common, or take their own steps
  for (int d = 0; d < problem().dim_count(); ++d) {
    const bool alone = std::count(parts.alone.begin(), parts.alone.end(), d) != 0;
    if (alone || (own_steps && takes_own_steps(tensor, d))) {
      apart = times(apart, least(fanout, d));
    } else if (inside_halo || !parts.has_window_with(d)) {
      share.over = times(share.over, std::min(most(fanout, d), size(d)));  // that have an index
    }
  }
  for (const Window& window : parts.windows) {
    if (inside_halo) break;
    const bool single = own_steps && is_single(window, fanout, tensor);
    const Starts starts = least_starts_of(window, fanout, single);
    share = {times(share.over, starts.all), times(share.under, starts.different)};
  }
  const Int128 room = cover_->instances(fanout) / apart;
  if (share.over > room * share.under) return {room, 1};
  return share;
}

// Whether nothing unrolls a window inside the fan-out, so that branches take one element at a time
// of what goes to the multipliers.
bool RangeBound::is_single(const Window& window, int fanout, int tensor) const {
  if (shares_halos(fanout, tensor)) return false;
  for (int f = fanout + 1; f < static_cast<int>(places_.size()); ++f) {
    for (const int d : window.dims()) {
      if (most(f, d) > 1) return false;
    }
  }
  return true;
}

}  // namespace tilewright::certificate
