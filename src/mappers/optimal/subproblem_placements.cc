// The placements of the queue's subproblems: what every memory keeps, cheapest first.
#include <algorithm>

#include "mappers/optimal/subproblem_queue.h"
#include "mappers/optimal/tight_bounds.h"

namespace tilewright::optimal {
namespace {

void add_chain(const SolverTables& solver, int tensor, std::uint32_t memories,
               Placement& placement) {
  int parent = -1;
  for (const int m : members(memories)) {
    placement.kept[at(m)] |= 1U << tensor;
    if (parent >= 0) placement.links.push_back(link_between(solver, tensor, parent, m));
    parent = m;
  }
  placement.compute_links.push_back(link_between(solver, tensor, parent, solver.memory_count));
}

}  // namespace

Placement fixed_placement(const SolverTables& solver) {
  Placement placement;
  for (int t = 0; t < solver.tensor_count; ++t) {
    add_chain(solver, t, keepers_of(solver, t, true), placement);
  }
  return placement;
}

Link link_between(const SolverTables& solver, int tensor, int parent, int child) {
  const bool to_memory = child < solver.memory_count;
  return {tensor, parent, child, solver.memory(parent).fanouts_outside,
          to_memory ? solver.memory(child).fanouts_outside : solver.fanout_count};
}

std::uint32_t keepers_of(const SolverTables& solver, int tensor, bool always) {
  std::uint32_t memories = 0;
  for (int m = 0; m < solver.memory_count; ++m) {
    const std::uint32_t tensors = always ? solver.restrictions->keep_always(MemoryId{m})
                                         : solver.restrictions->keep_allowed(MemoryId{m});
    if (contains(tensors, tensor)) memories |= 1U << m;
  }
  return memories;
}

// Over all chains; a memory that has to keep the tensor cannot be passed by.
Units SubproblemQueue::cheapest_chain(const Subproblem& sub, int tensor,
                                      const MoreShared& more) const {
  const int compute = solver_.memory_count;
  const std::uint32_t always = keepers_of(solver_, tensor, true);
  const std::uint32_t allowed = keepers_of(solver_, tensor, false) | always;
  std::array<Units, kMaxMemories + 1> from{};  // the cheapest from there inwards
  Units cheapest = kNever;
  for (int m = compute; m-- > 0;) {
    from[at(m)] = kNever;
    if (!contains(allowed, m)) continue;
    for (int child = m + 1; child <= compute; ++child) {
      if (child < compute && !contains(allowed, child)) continue;
      const Units link = sub.least_energy(link_between(solver_, tensor, m, child), more);
      from[at(m)] = std::min(from[at(m)], sum(link, from[at(child)]));
      if (child < compute && contains(always, child)) break;
    }
    const std::uint32_t outside = (1U << m) - 1U;
    if ((always & outside) == 0) cheapest = std::min(cheapest, from[at(m)]);
  }
  return cheapest;
}

std::vector<SubproblemQueue::Chain> SubproblemQueue::chains_of(const Subproblem& sub,
                                                               int tensor) const {
  const std::uint32_t always = keepers_of(solver_, tensor, true);
  const std::uint32_t free = keepers_of(solver_, tensor, false) & ~always;
  std::vector<Chain> chains;
  for (std::uint32_t choice = free;; choice = (choice - 1) & free) {
    Chain chain;
    chain.memories = always | choice;
    if (chain.memories != 0) {
      Placement placement;
      add_chain(solver_, tensor, chain.memories, placement);
      for (const Link& link : placement.links) {
        chain.energy = sum(chain.energy, sub.least_energy(link));
        sub.add_least_load(link, chain.loads);
      }
      const Link& compute = placement.compute_links.front();
      chain.energy = sum(chain.energy, sub.compute_energy(compute));
      sub.add_compute_load(compute, chain.loads);
      chains.push_back(chain);
    }
    if (choice == 0) break;
  }
  std::stable_sort(chains.begin(), chains.end(),
                   [](const Chain& a, const Chain& b) { return a.energy < b.energy; });
  return chains;
}

void SubproblemQueue::list_tight_bounds() {
  tight_.resize(bounds_.size());
  for (int f = 0; f < solver_.fanout_count; ++f) {
    for (int d = 0; d < solver_.dim_count; ++d) {
      if (!may_hold_sums(solver_, f, d) || bounds_[place(f, d)].size() < 2) continue;
      if (is_dealt_alike(solver_, f, d)) tight_[place(f, d)] = tight_bounds(solver_, f, d);
    }
  }
}

std::vector<std::uint32_t> SubproblemQueue::keepers_of_sums(const std::vector<Range>& ranges,
                                                            const SpatialBounds& spatial) const {
  std::vector<std::uint32_t> all;
  for (int f = 0; !tight_.empty() && f < solver_.fanout_count; ++f) {
    std::uint32_t inside = 0;
    for (int m = 0; m < solver_.memory_count; ++m) {
      if (solver_.memory(m).fanouts_outside > f) inside |= 1U << m;
    }
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::vector<std::int64_t>& tight = tight_[place(f, d)];
      const bool is_loose =
          !tight.empty() && !std::binary_search(tight.begin(), tight.end(), first(ranges, f, d));
      if (is_loose) all.push_back(inside);
    }
    const std::vector<PerDim>& splits = spatial.splits(f);
    const bool are_loose = std::all_of(splits.begin(), splits.end(), [&](const PerDim& along_x) {
      return tight_splits_.is_superfluous(spatial, f, along_x, true);
    });
    if (are_loose) all.push_back(inside);
  }
  return all;
}

void SubproblemQueue::start_placements(const Node& node, const Goal& goal) {
  auto chains = std::make_shared<Chains>();
  chains->spatial = settled(node.ranges);
  if (!chains->spatial || is_settled(*chains->spatial)) return;
  chains->sub.emplace(solver_, chains->no_placement, *chains->spatial);
  const Subproblem& sub = *chains->sub;
  Loads least{};
  for (int t = 0; t < solver_.tensor_count; ++t) {
    chains->of.push_back(chains_of(sub, t));
    if (t + 1 == solver_.tensor_count) {
      for (const std::uint32_t keepers : keepers_of_sums(node.ranges, *chains->spatial)) {
        std::erase_if(chains->of.back(),
                      [&](const Chain& chain) { return (chain.memories & keepers) == 0; });
      }
    }
    if (chains->of.back().empty()) return;
    for (int m = 0; m < solver_.memory_count; ++m) {
      Int128 reads = kWideLimit;
      Int128 writes = kWideLimit;
      for (const Chain& chain : chains->of.back()) {
        reads = std::min(reads, chain.loads[at(m)].reads);
        writes = std::min(writes, chain.loads[at(m)].writes);
      }
      least[at(m)].reads += reads;
      least[at(m)].writes += writes;
    }
  }
  chains->least_cycles = std::max(sub.cycles(least), solver_.home_cycles);
  Node first;
  first.ranges = node.ranges;
  first.chains = std::move(chains);
  first.pooled = node.pooled;
  first.filling = node.filling;
  first.floor = higher(node.floor, floor_of(first));
  push(std::move(first), goal);
}

// A set of placements is the cheapest of them and what comes after it.
void SubproblemQueue::next_placements(const Node& node, const Goal& goal) {
  for (int t = node.pivot; t < solver_.tensor_count; ++t) {
    Node after = node;
    if (at(++after.ranks[at(t)]) >= node.chains->of[at(t)].size()) continue;
    after.pivot = static_cast<std::uint8_t>(t);
    after.floor = higher(node.floor, floor_of(after));
    push(std::move(after), goal);
  }
  Node one = node;
  one.single = true;
  one.pooled = node.pooled && homes_.size() < 2;  // of what it keeps more may be known
  one.floor = higher(node.floor, floor_of(one));
  ++made_;
  push(std::move(one), goal);
}

// The floor of all that are no cheaper than the chosen chains, or of these alone.
Cost SubproblemQueue::floor_of(const Node& node) {
  const Chains& chains = *node.chains;
  Units energy = chains.sub->fixed_energy();
  Loads loads{};
  for (int t = 0; t < solver_.tensor_count; ++t) {
    const Chain& chain = chains.of[at(t)][node.ranks[at(t)]];
    energy = sum(energy, chain.energy);
    for (int m = 0; m < solver_.memory_count; ++m) {
      loads[at(m)].reads += chain.loads[at(m)].reads;
      loads[at(m)].writes += chain.loads[at(m)].writes;
    }
  }
  const Subproblem& sub = *chains.sub;
  if (node.single && is_refining()) {
    energy = sum(energy, refined_->more_than_once(sub, candidate(node).placement));
  }
  const Int128 cycles =
      node.single ? std::max(sub.cycles(loads), solver_.home_cycles) : chains.least_cycles;
  return {solver_.scale.energy(energy) + sub.leakage(cycles), cycles, sub.least_instances()};
}

// What memories keep is the same in a mirror. A dimension and its image have the same bounds, so
// places among them can be compared.
bool SubproblemQueue::came_in_mirror(const Node& node) {
  if (solver_.mirrors.empty()) return false;
  std::vector<std::uint32_t> key;
  for (const Range& range : node.ranges) key.push_back(static_cast<std::uint32_t>(range.first));
  for (int t = 0; t < solver_.tensor_count; ++t) {
    key.push_back(node.chains->of[at(t)][node.ranks[at(t)]].memories);
  }
  bool has_image = false;
  for (const DimMirror& mirror : solver_.mirrors) {
    const std::vector<std::uint32_t> image = image_of(key, mirror);
    if (image == key) continue;
    if (came_.contains(image)) return true;
    has_image = true;
  }
  if (has_image) came_.insert(std::move(key));
  return false;
}

// Takes places of bounds in all fan-outs, whatever follows them.
std::vector<std::uint32_t> SubproblemQueue::image_of(const std::vector<std::uint32_t>& key,
                                                     const DimMirror& mirror) const {
  std::vector<std::uint32_t> image = key;
  for (int f = 0; f < solver_.fanout_count; ++f) {
    for (int d = 0; d < solver_.dim_count; ++d) {
      image[place(f, mirror[at(d)])] = key[place(f, d)];
    }
  }
  return image;
}

Candidate SubproblemQueue::candidate(const Node& node) const {
  Candidate made{{}, node.chains->spatial, node.floor, node.looks, node.expanded, node.number};
  made.parts = node.parts;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    add_chain(solver_, t, node.chains->of[at(t)][node.ranks[at(t)]].memories, made.placement);
  }
  return made;
}

}  // namespace tilewright::optimal
