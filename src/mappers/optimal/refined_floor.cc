#include "mappers/optimal/refined_floor.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewright::optimal {
Units RefinedFloor::least_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                                const UnrolledRanges& ranges) {
  std::vector<std::vector<Ways>> ways;
  for (int t = 0; t < solver_.tensor_count; ++t) ways.push_back(ways_of(sub, t, more[at(t)]));
  Units cheapest = kNever;
  std::array<Ways*, kMaxTensors> chosen{};
  const auto with_kept = [&](std::uint32_t kept, Units filling) {
    Units energy = filling;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      if (!contains(kept, t)) energy = sum(energy, chosen[at(t)]->without);
    }
    if (energy >= cheapest) return kNever;
    const Units left = cheapest - energy;
    return sum(energy, with_next_loop(kept, ranges, left, [&](int t, const TileReuse& reuse) {
                 return through(sub, more[at(t)], *chosen[at(t)], reuse);
               }));
  };
  const auto with_choice = [&](Units least_filling) {
    Units filling = 0;
    for (int t = 0; t < solver_.tensor_count; ++t) filling = sum(filling, chosen[at(t)]->filling);
    filling = std::max(filling, least_filling);
    for (std::uint32_t kept = 0; kept < 1U << solver_.tensor_count; ++kept) {
      cheapest = std::min(cheapest, with_kept(kept, filling));
    }
  };
  if (!outer_.is_known()) {
    for (int t = 0; t < solver_.tensor_count; ++t) chosen[at(t)] = &ways[at(t)].front();
    with_choice(0);
    return cheapest;
  }
  for (const OuterFilling::Choice& choice : outer_.choices()) {
    for (int t = 0; t < solver_.tensor_count; ++t) {
      chosen[at(t)] = &*std::find_if(ways[at(t)].begin(), ways[at(t)].end(), [&](const Ways& way) {
        return way.outer == choice.keepers[at(t)];
      });
    }
    with_choice(choice.least);
  }
  return cheapest;
}

// What is kept is fixed.
Units RefinedFloor::least_unpooled_links(const Subproblem& sub,
                                         const std::vector<MoreShared>& more) const {
  Units energy = 0;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    int parent = -1;
    const auto pay = [&](int child) {
      if (parent >= 0 && !pooled_.has_link(t, child)) {
        energy =
            sum(energy, sub.least_energy(link_between(solver_, t, parent, child), more[at(t)]));
      }
      parent = child;
    };
    for (const int m : members(keepers_of(solver_, t, true))) pay(m);
    pay(solver_.memory_count);
  }
  return energy;
}

Units RefinedFloor::least_pooled_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                                       const TensorBranches* branches,
                                       const PooledFilling::Effort& effort) {
  const Units energy = least_unpooled_links(sub, more);
  if (energy >= effort.limit) return energy;
  PooledFilling::Effort rest = effort;
  rest.limit = kNever;
  const Units whatever = sum(energy, pooled_.least(rest));
  if (branches == nullptr || whatever >= effort.limit) return whatever;
  rest.limit = effort.limit - energy;
  PerDim unrolled{};
  for (int d = 0; d < solver_.dim_count; ++d) {
    unrolled[at(d)] = sub.unrolled_outside(solver_.memory_count, d);
  }
  const Units least = std::max(pooled_.least(*branches, rest), pooled_.least(*branches, unrolled));
  return std::max(whatever, sum(energy, least));
}

Units RefinedFloor::more_than_once(const Subproblem& sub, const Placement& placement) {
  std::array<const Link*, kMaxTensors> into{};  // the innermost memory
  Units filling = 0;
  for (const Link& link : placement.links) {
    if (link.child == tiles_.memory()) into[at(link.tensor)] = &link;
    if (link.child <= outer_.memory()) filling = sum(filling, sub.least_energy(link));
  }
  UnrolledRanges ranges;
  for (int d = 0; d < solver_.dim_count; ++d) {
    ranges.first[at(d)] = ranges.last[at(d)] = sub.unrolled_outside(solver_.memory_count, d);
  }
  const MoreShared nothing;
  const Units inner =
      with_next_loop(placement.kept[at(tiles_.memory())], ranges, kNever,
                     [&](int t, const TileReuse& reuse) -> Units {
                       const Link* link = into[at(t)];
                       if (link == nullptr || reuse == kOnce) return 0;
                       return std::max<Units>(
                           0, sub.least_energy(*link, nothing, reuse) - sub.least_energy(*link));
                     });
  const Units least = outer_.is_known() ? outer_.least(placement) : 0;
  return sum(inner, std::max<Units>(0, least - filling));
}

// --- the ways of one tensor -------------------------------------------------

std::vector<RefinedFloor::Ways> RefinedFloor::ways_of(const Subproblem& sub, int tensor,
                                                      const MoreShared& more) const {
  std::vector<Ways> all;
  if (!outer_.is_known()) {
    add_chains(sub, tensor, more, all.emplace_back());
    return all;
  }
  const std::uint32_t outer = (2U << outer_.memory()) - 1U;
  const std::uint32_t always = keepers_of(solver_, tensor, true) & outer;
  const std::uint32_t free = keepers_of(solver_, tensor, false) & outer & ~always;
  for (std::uint32_t choice = free;; choice = (choice - 1) & free) {
    Ways& ways = all.emplace_back();
    ways.outer = always | choice;
    add_chains(sub, tensor, more, ways);
    if (choice == 0) return all;
  }
}

// Adds the links between the outer keepers up. Gives the innermost of them; -1 if there are none.
int RefinedFloor::pay_outer_links(const Subproblem& sub, int tensor, const MoreShared& more,
                                  Ways& ways) const {
  int last = -1;
  for (const int m : members(ways.outer)) {
    if (last >= 0) {
      const Link link = link_between(solver_, tensor, last, m);
      ways.filling = sum(ways.filling, sub.least_energy(link, more));
    }
    last = m;
  }
  return last;
}

// From the outermost memory in: the cheapest chain down to each memory.
void RefinedFloor::add_chains(const Subproblem& sub, int tensor, const MoreShared& more,
                              Ways& ways) const {
  const int first = outer_.is_known() ? outer_.memory() + 1 : 0;  // further in
  const int innermost = std::max(first, tiles_.memory());
  const std::uint32_t always = keepers_of(solver_, tensor, true);
  const std::uint32_t allowed = keepers_of(solver_, tensor, false) | always;
  std::array<Units, kMaxMemories + 1> down_to{};
  down_to.fill(kNever);
  const int last = pay_outer_links(sub, tensor, more, ways);
  if (last >= 0) down_to[at(last)] = 0;
  const auto may_be_home = [&](int m) { return last < 0 && (always & ((1U << m) - 1U)) == 0; };
  const auto for_parents = [&](int end, const auto& visit) {
    for (int parent = end; parent-- > 0;) {
      if (down_to[at(parent)] < kNever) visit(parent);
      if (parent >= first && contains(always, parent)) break;
    }
  };
  const auto cheapest_to = [&](int child, int end) {
    Units cheapest = kNever;
    for_parents(end, [&](int parent) {
      const Units link = sub.least_energy(link_between(solver_, tensor, parent, child), more);
      cheapest = std::min(cheapest, sum(down_to[at(parent)], link));
    });
    return cheapest;
  };
  for (int m = first; m < innermost; ++m) {
    if (contains(allowed, m)) down_to[at(m)] = may_be_home(m) ? 0 : cheapest_to(m, m);
  }
  const int compute = solver_.memory_count;
  const bool is_outer = innermost == compute;  // then it is among the keepers
  ways.without =
      is_outer || !contains(always, innermost) ? cheapest_to(compute, innermost) : kNever;
  if (is_outer || !contains(allowed, innermost)) return;
  const Units rest = sub.least_energy(link_between(solver_, tensor, innermost, compute), more);
  if (may_be_home(innermost)) ways.with.push_back({rest, std::nullopt});
  for_parents(innermost, [&](int parent) {
    ways.with.push_back(
        {sum(down_to[at(parent)], rest), link_between(solver_, tensor, parent, innermost)});
  });
}

Units RefinedFloor::through(const Subproblem& sub, const MoreShared& more, Ways& ways,
                            const TileReuse& reuse) const {
  for (const auto& [known, energy] : ways.known) {
    if (known == reuse) return energy;
  }
  Units cheapest = kNever;
  for (const Chain& chain : ways.with) {
    Units energy = chain.others;
    if (chain.link) {
      energy = sum(energy, reuse == kOnce ? sub.least_energy(*chain.link, more)
                                          : sub.least_energy(*chain.link, more, reuse));
    }
    cheapest = std::min(cheapest, energy);
  }
  ways.known.emplace_back(reuse, cheapest);
  return cheapest;
}

}  // namespace tilewright::optimal
