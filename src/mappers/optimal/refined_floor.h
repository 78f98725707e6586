// Floors of sets of subproblems that know how much memories hold: the innermost one, and those
// outside the first fan-out. They take longer to find than plain ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mappers/optimal/home_filling.h"
#include "mappers/optimal/inner_tiles.h"
#include "mappers/optimal/outer_filling.h"
#include "mappers/optimal/pooled_filling.h"

namespace tilewright::optimal {

// How far dimensions are unrolled by all fan-outs together, at least and at most.
struct UnrolledRanges {
  PerDim first{}, last{};
};

template <typename Condition>
bool is_any(std::uint32_t bits, Condition condition) {
  for (const int bit : members(bits)) {
    if (condition(bit)) return true;
  }
  return false;
}

class RefinedFloor {
 public:
  static constexpr Int128 kAlways = kWideLimit;  // reused by all steps: loaded once

  RefinedFloor(const SolverTables& solver, const OuterFilling& outer, int most_asked)
      : solver_(solver), outer_(outer), tiles_(solver), pooled_(solver, most_asked) {}

  // The least energy of all links, those to the multipliers as well, of all subproblems that
  // unroll no less than one, and share at most so much more of each tensor.
  Units least_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                    const UnrolledRanges& ranges);
  // The same by what all instances of memories hold together; with all bounds settled if there are
  // branches.
  bool knows_pooled() const { return pooled_.can_be_known(); }
  Units least_unpooled_links(const Subproblem& sub, const std::vector<MoreShared>& more) const;
  Units least_pooled_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                           const TensorBranches* branches, const PooledFilling::Effort& effort);
  std::shared_ptr<const FillingAhead> ahead(const TensorBranches& branches) const {
    return pooled_.ahead(branches);
  }
  // The same by what goes out of outer memories with a choice of keepers, beside all other links;
  // link_energy(link, reuse) is that of one into the innermost memory, whose tile the next loop
  // moves, and filling(moved) what goes out of outer memories without these links.
  template <typename LinkEnergy, typename FillingOf>
  Units least_with_home(const HomeFilling& home, Units others, const UnrolledRanges& ranges,
                        const LinkEnergy& link_energy, FillingOf filling);
  // What the links of a subproblem take at least on top of one load of every element each.
  Units more_than_once(const Subproblem& sub, const Placement& placement);

 private:
  // A link into the innermost memory, and what the others of its chain take.
  struct Chain {
    Units others = 0;
    std::optional<Link> link;  // none if the innermost memory is the tensor's home
  };
  // The ways of a tensor from its keepers outside the first fan-out, if something is known of
  // them, to the multipliers.
  struct Ways {
    std::uint32_t outer = 0;
    Units filling = 0;  // of these keepers
    Units without = 0;  // the cheapest that leave the innermost memory out
    std::vector<Chain> with;
    std::vector<std::pair<Int128, Units>> known;  // of those through it, by reuse
  };
  std::vector<Ways> ways_of(const Subproblem& sub, int tensor, const MoreShared& more) const;
  int pay_outer_links(const Subproblem& sub, int tensor, const MoreShared& more, Ways& ways) const;
  void add_chains(const Subproblem& sub, int tensor, const MoreShared& more, Ways& ways) const;
  Units through(const Subproblem& sub, const MoreShared& more, Ways& ways, Int128 reuse) const;
  // The least of all that is kept in the innermost memory: cost(tensor, reuse) is that of one
  // tensor, and base(moved) what comes on top if the next loop moves some of them, or none.
  template <typename CostOf, typename BaseOf>
  Units with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges, CostOf cost, BaseOf base);
  template <typename CostOf>
  Units with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges, CostOf cost) {
    return with_next_loop(kept, ranges, cost, [](std::uint32_t) { return Units{0}; });
  }

  const SolverTables& solver_;
  const OuterFilling& outer_;
  InnerTiles tiles_;
  PooledFilling pooled_;
};

// With the loops of one memory fixed, the next one outside moves all tensors that have its
// dimension. If there is none, because all is unrolled or in the tile, nothing moves.
template <typename CostOf, typename BaseOf>
Units RefinedFloor::with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges, CostOf cost,
                                   BaseOf base) {
  Units once = base(0);
  for (const int t : members(kept)) once = sum(once, cost(t, kAlways));
  const InnerTiles::Tiles& tiles = tiles_.with(kept);
  const auto must_loop = [&](int d) {
    return times(tiles.most[at(d)], ranges.last[at(d)]) < solver_.size(d);
  };
  const auto is_left = [&](int d) { return ranges.first[at(d)] < solver_.size(d); };
  if (!tiles.fit) return kNever;
  if (!tiles.are_known || !is_any(tiles.dims, must_loop)) return once;
  Units least = kNever;
  for (const InnerTiles::NextLoop& next : tiles.next) {
    if (!is_any(next.dims, is_left)) continue;
    Units others = base(next.moved);
    for (const int t : members(kept & ~next.moved)) others = sum(others, cost(t, kAlways));
    for (const InnerTiles::Reuse& reuse : next.reuse) {
      Units energy = others;
      for (const int t : members(next.moved)) energy = sum(energy, cost(t, reuse[at(t)]));
      least = std::min(least, energy);
    }
  }
  return std::max(once, least);
}

// Links that the next loop moves are not among what goes out of outer memories then.
template <typename LinkEnergy, typename FillingOf>
Units RefinedFloor::least_with_home(const HomeFilling& home, Units others,
                                    const UnrolledRanges& ranges, const LinkEnergy& link_energy,
                                    FillingOf filling) {
  const int inner = tiles_.memory();
  std::uint32_t kept = 0;
  std::array<int, kMaxTensors> parents{};
  for (int t = 0; t < solver_.tensor_count; ++t) {
    parents[at(t)] = -1;
    for (const int m : members(home.all_keepers()[at(t)])) {
      if (m < inner) parents[at(t)] = m;
    }
    if (contains(home.all_keepers()[at(t)], inner)) kept |= 1U << t;
  }
  const auto cost = [&](int t, Int128 reuse) -> Units {
    if (reuse == kAlways || parents[at(t)] < 0) return 0;
    const Link link = link_between(solver_, t, parents[at(t)], inner);
    const Units energy = link_energy(link, reuse);
    if (contains(home.filled_inside(), t)) return energy;
    return std::max<Units>(0, energy - link_energy(link, kAlways));
  };
  return with_next_loop(kept, ranges, cost, [&](std::uint32_t moved) {
    return sum(others, filling(moved & home.filled_inside()));
  });
}

}  // namespace tilewright::optimal
