#include "mappers/genetic/brood.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilewright::genetic {

Brood::Brood(const GeneSpace& genes, const Evaluator& evaluator, Objective objective,
             const GeneticSettings& settings)
    : genes_(genes),
      objective_(objective),
      on_visit_(settings.on_visit),
      moves_(settings.brood == GeneticSettings::Brood::Factors),
      neighbours_(evaluator),
      visited_(evaluator.problem()) {
  std::vector<DimId> dims;
  for (int d = 0; d < genes.dims; ++d) dims.push_back(DimId{d});
  for (int m = 0; m < genes.problem.memory_count(); ++m) {
    nestings_.emplace_back(genes.restrictions, MemoryId{m}, dims);
  }
  for (int d = 0; d < genes.dims; ++d) add_dim(d);
}

void Brood::add_dim(int dim) {
  OfDim of_dim;
  std::int64_t left = genes_.size(dim);
  for (std::int64_t p = 2; p <= left / p; ++p) {
    if (left % p == 0) of_dim.primes.push_back(p);
    while (left % p == 0) left /= p;
  }
  if (left > 1) of_dim.primes.push_back(left);
  for (int m = 0; m < genes_.problem.memory_count(); ++m) {
    const int slot = genes_.memories()[at(m)].slot;
    const BoundLimits& limits = genes_.limits(slot, dim);
    if (limits.most > 1) of_dim.places.push_back({MemoryId{m}, slot, limits.least, limits.most});
    of_dim.most_extent.push_back(genes_.restrictions.extent_limit(MemoryId{m}, DimId{dim}).most);
    if (of_dim.most_extent.back() < genes_.size(dim)) of_dim.limits_extents = true;
  }
  dims_.push_back(std::move(of_dim));
}

Brood::Outcome Brood::raise(Mapping& child, std::uint64_t most) {
  most_ = most;
  outcome_ = {neighbours_.score(child), 1, 1};
  if (on_visit_) on_visit_(child);
  if (!outcome_.score.verdict.fits()) return outcome_;
  best_ = merit_of(objective_, outcome_.score);
  for (int m = 0; m < child.memory_count(); ++m) {
    if (!neighbours_.choices(MemoryId{m}).empty()) try_orders(MemoryId{m}, child);
  }
  if (moves_) try_moves(child);
  return outcome_;
}

// Counts a neighbour; true if it is the best so far.
bool Brood::note(const Score& score) {
  ++outcome_.count;
  const Merit merit = merit_of(objective_, score);
  if (!(merit < best_)) return false;
  best_ = merit;
  outcome_.score = score;
  outcome_.place = outcome_.count;
  return true;
}

// --- other orders ---------------------------------------------------------------------

// Scores the orders of a memory on a walk through them.
class Brood::Visitor {
 public:
  Visitor(Brood& brood, MemoryId memory, const Mapping& child)
      : brood_(brood), memory_(memory), child_(child), choices_(brood.neighbours_.choices(memory)) {
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      own_[i] = best_[i] = ways_[i] = brood.way_of(child, memory, choices_[i]);
    }
    // As many as a memory has are few, but there may be workloads with many tensors.
    constexpr std::uint64_t kMostOrders = 100;
    end_ = std::min(brood.most_, brood.outcome_.count + kMostOrders);
  }

  bool is_over() const { return brood_.outcome_.count >= end_; }

  void settle(const PlacedLoops& placed, std::uint32_t tensors, int dim) {
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (contains(tensors, index_of(choices_[i].tensor))) settle(i, {dim, placed.used});
    }
  }

  void finish(const PlacedLoops& placed) {
    if (is_over() || is_known()) return;
    if (brood_.on_visit_) visit(placed);
    if (!brood_.note(brood_.neighbours_.score_settled())) return;
    best_ = ways_;
    best_order_ = placed;
  }

  // Gives the child the best order, and lets the next memory's orders go with it.
  void conclude(Mapping& child) {
    for (std::size_t i = 0; i < choices_.size(); ++i) settle(i, best_[i]);
    if (best_order_.count > 0) brood_.write_order(memory_, best_order_, child);
  }

 private:
  void settle(std::size_t i, const Way& way) {
    const bool settled = reuse_the_same(choices_[i], way, ways_[i]);
    ways_[i] = way;
    if (!settled) brood_.neighbours_.settle(memory_, choices_[i], DimId{way.mover}, way.inside);
  }

  bool is_known() const {
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (!reuse_the_same(choices_[i], ways_[i], own_[i])) return false;
    }
    return true;
  }

  void visit(const PlacedLoops& placed) {
    brood_.visited_ = child_;
    brood_.write_order(memory_, placed, brood_.visited_);
    brood_.on_visit_(brood_.visited_);
  }

  Brood& brood_;
  MemoryId memory_;
  const Mapping& child_;
  std::span<const Choice> choices_;
  std::uint64_t end_;
  Ways own_, best_, ways_;  // by choice
  PlacedLoops best_order_;
};

void Brood::try_orders(MemoryId memory, Mapping& child) {
  Visitor visitor(*this, memory, child);
  OrderWalk(nestings_[at(memory)], neighbours_.loops(memory), neighbours_.choices(memory), visitor)
      .run(PlacedLoops{});
  visitor.conclude(child);
}

Brood::Way Brood::way_of(const Mapping& child, MemoryId memory, const Choice& choice) const {
  const std::uint8_t* order = child.order(memory);
  const std::uint32_t loops = neighbours_.loops(memory);
  Way way;
  int place = child.dim_count() - 1;
  for (; !contains(choice.movers, order[place]); --place) way.inside |= loops & 1U << order[place];
  way.mover = order[place];
  return way;
}

// Which loop moves a tile matters only if it slides.
bool Brood::reuse_the_same(const Choice& choice, const Way& a, const Way& b) {
  if (a.inside != b.inside) return false;
  return a.mover == b.mover ||
         !(contains(choice.sliding, a.mover) || contains(choice.sliding, b.mover));
}

// Dimensions that constraints put in their place stay there, and those without a loop outside the
// others.
void Brood::write_order(MemoryId memory, const PlacedLoops& loops, Mapping& mapping) const {
  const GeneSpace::OfMemory& table = genes_.memories()[at(memory)];
  std::array<DimId, kMaxDims> order;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  std::uint32_t free = 0;
  int count = 0;
  for (int i = 0; i < mapping.dim_count(); ++i) {
    const DimId dim{mapping.order(memory)[i]};
    order[at(i)] = dim;
    if (i < table.first || i >= table.last) continue;
    free |= 1U << index_of(dim);
    if (!contains(loops.used, index_of(dim))) order[at(table.first + count++)] = dim;
  }
  for (int i = loops.count, next = table.first + count; i-- > 0;) {
    const int dim = loops.innermost_first[at(i)];
    if (contains(free, dim)) order[at(next++)] = DimId{dim};
  }
  mapping.set_order(memory, std::span(order.data(), at(mapping.dim_count())));
}

// --- factors at other memories --------------------------------------------------------

// Calls `consider` with each move that stays in the map-space.
template <typename Try>
void Brood::for_each_move(const Mapping& child, std::uint32_t dims, Try consider) const {
  for (const int d : members(dims)) {
    const OfDim& of_dim = dims_[at(d)];
    for (const Place& from : of_dim.places) {
      const std::int64_t bound = child.bound(from.slot, DimId{d});
      if (bound == 1) continue;
      for (const std::int64_t prime : of_dim.primes) {
        if (bound % prime != 0 || bound / prime < from.least) continue;
        for (const Place& to : of_dim.places) {
          if (to.slot == from.slot || child.bound(to.slot, DimId{d}) * prime > to.most) continue;
          const Neighbours::Move move{DimId{d}, prime, from.memory, to.memory};
          if (may_extend(move)) consider(move);
        }
      }
    }
  }
}

// Whether no tile becomes larger than it may be in the move's dimension.
bool Brood::may_extend(const Neighbours::Move& move) const {
  const OfDim& of_dim = dims_[at(move.dim)];
  if (!of_dim.limits_extents) return true;
  for (int m = index_of(move.from) + 1; m <= index_of(move.to); ++m) {
    if (neighbours_.extent(MemoryId{m}, move.dim) * move.factor > of_dim.most_extent[at(m)]) {
      return false;
    }
  }
  return true;
}

void Brood::make(const Neighbours::Move& move, Mapping& mapping) const {
  const int from = genes_.memories()[at(move.from)].slot;
  const int to = genes_.memories()[at(move.to)].slot;
  mapping.set_bound(from, move.dim, mapping.bound(from, move.dim) / move.factor);
  mapping.set_bound(to, move.dim, mapping.bound(to, move.dim) * move.factor);
}

// Moves start from the best mapping so far, so one that lowers nothing is no better, unless it is
// good to take longer.
Neighbours::Tried Brood::try_move(const Neighbours::Move& move, Score& score) {
  if (objective_.cycles >= 0) return neighbours_.score_lower(move, score);
  return neighbours_.score_moved(move, score) ? Tried::Scored : Tried::Misfit;
}

void Brood::try_moves(Mapping& child) {
  std::optional<Neighbours::Move> best;
  Score score;
  for_each_move(child, neighbours_.start_moves(child), [&](const Neighbours::Move& move) {
    if (outcome_.count >= most_) return;
    const Tried tried = try_move(move, score);
    if (tried == Tried::Misfit) return;
    if (on_visit_) {
      visited_ = child;
      make(move, visited_);
      on_visit_(visited_);
    }
    if (tried == Tried::NoneLower) {
      ++outcome_.count;
    } else if (note(score)) {
      best = move;
    }
  });
  if (best) make(*best, child);
}

}  // namespace tilewright::genetic
