// Factors of a dimension that go from one memory's loops to another's. Fan-outs stay as they are,
// and so does all that follows from them.
#include <algorithm>

#include "model/perfect_neighbours.h"

namespace tilewright::model {

std::uint32_t PerfectNeighbours::start_moves(const Mapping& mapping, const OrderChoices& choices) {
  mapping_ = &mapping;
  loops_ = choices.loops();
  for (int m = 0; m < c_.memories; ++m) {
    const int slot = c_.memory[at(m)].slot;
    std::copy_n(counter_.extents_[at(slot)]->begin(), c_.dims, extents_[at(m)].begin());
    taken_[at(m)] = 0;
    for (const int tensor : members(has_plain_room(m) ? mapping.kept(MemoryId{m}) : 0)) {
      taken_[at(m)] +=
          Int128{counter_.tiles_[at(m)][at(tensor)].words} * c_.rooms[at(m)].unit[at(tensor)];
    }
  }
  movers_.fill(0);
  for (int i = 0; i < moving_count_; ++i) {
    const MovingLink& link = moving_links_[at(i)];
    find_mover(moving_links_[at(i)]);
    if (link.decider >= 0) movers_[at(link.decider)] |= 1U << link.mover;
  }
  std::copy_n(ledger_.energies.begin(), energy_count_, moved_.energies.begin());
  std::copy_n(ledger_.links.begin(), link_count_, moved_.links.begin());
  std::copy_n(ledger_.ports.begin(), c_.memories, moved_.ports.begin());
  return ((1U << c_.dims) - 1U) & ~shared_dims();
}

// Dimensions of windows whose starts coincide in several branches of a fan-out, or not, by their
// extents inside.
std::uint32_t PerfectNeighbours::shared_dims() const {
  std::uint32_t shared = 0;
  for (int f = 0; f < c_.fanouts; ++f) {
    const std::uint32_t unrolled = counter_.unrolled_dims_[at(f)];
    if ((unrolled & (unrolled - 1)) == 0) continue;
    for (const FlatTensor& tensor : c_.tensor) {
      for (const Window& window : tensor.windows) {
        const std::uint32_t both = unrolled & window.dim_bits();
        if ((both & (both - 1)) != 0) shared |= window.dim_bits();
      }
    }
  }
  return shared;
}

// The loop that moves a link's tile before factors are moved.
void PerfectNeighbours::find_mover(MovingLink& link) const {
  const FlatTensor& tensor = c_.tensor[at(links_[at(link.number)].link.tensor)];
  const Decider decider = find_decider(tensor, link.child, loops_);
  link.words = ledger_.links[at(link.number)].words;
  link.decider = decider.memory;
  link.mover = -1;
  link.inside = 0;
  if (decider.memory < 0) return;
  const std::uint8_t* order = mapping_->order(MemoryId{decider.memory});
  int place = c_.dims - 1;
  for (; !contains(decider.movers, order[place]); --place) link.inside |= 1U << order[place];
  link.mover = order[place];
}

// --- a move ------------------------------------------------------------------------------

PerfectNeighbours::Shift PerfectNeighbours::shift_of(const Move& move) const {
  const int from = index_of(move.from);
  const int to = index_of(move.to);
  const std::int64_t bound = mapping_->bounds(c_.memory[at(from)].slot)[index_of(move.dim)];
  return {index_of(move.dim),  from, to, move.factor, std::min(from, to), std::max(from, to),
          bound == move.factor};
}

PerfectNeighbours::Tried PerfectNeighbours::try_move(const Move& move, Score& score,
                                                     Wanted wanted) {
  const Shift shift = shift_of(move);
  if (wanted == Wanted::Lower && cannot_lower(shift)) return Tried::NoneLower;
  const std::uint32_t loops_from = loops_[at(shift.from)];
  const std::uint32_t loops_to = loops_[at(shift.to)];
  make(shift);
  Tried tried = Tried::Misfit;
  if (has_room(shift)) {
    Changes changes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it counts
    find_changes(shift, changes);
    tried = wanted == Wanted::Any || changes.any_lower ? Tried::Scored : Tried::NoneLower;
    if (tried == Tried::Scored) score = score_changed(changes);
  }
  loops_[at(shift.from)] = loops_from;
  loops_[at(shift.to)] = loops_to;
  if (contains(windowed_, shift.dim)) restore_extents(shift);
  return tried;
}

// Whether a move certainly lowers the words of no link: one outwards that leaves every moving loop,
// for a factor p of a dimension whose windows are intervals. A dimension that leaves a tensor alone
// then counts at the new place if it did at the old one. A tile that it moves is cut into p, which
// together have no fewer words, in one run or in several; a run of it that is cut starts more
// often; and a loop that moves a tile further inside than before lets more loops repeat it.
bool PerfectNeighbours::cannot_lower(const Shift& shift) const {
  if (shift.inward() || contains(no_intervals_, shift.dim)) return false;
  return !(shift.ends_loop && contains(movers_[at(shift.from)], shift.dim));
}

void PerfectNeighbours::make(const Shift& shift) {
  if (shift.ends_loop) loops_[at(shift.from)] &= ~(1U << shift.dim);
  loops_[at(shift.to)] |= 1U << shift.dim;
  // Only windows ask for extents.
  if (!contains(windowed_, shift.dim)) return;
  for (int m = shift.first + 1; m <= shift.last; ++m) {
    std::int64_t& extent = extents_[at(m)][at(shift.dim)];
    extent = shift.grown(extent);
  }
}

void PerfectNeighbours::restore_extents(const Shift& shift) {
  for (int m = shift.first + 1; m <= shift.last; ++m) {
    extents_[at(m)][at(shift.dim)] = (*counter_.extents_[at(c_.memory[at(m)].slot)])[at(shift.dim)];
  }
}

void PerfectNeighbours::find_changes(const Shift& shift, Changes& changes) const {
  for (int i = 0; i < moving_count_; ++i) {
    const MovingLink& link = moving_links_[at(i)];
    if (link.child <= shift.first || link.decider > shift.last) continue;
    const std::int64_t words = words_after(shift, link);
    if (words == link.words) continue;
    changes.any_lower = changes.any_lower || words < link.words;
    changes.links[at(changes.count)] = link.number;
    changes.words[at(changes.count++)] = words;
  }
}

Score PerfectNeighbours::score_changed(const Changes& changes) {
  for (int i = 0; i < changes.count; ++i) {
    set_words(moved_, changes.links[at(i)], changes.words[at(i)]);
  }
  const Score score = score_of(moved_);
  for (int i = 0; i < changes.count; ++i) restore(changes.links[at(i)]);
  return score;
}

void PerfectNeighbours::restore(int number) {
  const OpenLink& open = links_[at(number)];
  moved_.links[at(number)] = ledger_.links[at(number)];
  for (const int entry : {open.parent_entry, open.child_entry}) {
    moved_.energies[at(entry)] = ledger_.energies[at(entry)];
  }
  if (open.parent_limited) moved_.ports[at(open.link.parent)] = ledger_.ports[at(open.link.parent)];
  if (open.child_limited) moved_.ports[at(open.link.child)] = ledger_.ports[at(open.link.child)];
  if (c_.any_network) counter_.count_network(open.link, ledger_.links[at(number)].words);
}

// --- what fits ---------------------------------------------------------------------------

bool PerfectNeighbours::has_plain_room(int memory) const {
  return c_.memory[at(memory)].room.bounded && c_.rooms[at(memory)].plain &&
         scorer_.plan_.homes(memory) == 0;
}

// A tile that the move changes.
PerfectNeighbours::Tile PerfectNeighbours::tile_after(const Shift& shift, int memory,
                                                      int tensor) const {
  const FlatTensor& table = c_.tensor[at(tensor)];
  Tile tile;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it has windows
  const Tile& before = counter_.tiles_[at(memory)][at(tensor)];
  tile.words = tile.alone =
      contains(table.alone, shift.dim) ? shift.grown(before.alone) : before.alone;
  std::size_t number = 0;
  for (const Window& window : table.windows) {
    tile.windows[number] = contains(window.dim_bits(), shift.dim)
                               ? window_size(window, extents_[at(memory)])
                               : before.windows[number];
    tile.words *= tile.windows[number++];
  }
  return tile;
}

// Smaller tiles always fit.
bool PerfectNeighbours::has_room(const Shift& shift) const {
  for (int m = shift.last; shift.inward() && m > shift.first; --m) {
    if (!has_room(shift, m)) return false;
  }
  return true;
}

bool PerfectNeighbours::has_room(const Shift& shift, int memory) const {
  const Room& room = c_.memory[at(memory)].room;
  const std::uint32_t kept = mapping_->kept(MemoryId{memory});
  const std::uint32_t touched = kept & tensors_with_[at(shift.dim)];
  if (!room.bounded || touched == 0) return true;
  if (has_plain_room(memory)) {
    const PlainRoom& plain = c_.rooms[at(memory)];
    Int128 sum = taken_[at(memory)];
    for (const int tensor : members(touched)) {
      const std::int64_t before = counter_.tiles_[at(memory)][at(tensor)].words;
      const std::int64_t words = contains(c_.tensor[at(tensor)].alone, shift.dim)
                                     ? before * shift.factor
                                     : tile_after(shift, memory, tensor).words;
      sum += Int128{words - before} * plain.unit[at(tensor)];
    }
    return sum <= plain.amount;
  }
  const std::uint32_t homes = scorer_.plan_.homes(memory);
  bool fits = true;
  check_room(
      room, kept,
      [&](int tensor) {
        if (contains(homes, tensor)) return counter_.words_to_hold(memory, tensor);
        return contains(touched, tensor) ? tile_after(shift, memory, tensor).words
                                         : counter_.tiles_[at(memory)][at(tensor)].words;
      },
      [&](const Overflow&) { fits = false; });
  return fits;
}

// --- what is moved -----------------------------------------------------------------------

// Whether a link's moving loop is the same after a move of a dimension that is relevant to its
// tensor.
bool PerfectNeighbours::keeps_mover(const Shift& shift, const MovingLink& link) {
  if (shift.ends_loop && link.decider == shift.from && link.mover == shift.dim) return false;
  if (shift.to >= link.child || shift.to < link.decider) return true;
  return shift.to == link.decider && !contains(link.inside, shift.dim);
}

// Words that enter an instance of a link's child. Only windows and other moving loops take
// counting.
std::int64_t PerfectNeighbours::words_after(const Shift& shift, const MovingLink& link) const {
  if (!contains(link.relevant, shift.dim)) {
    // A loop that leaves the tensor alone counts if it stands outside the one that moves it.
    const auto counts_at = [&](int memory) {
      return memory < link.decider || (memory == link.decider && !contains(link.inside, shift.dim));
    };
    const bool after = counts_at(shift.to);
    if (counts_at(shift.from) == after) return link.words;
    return after ? link.words * shift.factor : link.words / shift.factor;
  }
  // All loops of a dimension that is relevant are in the tile or move it: where the moving loop
  // stays as it is and no window becomes another one, as many words are moved.
  const bool same_windows =
      contains(link.alone, shift.dim) || (link.child > shift.last && link.mover != shift.dim);
  if (same_windows && keeps_mover(shift, link)) return link.words;
  return count_words_after(shift, links_[at(link.number)].link);
}

std::int64_t PerfectNeighbours::bound_after(const Shift& shift, int memory, int dim) const {
  const std::int64_t bound = mapping_->bounds(c_.memory[at(memory)].slot)[dim];
  if (dim != shift.dim) return bound;
  if (memory == shift.from) return bound / shift.factor;
  return memory == shift.to ? bound * shift.factor : bound;
}

// As PerfectCounter::words_of counts them, where the dimension is relevant to the tensor.
std::int64_t PerfectNeighbours::count_words_after(const Shift& shift,
                                                  const PlannedLink& link) const {
  const FlatTensor& tensor = c_.tensor[at(link.tensor)];
  Tile changed;  // NOLINT(cppcoreguidelines-pro-type-member-init): only if it is
  const Tile* tile = &counter_.tiles_[at(link.child)][at(link.tensor)];
  if (shift.changes_tile(link.child)) {
    changed = tile_after(shift, link.child, link.tensor);
    tile = &changed;
  }
  const Decider decider = find_decider(tensor, link.child, loops_);
  const int m = decider.memory;
  if (m < 0) return tile->words;
  const bool between = m >= shift.first && m < shift.last;
  const std::uint8_t* order = mapping_->order(MemoryId{m});
  std::int64_t inside = 1;
  int place = c_.dims - 1;
  for (; !contains(decider.movers, order[place]); --place) {
    inside *= bound_after(shift, m, order[place]);
  }
  const int mover = order[place];
  std::int64_t iterations = counter_.iterations_at(m);
  if (between) iterations = shift.shrunk(iterations);
  if (inside != 1) iterations /= inside;
  if (contains(tensor.alone, mover)) return tile->words * iterations;
  const int slot = c_.memory[at(m)].slot;
  const TemporalLoop moving{bound_after(shift, m, mover), mover, slot};
  std::int64_t step = (*counter_.extents_[at(slot) + 1])[at(mover)];
  if (between && mover == shift.dim) step = shift.grown(step);
  return PerfectCounter::words_of_run(tensor, *tile, extents_[at(link.child)], moving, step) *
         (iterations / moving.bound);
}

}  // namespace tilewright::model
