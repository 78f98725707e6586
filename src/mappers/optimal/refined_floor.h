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
  static constexpr TileReuse kOnce{kWideLimit, nullptr};  // reused by all steps: loaded once

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
  // If it is said how many tiles dimensions have at least, tiles are listed for that alone, which
  // takes some steps.
  struct CloserLook {
    PerDim least_tiles{};
    std::uint64_t* steps = nullptr;
  };
  template <typename LinkEnergy, typename FillingOf>
  Units least_with_home(const HomeFilling& home, Units others, const UnrolledRanges& ranges,
                        const LinkEnergy& link_energy, FillingOf filling,
                        const std::optional<CloserLook>& look = std::nullopt);
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
    std::vector<std::pair<TileReuse, Units>> known;  // of those through it, by reuse
  };
  std::vector<Ways> ways_of(const Subproblem& sub, int tensor, const MoreShared& more) const;
  int pay_outer_links(const Subproblem& sub, int tensor, const MoreShared& more, Ways& ways) const;
  void add_chains(const Subproblem& sub, int tensor, const MoreShared& more, Ways& ways) const;
  Units through(const Subproblem& sub, const MoreShared& more, Ways& ways,
                const TileReuse& reuse) const;
  // The least of all that is kept in the innermost memory, or no less than a limit: cost(tensor,
  // reuse) is that of one tensor, and base(moved) what comes on top if the next loop moves some of
  // them, or none.
  template <typename CostOf, typename BaseOf>
  Units with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges,
                       const InnerTiles::Tiles& tiles, Units limit, CostOf cost, BaseOf base);
  template <typename CostOf>
  Units with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges, Units limit, CostOf cost) {
    return with_next_loop(kept, ranges, tiles_.with(kept), limit, cost,
                          [](std::uint32_t) { return Units{0}; });
  }

  const SolverTables& solver_;
  const OuterFilling& outer_;
  InnerTiles tiles_;
  PooledFilling pooled_;
};

// With the loops of one memory fixed, the next one outside moves all tensors that have its
// dimension. If there is none, because all is unrolled or in the tile, nothing moves.
template <typename CostOf, typename BaseOf>
Units RefinedFloor::with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges,
                                   const InnerTiles::Tiles& tiles, Units limit, CostOf cost,
                                   BaseOf base) {
  Units once = base(0);
  for (const int t : members(kept)) once = sum(once, cost(t, kOnce));
  const auto is_left = [&](int d) { return ranges.first[at(d)] < solver_.size(d); };
  if (!tiles.fit) return kNever;
  if (once >= limit || !tiles.are_known || tiles_.may_need_no_loop(kept, ranges.last)) return once;
  const PerDim* most = tiles.are_few ? &tiles.most : nullptr;
  Units least = kNever;
  for (const InnerTiles::NextLoop& next : tiles.next) {
    if (!is_any(next.dims, is_left)) continue;
    Units others = base(next.moved);
    for (const int t : members(kept & ~next.moved)) others = sum(others, cost(t, kOnce));
    if (others >= least) continue;
    for (const InnerTiles::Reuse& reuse : next.reuse) {
      Units energy = others;
      for (const int t : members(next.moved)) {
        energy = sum(energy, cost(t, {reuse[at(t)], most}));
      }
      if (energy <= once) return once;
      least = std::min(least, energy);
    }
  }
  return std::max(once, least);
}

// Links that the next loop moves are not among what goes out of outer memories then.
template <typename LinkEnergy, typename FillingOf>
Units RefinedFloor::least_with_home(const HomeFilling& home, Units others,
                                    const UnrolledRanges& ranges, const LinkEnergy& link_energy,
                                    FillingOf filling, const std::optional<CloserLook>& look) {
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
  const auto cost = [&](int t, const TileReuse& reuse) -> Units {
    if (reuse == kOnce || parents[at(t)] < 0) return 0;
    const Link link = link_between(solver_, t, parents[at(t)], inner);
    const Units energy = link_energy(link, reuse);
    if (contains(home.filled_inside(), t)) return energy;
    return std::max<Units>(0, energy - link_energy(link, kOnce));
  };
  const InnerTiles::Tiles& tiles =
      look ? tiles_.with(kept, look->least_tiles, *look->steps) : tiles_.with(kept);
  return with_next_loop(kept, ranges, tiles, kNever, cost, [&](std::uint32_t moved) {
    return sum(others, filling(moved & home.filled_inside()));
  });
}

}  // namespace tilewright::optimal
