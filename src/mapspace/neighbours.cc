// Steps from one mapping of a space to others: the neighbourhood of a local search.
#include <algorithm>

#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

// The bound of a dimension changes at one slot, and another slot makes up for it; or two
// loops of a memory that follow each other change places; or a memory keeps a tensor that
// it has passed by, or the other way round.
struct Move {
  enum class Kind { Bound, Order, Residence };
  Kind kind = Kind::Bound;
  DimId dim{};
  int slot = 0, other = 0;
  std::int64_t bound = 1;
  MemoryId memory{};
  int position = 0;
  TensorId tensor{};
};

std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= number; ++p) {
    if (number % p != 0) continue;
    primes.push_back(p);
    while (number % p == 0) number /= p;
  }
  if (number > 1) primes.push_back(number);
  return primes;
}

bool allows(const Problem& problem, int slot, DimId dim) {
  return ((problem.slots()[at(slot)].allowed_dims >> index_of(dim)) & 1U) != 0;
}

// Bounds that the loop of a slot may take next: without one of its prime factors, and where
// remainders are allowed one more or one less.
std::vector<std::int64_t> next_bounds(const MapSpace& space, int slot, std::int64_t bound) {
  std::vector<std::int64_t> next;
  for (const std::int64_t prime : prime_factors(bound)) next.push_back(bound / prime);
  if (may_leave_remainder(space.kind(), space.problem().slots()[at(slot)])) {
    if (bound > 1 && !contains(next, bound - 1)) next.push_back(bound - 1);
    next.push_back(bound + 1);
  }
  return next;
}

void add_bound_moves(const MapSpace& space, const Mapping& mapping, DimId dim,
                     std::vector<Move>& moves) {
  const Problem& problem = space.problem();
  for (int slot = 0; slot < problem.slot_count(); ++slot) {
    if (!allows(problem, slot, dim)) continue;
    for (const std::int64_t bound : next_bounds(space, slot, mapping.bound(slot, dim))) {
      for (int other = 0; other < problem.slot_count(); ++other) {
        if (other == slot || !allows(problem, other, dim)) continue;
        moves.push_back({Move::Kind::Bound, dim, slot, other, bound, {}, 0, {}});
      }
    }
  }
}

void add_order_moves(const Problem& problem, const Mapping& mapping, MemoryId memory,
                     std::vector<Move>& moves) {
  const int slot = problem.use(memory).slot;
  int loops = 0;  // they stand in front, for the mapping is canonical
  for (int d = 0; d < problem.dim_count(); ++d) loops += mapping.bound(slot, DimId{d}) > 1 ? 1 : 0;
  for (int i = 0; i + 1 < loops; ++i) {
    moves.push_back({Move::Kind::Order, {}, 0, 0, 1, memory, i, {}});
  }
}

void add_residence_moves(const MapSpace& space, MemoryId memory, std::vector<Move>& moves) {
  const Restrictions& rules = space.restrictions();
  const std::uint32_t open = rules.keep_allowed(memory) & ~rules.keep_always(memory);
  for (int t = 0; t < space.problem().tensor_count(); ++t) {
    if (((open >> t) & 1U) == 0) continue;
    moves.push_back({Move::Kind::Residence, {}, 0, 0, 1, memory, 0, TensorId{t}});
  }
}

std::vector<Move> moves_from(const MapSpace& space, const Mapping& mapping) {
  const Problem& problem = space.problem();
  std::vector<Move> moves;
  for (int d = 0; d < problem.dim_count(); ++d) {
    add_bound_moves(space, mapping, DimId{d}, moves);
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    add_order_moves(problem, mapping, MemoryId{m}, moves);
    add_residence_moves(space, MemoryId{m}, moves);
  }
  return moves;
}

// The least bound with which the other slot covers the dimension.
void move_bound(const Problem& problem, const Move& move, Mapping& mapping) {
  mapping.set_bound(move.slot, move.dim, move.bound);
  std::int64_t left = problem.workload().dim(move.dim).size;
  for (int slot = 0; slot < problem.slot_count(); ++slot) {
    if (slot != move.other) left = ceil_div(left, mapping.bound(slot, move.dim));
  }
  mapping.set_bound(move.other, move.dim, left);
}

void swap_loops(const Problem& problem, const Move& move, Mapping& mapping) {
  std::vector<DimId> order;
  for (int i = 0; i < problem.dim_count(); ++i)
    order.push_back(DimId{mapping.order(move.memory)[i]});
  std::swap(order[at(move.position)], order[at(move.position + 1)]);
  mapping.set_order(move.memory, order);
}

Mapping moved(const Problem& problem, const Mapping& mapping, const Move& move) {
  Mapping result = mapping;
  switch (move.kind) {
    case Move::Kind::Bound:
      move_bound(problem, move, result);
      break;
    case Move::Kind::Order:
      swap_loops(problem, move, result);
      break;
    case Move::Kind::Residence:
      result.set_kept(move.memory, mapping.kept(move.memory) ^ (1U << index_of(move.tensor)));
      break;
  }
  return canonical(problem, result);
}

}  // namespace

std::vector<Mapping> neighbours(const MapSpace& space, const Mapping& mapping) {
  std::vector<Mapping> result;
  for (const Move& move : moves_from(space, mapping)) {
    Mapping next = moved(space.problem(), mapping, move);
    const bool known =
        next == mapping || std::find(result.begin(), result.end(), next) != result.end();
    if (!known && space.contains(next)) result.push_back(std::move(next));
  }
  return result;
}

Mapping neighbour(const MapSpace& space, const Mapping& mapping, Rng& rng) {
  std::vector<Move> moves = moves_from(space, mapping);
  while (!moves.empty()) {
    const auto drawn = static_cast<std::size_t>(rng.below(std::uint64_t{moves.size()}));
    Mapping next = moved(space.problem(), mapping, moves[drawn]);
    if (next != mapping && space.contains(next)) return next;
    moves[drawn] = moves.back();
    moves.pop_back();
  }
  return mapping;
}

}  // namespace tilewright
