#include "certificate/tile_reuse.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"
#include "certificate/frames.h"

namespace tilewright::certificate {

namespace {

using Reuse = TileReuse::Reuse;

bool is_covered(const Reuse& one, const Reuse& other, std::uint32_t tensors) {
  for (const int t : members(tensors)) {
    if (one[at(t)] > other[at(t)]) return false;
  }
  return true;
}

// Keeps those that no other one covers.
void add(std::vector<Reuse>& all, const Reuse& one, std::uint32_t tensors) {
  for (const Reuse& other : all) {
    if (is_covered(one, other, tensors)) return;
  }
  std::erase_if(all, [&](const Reuse& other) { return is_covered(other, one, tensors); });
  all.push_back(one);
}

}  // namespace

// The tile of a tensor at a storage point of its own may be another one.
TileReuse::TileReuse(const Terms& terms, const Rules& rules)
    : terms_(&terms), rules_(&rules), memory_(terms.problem->memory_count() - 1) {
  const Problem& problem = *terms.problem;
  const std::vector<int> places = fanout_places(problem);
  const bool is_inside =
      std::any_of(places.begin(), places.end(), [&](int place) { return place <= memory_; });
  is_of_use_ = is_inside && rules.uneven == 0 && !has_parts(problem.arch()) &&
               problem.memory(MemoryId{memory_}).capacity.unit != Capacity::Unit::Unlimited;
}

bool TileReuse::fits(std::uint32_t kept, const Extents& tile) const {
  const Problem& problem = *terms_->problem;
  const Memory& memory = problem.memory(MemoryId{memory_});
  Count together = 0;
  for (const int t : members(kept)) {
    const Parts& parts = terms_->parts[at(t)];
    Count words = 1;
    for (const int d : parts.alone) words *= tile[at(d)];
    for (const Window& window : parts.windows) {
      Extents inside;
      for (const int d : window.dims()) inside.push_back(tile[at(d)]);
      words *= window.size(inside);
    }
    const auto own = problem.partition(MemoryId{memory_}, TensorId{t});
    const Capacity& capacity = own ? *own : memory.capacity;
    if (capacity.unit == Capacity::Unit::Unlimited) continue;
    const std::int64_t taken =
        amount_of(capacity, memory, problem.workload().tensors[at(t)], words);
    if (own && taken > room_of(*own, memory)) return false;
    if (!own) together += taken;
  }
  return together <= room_of(memory.capacity, memory);
}

// What the loops of the memory and the fan-outs inside it can have together.
std::int64_t TileReuse::reachable(int dim) const {
  const Problem& problem = *terms_->problem;
  Int128 extent = rules_->at_slot(problem.use(MemoryId{memory_}).slot, dim).most;
  const std::vector<int> places = fanout_places(problem);
  const std::vector<int> slots = fanout_slots(problem);
  for (std::size_t f = 0; f < places.size(); ++f) {
    if (places[f] <= memory_) continue;
    const auto& fanout =
        std::get<Fanout>(problem.arch().level(problem.slots()[at(slots[f])].level));
    extent = std::min<Int128>(extent, kCountLimit) * fanout.x.size * fanout.y.size;
  }
  return static_cast<std::int64_t>(std::min<Int128>(extent, size(dim)));
}

std::int64_t TileReuse::largest(std::uint32_t kept, int dim) const {
  Extents tile(at(terms_->problem->dim_count()), 1);
  std::int64_t fitting = 0;
  for (std::int64_t too_large = reachable(dim) + 1; fitting + 1 < too_large;) {
    const std::int64_t middle = fitting + (too_large - fitting) / 2;
    tile[at(dim)] = middle;
    (fits(kept, tile) ? fitting : too_large) = middle;
  }
  return fitting;
}

std::vector<TileReuse::Range> TileReuse::ranges(int dim, std::int64_t most, int bits) const {
  std::vector<Range> all;
  const auto divides = [&](std::int64_t extent) {
    return rules_->kind != SpaceKind::Perfect || size(dim) % extent == 0;
  };
  for (std::int64_t first = 1; first <= most;) {
    const auto digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(first)));
    const std::int64_t step = std::int64_t{1} << std::max(0, digits - 1 - bits);
    Range range{first, std::min(first + step - 1, most)};
    first = range.most + 1;
    while (range.least <= range.most && !divides(range.least)) ++range.least;
    while (range.least <= range.most && !divides(range.most)) --range.most;
    if (range.least <= range.most) all.push_back(range);
  }
  return all;
}

// A loop that moves a window brings at least as many new elements as the tile has indices of its
// dimension: those beyond the last of the tile before. Any other loop brings no fewer. With
// remainders in time that is known of single elements alone.
TileReuse::Reuse TileReuse::reuse_of(std::uint32_t kept, const Extents& tile) const {
  const bool has_cut_tiles = rules_->kind == SpaceKind::Ruby || rules_->kind == SpaceKind::RubyT;
  Reuse reuse(terms_->parts.size(), 1);
  for (const int t : members(kept)) {
    const Parts& parts = terms_->parts[at(t)];
    Int128& product = reuse[at(t)];
    for (int d = 0; d < static_cast<int>(tile.size()); ++d) {
      if (!contains(parts.relevant, d)) product = times(product, tile[at(d)]);
    }
    for (const Window& window : parts.windows) {
      Int128 all = 1;
      std::int64_t least = kCountLimit;
      for (const int d : window.dims()) {
        all = times(all, tile[at(d)]);
        least = std::min(least, tile[at(d)]);
      }
      if (all > 1 && has_cut_tiles) {
        product = kWideLimit;
        break;
      }
      product = times(product, all / least);
    }
  }
  return reuse;
}

// A tile fits if the least extents of its ranges do; what it reuses is no more than with the
// largest. Loops that move nothing go innermost.
bool TileReuse::list(std::uint32_t kept, const Tiles& tiles, int bits,
                     std::vector<Reuse>& found) const {
  constexpr int kMostTried = 4'000;
  constexpr std::size_t kMostFound = 16;
  const int dims = terms_->problem->dim_count();
  std::vector<std::vector<Range>> choices;
  for (int d = 0; d < dims; ++d) {
    choices.push_back(contains(tiles.dims, d) ? ranges(d, tiles.largest[at(d)], bits)
                                              : std::vector<Range>{{1, size(d)}});
  }
  int tried = 0;
  Extents least(at(dims), 1);
  Extents most(at(dims), 1);
  const auto choose = [&](const auto& self, int d) -> void {
    if (++tried > kMostTried) return;
    if (d == dims) return add(found, reuse_of(kept, most), kept);
    for (const Range& range : choices[at(d)]) {
      least[at(d)] = range.least;
      most[at(d)] = range.most;
      if (!fits(kept, least)) break;
      self(self, d + 1);
    }
    least[at(d)] = 1;
  };
  choose(choose, 0);
  return tried <= kMostTried && found.size() <= kMostFound;
}

TileReuse::Tiles TileReuse::find(std::uint32_t kept) const {
  Tiles tiles;
  for (const int t : members(kept)) tiles.dims |= terms_->parts[at(t)].relevant;
  for (int d = 0; d < terms_->problem->dim_count(); ++d) tiles.largest.push_back(largest(kept, d));
  tiles.fit = fits(kept, Extents(tiles.largest.size(), 1));
  if (!tiles.fit) return tiles;
  std::vector<Reuse> all;
  for (const int bits : {2, 1, 0}) {
    all.clear();
    tiles.are_known = list(kept, tiles, bits, all);
    if (tiles.are_known) break;
  }
  if (!tiles.are_known) return tiles;
  for (const int d : members(tiles.dims)) {
    const std::uint32_t moved = terms_->carriers[at(d)] & kept;
    const auto same = std::find_if(tiles.next.begin(), tiles.next.end(),
                                   [&](const NextLoop& next) { return next.moved == moved; });
    if (same != tiles.next.end()) {
      same->dims |= 1U << d;
      continue;
    }
    tiles.next.push_back({1U << d, moved, {}});
    for (const Reuse& reuse : all) add(tiles.next.back().reuse, reuse, moved);
  }
  return tiles;
}

const TileReuse::Tiles& TileReuse::with(std::uint32_t kept) {
  const auto [known, is_new] = known_.try_emplace(kept);
  if (is_new) known->second = find(kept);
  return known->second;
}

}  // namespace tilewright::certificate
