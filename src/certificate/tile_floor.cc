#include "certificate/tile_floor.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

// From the inside out, for each set of memories that may keep the tensor.
TileFloor::Ways TileFloor::ways_of(int tensor) {
  const int memories = terms_->problem->memory_count();
  const bool is_settled = at(tensor) < cell_->keepers.size();
  const std::vector<std::uint32_t> settled = {is_settled ? cell_->keepers[at(tensor)] : 0};
  Ways ways;
  for (const std::uint32_t keepers : is_settled ? settled : cover_->keepers(tensor)) {
    Chain chain;
    int child = memories;
    for (int m = memories; m-- > 0;) {
      if (!contains(keepers, m)) continue;
      if (child == memories - 1) {
        chain.parent = m;
      } else {
        chain.others = plus(chain.others, bound_->link_energy(tensor, m, child));
      }
      child = m;
    }
    if (!contains(keepers, memories - 1)) {
      ways.without = std::min(ways.without.value_or(chain.others), chain.others);
      continue;
    }
    const auto same = std::find_if(ways.with.begin(), ways.with.end(), [&](const Chain& other) {
      return other.parent == chain.parent;
    });
    if (same == ways.with.end()) {
      ways.with.push_back(chain);
    } else {
      same->others = std::min(same->others, chain.others);
    }
  }
  return ways;
}

Int128 TileFloor::with_reuse(int tensor, Int128 reuse) {
  Ways& ways = ways_[at(tensor)];
  for (const auto& [known, energy] : ways.known) {
    if (known == reuse) return energy;
  }
  const int innermost = terms_->problem->memory_count() - 1;
  std::optional<Int128> least;
  for (const Chain& chain : ways.with) {
    Int128 energy = chain.others;
    if (chain.parent >= 0) {
      energy = plus(energy, bound_->link_energy(tensor, chain.parent, innermost, reuse));
    }
    least = std::min(least.value_or(energy), energy);
  }
  ways.known.emplace_back(reuse, *least);
  return *least;
}

// Some dimension that moves a tensor has more indices than a tile and the fan-outs can take.
bool TileFloor::has_next_loop(const TileReuse::Tiles& tiles) const {
  for (const int d : members(tiles.dims)) {
    if (times(unrolled_[at(d)].most, tiles.largest[at(d)]) < size(d)) return true;
  }
  return false;
}

bool TileFloor::may_be_next(const TileReuse::NextLoop& next) const {
  for (const int d : members(next.dims)) {
    if (unrolled_[at(d)].least < size(d)) return true;
  }
  return false;
}

// The next loop moves all tensors that have its dimension; the others may come once.
std::optional<Int128> TileFloor::with_kept(std::uint32_t kept) {
  const TileReuse::Tiles& tiles = tiles_.with(kept);
  if (!tiles.fit) return std::nullopt;
  Int128 once = 0;
  for (const int t : members(kept)) once = plus(once, with_reuse(t, 0));
  if (!tiles.are_known || !has_next_loop(tiles)) return once;
  std::optional<Int128> least;
  for (const TileReuse::NextLoop& next : tiles.next) {
    if (!may_be_next(next)) continue;
    Int128 others = 0;
    for (const int t : members(kept & ~next.moved)) others = plus(others, with_reuse(t, 0));
    for (const TileReuse::Reuse& reuse : next.reuse) {
      Int128 energy = others;
      for (const int t : members(next.moved)) energy = plus(energy, with_reuse(t, reuse[at(t)]));
      least = std::min(least.value_or(energy), energy);
    }
  }
  return std::max(once, least.value_or(once));
}

std::optional<Int128> TileFloor::links(const RangeBound& bound, const Cover& cover,
                                       const Cell& cell) {
  bound_ = &bound;
  cover_ = &cover;
  cell_ = &cell;
  const Problem& problem = *terms_->problem;
  ways_.clear();
  for (int t = 0; t < problem.tensor_count(); ++t) ways_.push_back(ways_of(t));
  unrolled_.assign(at(problem.dim_count()), {});
  for (int d = 0; d < problem.dim_count(); ++d) {
    for (int f = 0; f < bound.fanouts(); ++f) {
      Unrolled& all = unrolled_[at(d)];
      all.least = std::min<Int128>(all.least * cover.least(cell, f, d), kCountLimit);
      all.most = std::min<Int128>(all.most * cover.most(cell, f, d), kCountLimit);
    }
  }
  std::optional<Int128> cheapest;
  for (std::uint32_t kept = 0; kept < 1U << problem.tensor_count(); ++kept) {
    std::optional<Int128> energy = 0;
    for (int t = 0; t < problem.tensor_count() && energy; ++t) {
      const Ways& ways = ways_[at(t)];
      if (contains(kept, t)) {
        if (ways.with.empty()) energy.reset();
      } else {
        energy = ways.without ? std::optional(plus(*energy, *ways.without)) : std::nullopt;
      }
    }
    if (!energy || (cheapest && *energy >= *cheapest)) continue;
    const std::optional<Int128> inside = with_kept(kept);
    if (inside) cheapest = std::min(cheapest.value_or(kWideLimit), plus(*energy, *inside));
  }
  return cheapest;
}

}  // namespace tilewright::certificate
