#include "model/perfect_counter.h"

#include <algorithm>

namespace tilewright::model {

// One of them for each number of dimensions; of none there is nothing to do.
template <int... Less>
constexpr std::array<PerfectCounter::Kernels, kMaxDims + 1> PerfectCounter::all_kernels(
    std::integer_sequence<int, Less...> /*all*/) {
  return {Kernels{&PerfectCounter::lay_out_rows<0>, &PerfectCounter::lay_out_loops<0>},
          Kernels{&PerfectCounter::lay_out_rows<Less + 1>,
                  &PerfectCounter::lay_out_loops<Less + 1>}...};
}

// The tables are filled as far as the problem reaches.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
PerfectCounter::PerfectCounter(const Compiled& compiled) : c_(compiled) {
  static constexpr auto kKernels = all_kernels(std::make_integer_sequence<int, kMaxDims>());
  kernels_ = kKernels[at(c_.dims)];
  rows_[at(c_.slots)].fill(1);
  extents_[at(c_.slots)] = &rows_[at(c_.slots)];
}

bool PerfectCounter::lay_out(const Mapping& mapping) {
  m_ = &mapping;
  return (this->*kernels_.lay_out_rows)();
}

bool PerfectCounter::count_if_fits(const LinkPlan& plan) {
  plan_ = &plan;
  verdict_ = {};
  check_fit();
  if (!verdict_.fits()) return false;
  count();
  return true;
}

template <int Dims>
bool PerfectCounter::lay_out_rows() {
  const Row* inner = extents_[at(c_.slots)];
  const std::int64_t* bounds = m_->bounds(c_.slots);
  for (int s = c_.slots; s-- > 0;) {
    bounds -= Dims;
    std::int64_t sum = 0;
    for (int d = 0; d < Dims; ++d) sum += bounds[d];
    if (sum != Dims) {
      Row& outer = rows_[at(s)];
      for (int d = 0; d < Dims; ++d) outer[at(d)] = (*inner)[at(d)] * bounds[d];
      inner = &outer;
    }
    extents_[at(s)] = inner;
  }
  std::int64_t different = 0;
  for (int d = 0; d < Dims; ++d) different |= (*inner)[at(d)] ^ c_.size[at(d)];
  return different == 0;
}

// --- what fits ------------------------------------------------------------------------

void PerfectCounter::check_fit() {
  lay_out_fanouts();
  for (int f = 0; f < c_.fanouts; ++f) {
    const FlatFanout& fanout = c_.fanout[at(f)];
    if (!fits_axis(f, SlotKind::SpatialX, used_x_[at(f)], fanout.size_x)) return;
    if (!fits_axis(f, SlotKind::SpatialY, used_y_[at(f)], fanout.size_y)) return;
  }
  for (int m = c_.memories; m-- > 0 && verdict_.fits();) check_memory(m);
}

void PerfectCounter::lay_out_fanouts() {
  instances_[0] = 1;
  for (int f = 0; f < c_.fanouts; ++f) {
    const auto k = at(f);
    const int slot = c_.fanout[k].slot;
    unrolled_dims_[k] = 0;
    used_y_[k] = 1;
    used_x_[k] = 1;
    if (has_loops(slot)) unroll(f, slot, used_y_[k]);
    if (has_loops(slot + 1)) unroll(f, slot + 1, used_x_[k]);
    instances_[k + 1] = instances_[k] * used_x_[k] * used_y_[k];
  }
}

// Adds the bounds of one axis to what a fan-out unrolls.
void PerfectCounter::unroll(int fanout, int slot, std::int64_t& used) {
  Row& unrolled = unrolled_[at(fanout)];
  std::uint32_t dims = unrolled_dims_[at(fanout)];
  const std::int64_t* bounds = m_->bounds(slot);
  for (int d = 0; d < c_.dims; ++d) {
    if (bounds[d] == 1) continue;
    used *= bounds[d];
    unrolled[at(d)] = contains(dims, d) ? unrolled[at(d)] * bounds[d] : bounds[d];
    dims |= 1U << d;
  }
  unrolled_dims_[at(fanout)] = dims;
}

bool PerfectCounter::fits_axis(int fanout, SlotKind axis, std::int64_t used, std::int64_t size) {
  if (used <= size) return true;
  verdict_ = {Verdict::Kind::FanoutExceeded, c_.fanout[at(fanout)].level, {}, axis, used, size};
  return false;
}

void PerfectCounter::check_memory(int memory) {
  const std::uint32_t kept = m_->kept(MemoryId{memory});
  const FlatMemory& table = c_.memory[at(memory)];
  // Nothing fills the outermost memory.
  if (memory == 0 && !table.room.bounded) return;
  for (const int tensor : members(kept)) make_tile(memory, tensor);
  if (!table.room.bounded || fits_plainly(memory, kept)) return;
  check_room(
      table.room, kept, [&](int tensor) { return words_to_hold(memory, tensor); },
      [&](const Overflow& overflow) {
        if (!verdict_.fits()) return;
        const auto kind = overflow.of_partition ? Verdict::Kind::PartitionExceeded
                                                : Verdict::Kind::CapacityExceeded;
        verdict_ = {kind, table.level, overflow.tensor, {}, overflow.needed, overflow.available};
      });
}

// Whether all tiles have room, where they share one capacity and none is a home: what most
// memories are asked.
bool PerfectCounter::fits_plainly(int memory, std::uint32_t kept) const {
  const PlainRoom& room = c_.rooms[at(memory)];
  if (!room.plain || plan_->homes(memory) != 0) return false;
  Int128 sum = 0;
  for (const int tensor : members(kept)) {
    sum += static_cast<Int128>(tiles_[at(memory)][at(tensor)].words) * room.unit[at(tensor)];
  }
  return sum <= room.amount;
}

void PerfectCounter::make_tile(int memory, int tensor) {
  measure(c_.tensor[at(tensor)], *extents_[at(c_.memory[at(memory)].slot)],
          tiles_[at(memory)][at(tensor)]);
}

void PerfectCounter::measure(const FlatTensor& table, const Row& extents, Tile& tile) {
  tile.alone = 1;
  for (const int dim : members(table.alone)) tile.alone *= extents[at(dim)];
  tile.words = tile.alone;
  std::size_t number = 0;
  for (const Window& window : table.windows) {
    tile.windows[number] = window_size(window, extents);
    tile.words *= tile.windows[number++];
  }
}

// A home holds all that it ever serves.
std::int64_t PerfectCounter::words_to_hold(int memory, int tensor) const {
  if (!contains(plan_->homes(memory), tensor)) return tiles_[at(memory)][at(tensor)].words;
  std::int64_t parts = 1;
  for (int f = 0; f < c_.memory[at(memory)].fanouts_outside; ++f) {
    parts *= unrolled_product(f, c_.tensor[at(tensor)].relevant);
  }
  return c_.whole[at(tensor)] / parts;
}

std::int64_t PerfectCounter::unrolled_product(int fanout, std::uint32_t dims) const {
  std::int64_t product = 1;
  for (const int dim : members(dims & unrolled_dims_[at(fanout)])) {
    product *= unrolled_[at(fanout)][at(dim)];
  }
  return product;
}

// --- what is moved --------------------------------------------------------------------

void PerfectCounter::count() {
  (this->*kernels_.lay_out_loops)();
  share_fanouts();
  for (int m = 0; m < c_.memories; ++m) {
    counts_.instances[at(m)] = instances_[at(c_.memory[at(m)].fanouts_outside)];
  }
  counts_.compute_cycles = cycles_of_steps(c_, iterations_[0]);
  for (int f = 0; c_.any_network && f < c_.fanouts; ++f) counts_.fanout_words[at(f)].fill(0);
  Words<std::int64_t> held_inside;
  std::size_t number = 0;
  for (const PlannedLink& link : plan_->links()) {
    const std::int64_t words = words_of(link);
    words_[number++] = words;
    count_link(link, words, held_inside);
  }
}

Score PerfectCounter::sum_up() const {
  const std::int64_t cycles = wait_for_memories(c_, *m_, counts_, counts_.compute_cycles);
  return make_score(c_, *m_, counts_, cycles, instances_[at(c_.fanouts)]);
}

template <int Dims>
void PerfectCounter::lay_out_loops() {
  TemporalLoop* next = loops_.data();
  for (int memory = c_.memories; memory-- > 0;) {
    const int slot = c_.memory[at(memory)].slot;
    if (has_loops(slot)) {
      const std::int64_t* bounds = m_->bounds(slot);
      const std::uint8_t* order = m_->order(MemoryId{memory});
      for (int position = Dims; position-- > 0;) {
        const int dim = order[position];
        // Written in any case, kept if it is a loop: no branch to mispredict.
        *next = {bounds[dim], dim, slot};
        next += bounds[dim] > 1 ? 1 : 0;
      }
    }
    first_outside_[at(memory)] = static_cast<int>(next - loops_.data());
  }
  loop_count_ = first_outside_[0];
  std::int64_t iterations = 1;
  iterations_[at(loop_count_)] = 1;
  for (int i = loop_count_; i-- > 0;) {
    iterations *= loops_[at(i)].bound;
    iterations_[at(i)] = iterations;
  }
}

void PerfectCounter::share_fanouts() {
  for (int f = 0; f < c_.fanouts; ++f) {
    const FlatFanout& fanout = c_.fanout[at(f)];
    for (int t = 0; t < c_.tensors; ++t) {
      const FlatTensor& tensor = c_.tensor[at(t)];
      const bool merge = tensor.output ? fanout.reduction : fanout.multicast;
      requests_[at(f)][at(t)] = merge ? branches(f, tensor) : used_x_[at(f)] * used_y_[at(f)];
    }
  }
}

// Branches of a fan-out that start at different places of a tensor.
std::int64_t PerfectCounter::branches(int fanout, const FlatTensor& tensor) const {
  const std::uint32_t dims = unrolled_dims_[at(fanout)];
  if (dims == 0) return 1;
  std::uint32_t apart = dims & tensor.alone;  // each of them alone, or in a window
  std::int64_t product = 1;
  for (const Window& window : tensor.windows) {
    const std::uint32_t shared = dims & window.dim_bits();
    if ((shared & (shared - 1)) == 0) {
      apart |= shared;
      continue;
    }
    const Row& inside = *extents_[at(c_.fanout[at(fanout)].slot) + 2];
    Extents counts{};
    for (int i = 0; i < window.dim_count(); ++i) {
      counts[at(i)] = contains(dims, window.dim(i)) ? unrolled_[at(fanout)][at(window.dim(i))] : 1;
    }
    product *= window.distinct_starts(counts, window_extents(window, inside));
  }
  return product * unrolled_product(fanout, apart);
}

// Words that enter an instance of a link's child.
std::int64_t PerfectCounter::words_of(const PlannedLink& link) const {
  if (link.to_compute) return iterations_[0];
  const FlatTensor& tensor = c_.tensor[at(link.tensor)];
  const Tile& tile = tiles_[at(link.child)][at(link.tensor)];
  int i = first_outside_[at(link.child)];
  while (i < loop_count_ && !contains(tensor.relevant, loops_[at(i)].dim)) ++i;
  if (i == loop_count_) return tile.words;
  const TemporalLoop& moving = loops_[at(i)];
  if (contains(tensor.alone, moving.dim)) return tile.words * iterations_[at(i)];
  return moved_words(link, tensor, moving) * iterations_[at(i) + 1];
}

std::int64_t PerfectCounter::moved_words(const PlannedLink& link, const FlatTensor& tensor,
                                         const TemporalLoop& moving) const {
  return words_of_run(tensor, tiles_[at(link.child)][at(link.tensor)],
                      *extents_[at(c_.memory[at(link.child)].slot)], moving,
                      (*extents_[at(moving.slot) + 1])[at(moving.dim)]);
}

// Words over one run of a loop that moves a window: the tile at its start, and what is new at
// its further steps, each of which goes on by `step`.
std::int64_t PerfectCounter::words_of_run(const FlatTensor& tensor, const Tile& tile,
                                          const Row& extents, const TemporalLoop& moving,
                                          std::int64_t step) {
  std::int64_t words = tile.alone;
  std::size_t number = 0;
  for (const Window& window : tensor.windows) {
    std::int64_t of_window = tile.windows[number++];
    if (!contains(window.dim_bits(), moving.dim)) {
      words *= of_window;
      continue;
    }
    if (window.is_unit_pair()) {  // what is new of an interval is as long as the step, or all of it
      of_window += (moving.bound - 1) * std::min(of_window, step);
    } else {
      of_window += (moving.bound - 1) * window.new_elements(window_extents(window, extents),
                                                            window.position_of(moving.dim),
                                                            extents[at(moving.dim)], step);
    }
    words *= of_window;
  }
  return words;
}

// What a memory's instances ever hold of an output: each of them its part.
Words<std::int64_t> PerfectCounter::output_held(int tensor, int memory) const {
  std::int64_t parts = 1;
  const int fanouts = c_.memory[at(memory)].fanouts_outside;
  for (int f = 0; f < fanouts; ++f) parts *= unrolled_product(f, c_.tensor[at(tensor)].relevant);
  const std::int64_t part = parts == 1 ? c_.whole[at(tensor)] : c_.whole[at(tensor)] / parts;
  return {part * instances_[at(fanouts)], part};
}

void PerfectCounter::count_link(const PlannedLink& link, std::int64_t words,
                                Words<std::int64_t>& held_inside) {
  std::int64_t per_parent = words;
  for (int f = link.first_fanout; f < link.end_fanout; ++f) {
    per_parent *= requests_[at(f)][at(link.tensor)];
  }
  const Words<std::int64_t> served{per_parent * instances_[at(link.first_fanout)], per_parent};
  const Words<std::int64_t> entering{words * instances_[at(link.end_fanout)], words};
  Footprints<std::int64_t> held;
  if (link.output && !c_.reads_first_sums) {
    held = {output_held(link.tensor, link.parent), held_inside};
  }
  put_traffic(link, link_traffic(link, served, entering, held), counts_);
  held_inside = held.parent;
  if (c_.any_network) count_network(link, words);
}

// Words that arrive at the instances of a link's fan-outs.
void PerfectCounter::count_network(const PlannedLink& link, std::int64_t words) {
  std::int64_t delivered = words;
  for (int f = link.end_fanout; f-- > link.first_fanout;) {
    counts_.fanout_words[at(f)][at(link.tensor)] = delivered * instances_[at(f) + 1];
    delivered *= requests_[at(f)][at(link.tensor)];
  }
}

}  // namespace tilewright::model
