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
    std::copy_n(mapping.bounds(slot), c_.dims, bounds_[at(m)].begin());
    std::copy_n(counter_.extents_[at(slot)]->begin(), c_.dims, extents_[at(m)].begin());
    std::copy_n(counter_.extents_[at(slot) + 1]->begin(), c_.dims, steps_[at(m)].begin());
    iterations_[at(m)] = counter_.iterations_at(m);
  }
  for (int i = 0; i < moving_count_; ++i) find_mover(links_[at(moving_links_[at(i)])]);
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
void PerfectNeighbours::find_mover(OpenLink& open) const {
  const Decider decider = find_decider(c_.tensor[at(open.link.tensor)], open.link.child, loops_);
  open.decider = decider.memory;
  if (decider.memory < 0) return;
  const std::uint8_t* order = mapping_->order(MemoryId{decider.memory});
  open.mover_place = c_.dims - 1;
  while (!contains(decider.movers, order[open.mover_place])) --open.mover_place;
}

// Whether a move may change what a link moves. If not, its moving loop stands inside both
// memories' loops of the dimension, or outside them while the dimension leaves the tensor alone.
bool PerfectNeighbours::may_change(const Shift& shift, const OpenLink& open) const {
  if (open.link.child <= shift.first || open.decider > shift.last) return false;
  if (open.decider < shift.first) {
    return contains(c_.tensor[at(open.link.tensor)].relevant, shift.dim);
  }
  if (open.decider < shift.last) return true;
  const std::uint8_t* order = mapping_->order(MemoryId{shift.last});
  for (int place = 0; place < open.mover_place; ++place) {
    if (order[place] == shift.dim) return false;
  }
  return true;
}

bool PerfectNeighbours::score_moved(const Move& move, Score& score) {
  const int from = index_of(move.from);
  const int to = index_of(move.to);
  const Shift shift{index_of(move.dim), from, to, move.factor, std::min(from, to),
                    std::max(from, to)};
  Before before;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it changes
  make(shift, before);
  const bool fits = move_tiles(shift);
  if (fits) score = score_shifted(shift);
  take_back(shift, before);
  return fits;
}

Score PerfectNeighbours::score_shifted(const Shift& shift) {
  std::array<int, kMaxLinks> changed;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  int count = 0;
  for (int i = 0; i < moving_count_; ++i) {
    const int k = moving_links_[at(i)];
    if (!may_change(shift, links_[at(k)])) continue;
    const std::int64_t words = words_after(shift, links_[at(k)].link);
    if (words == ledger_.links[at(k)].words) continue;
    set_words(moved_, k, words);
    changed[at(count++)] = k;
  }
  const Score score = score_of(moved_);
  for (int i = 0; i < count; ++i) restore(changed[at(i)]);
  return score;
}

void PerfectNeighbours::restore(int number) {
  const PlannedLink& link = links_[at(number)].link;
  moved_.links[at(number)] = ledger_.links[at(number)];
  const auto of_memory = [&](int memory) {
    moved_.ports[at(memory)] = ledger_.ports[at(memory)];
    const std::size_t entry = at(energy_at_[at(memory)][at(link.tensor)]);
    moved_.energies[entry] = ledger_.energies[entry];
  };
  of_memory(link.parent);
  of_memory(link.child);
  if (c_.any_network) counter_.count_network(link, ledger_.links[at(number)].words);
}

void PerfectNeighbours::make(const Shift& shift, Before& before) {
  const std::size_t d = at(shift.dim);
  const std::int64_t factor = shift.factor;
  for (std::size_t m = at(shift.first); m < at(shift.last); ++m) {
    before.iterations[m] = iterations_[m];
    before.steps[m] = steps_[m][d];
    before.extents[m] = extents_[m + 1][d];
    if (shift.inward()) {
      iterations_[m] /= factor;
      steps_[m][d] *= factor;
      extents_[m + 1][d] *= factor;
    } else {
      iterations_[m] *= factor;
      steps_[m][d] /= factor;
      extents_[m + 1][d] /= factor;
    }
  }
  std::int64_t& source = bounds_[at(shift.from)][d];
  std::int64_t& target = bounds_[at(shift.to)][d];
  before.bound_from = source;
  before.bound_to = target;
  before.loops_from = loops_[at(shift.from)];
  before.loops_to = loops_[at(shift.to)];
  source /= factor;
  target *= factor;
  if (source == 1) loops_[at(shift.from)] &= ~(1U << shift.dim);
  loops_[at(shift.to)] |= 1U << shift.dim;
}

void PerfectNeighbours::take_back(const Shift& shift, const Before& before) {
  const std::size_t d = at(shift.dim);
  for (std::size_t m = at(shift.first); m < at(shift.last); ++m) {
    iterations_[m] = before.iterations[m];
    steps_[m][d] = before.steps[m];
    extents_[m + 1][d] = before.extents[m];
  }
  bounds_[at(shift.from)][d] = before.bound_from;
  bounds_[at(shift.to)][d] = before.bound_to;
  loops_[at(shift.from)] = before.loops_from;
  loops_[at(shift.to)] = before.loops_to;
}

// False if some memory has no room for its tiles. Smaller ones always fit.
bool PerfectNeighbours::move_tiles(const Shift& shift) {
  for (int m = shift.last; m > shift.first; --m) {
    for (const int tensor : members(mapping_->kept(MemoryId{m}))) move_tile(shift, m, tensor);
    if (shift.inward() && !has_room(shift, m)) return false;
  }
  return true;
}

void PerfectNeighbours::move_tile(const Shift& shift, int memory, int tensor) {
  const FlatTensor& table = c_.tensor[at(tensor)];
  if (!contains(table.relevant, shift.dim)) return;
  Tile& tile = tiles_[at(memory)][at(tensor)];
  if (!table.windows.empty()) return PerfectCounter::measure(table, extents_[at(memory)], tile);
  const std::int64_t words = counter_.tiles_[at(memory)][at(tensor)].words;
  tile.words = shift.inward() ? words * shift.factor : words / shift.factor;
}

const PerfectNeighbours::Tile& PerfectNeighbours::tile_after(const Shift& shift, int memory,
                                                             int tensor) const {
  const bool moved = memory > shift.first && memory <= shift.last &&
                     contains(c_.tensor[at(tensor)].relevant, shift.dim);
  return moved ? tiles_[at(memory)][at(tensor)] : counter_.tiles_[at(memory)][at(tensor)];
}

bool PerfectNeighbours::has_room(const Shift& shift, int memory) const {
  const Room& room = c_.memory[at(memory)].room;
  if (!room.bounded) return true;
  const std::uint32_t kept = mapping_->kept(MemoryId{memory});
  const std::uint32_t homes = scorer_.plan_.homes(memory);
  const PlainRoom& plain = c_.rooms[at(memory)];
  if (plain.plain && homes == 0) {
    Int128 sum = 0;
    for (const int tensor : members(kept)) {
      sum += static_cast<Int128>(tile_after(shift, memory, tensor).words) * plain.unit[at(tensor)];
    }
    return sum <= plain.amount;
  }
  bool fits = true;
  check_room(
      room, kept,
      [&](int tensor) {
        return contains(homes, tensor) ? counter_.words_to_hold(memory, tensor)
                                       : tile_after(shift, memory, tensor).words;
      },
      [&](const Overflow&) { fits = false; });
  return fits;
}

// Words that enter an instance of a link's child; as PerfectCounter::words_of counts them.
std::int64_t PerfectNeighbours::words_after(const Shift& shift, const PlannedLink& link) const {
  const FlatTensor& tensor = c_.tensor[at(link.tensor)];
  const Tile& tile = tile_after(shift, link.child, link.tensor);
  const Decider decider = find_decider(tensor, link.child, loops_);
  if (decider.memory < 0) return tile.words;
  const std::size_t m = at(decider.memory);
  const std::uint8_t* order = mapping_->order(MemoryId{decider.memory});
  std::int64_t inside = 1;
  int place = c_.dims - 1;
  for (; !contains(decider.movers, order[place]); --place) inside *= bounds_[m][order[place]];
  const int mover = order[place];
  const std::int64_t iterations = inside == 1 ? iterations_[m] : iterations_[m] / inside;
  if (contains(tensor.alone, mover)) return tile.words * iterations;
  const TemporalLoop moving{bounds_[m][at(mover)], mover, c_.memory[m].slot};
  return PerfectCounter::words_of_run(tensor, tile, extents_[at(link.child)], moving,
                                      steps_[m][at(mover)]) *
         (iterations / moving.bound);
}

}  // namespace tilewright::model
