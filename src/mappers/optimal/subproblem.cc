#include "mappers/optimal/subproblem.h"

#include <algorithm>

namespace tilewright::optimal {

Subproblem::Subproblem(const SolverTables& solver, const Placement& placement,
                       const SpatialBounds& spatial)
    : solver_(&solver), placement_(&placement), spatial_(&spatial) {
  std::fill_n(outside_[0].begin(), solver.dim_count, 1);
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) {
      outside_[at(f + 1)][at(d)] = outside_[at(f)][at(d)] * spatial.unrolled(f, d);
    }
    charges_words_ = charges_words_ || solver.fanout(f).word > 0;
  }
  count_instances();
  for (int d = 0; d < solver.dim_count; ++d) {
    steps_ *= ceil_div(solver.size(d), unrolled_outside(solver.memory_count, d));
  }
  compute_cycles_ = least_cycles(1);
  count_held();
  fix_compute_links();
}

// --- counting ---------------------------------------------------------------

void Subproblem::count_instances() {
  for (int m = 0; m <= solver_->memory_count; ++m) {
    std::int64_t number = 1;
    for (int d = 0; d < solver_->dim_count; ++d) {
      number *= unrolled_outside(m, d);
      least_branches_[at(m)][at(d)] = least_branches(m, d);
    }
    if (m < solver_->memory_count) instances_[at(m)] = number;
  }
  for (int d = 0; d < solver_->dim_count; ++d) least_instances_ *= least_instances(d);
}

// All branches of a dimension take part but, with remainders, some of the last branch of
// its outermost spatial slot: the first index of that branch exists, and so do all before it.
std::int64_t Subproblem::least_branches(int memory, int dim) const {
  const std::int64_t all = unrolled_outside(memory, dim);
  if (all == 1 || solver_->is_perfect()) return all;
  int f = 0;  // the outermost that unrolls it
  while (spatial_->unrolled(f, dim) == 1) ++f;
  const std::int64_t unrolled = spatial_->unrolled(f, dim);
  std::int64_t outermost = unrolled;  // of the split with the fewest branches there
  if (spatial_->splits(f).empty()) return all - all / 2 + 1;  // it is not known yet
  for (const PerDim& along_x : spatial_->splits(f)) {
    const std::int64_t y = unrolled / along_x[at(dim)];
    outermost = std::min(outermost, y > 1 ? y : unrolled);
  }
  return all - all / outermost + 1;
}

// The branches of the outermost fan-out that have an index are as many as there are tiles, if
// these are few. All of its branches but the last are full; that one is full, too, if the
// unrolling ends within the dimension.
std::int64_t Subproblem::least_instances(int dim, int memory, std::int64_t inside) const {
  const std::int64_t further_out = outside_[at(fanouts_outside(memory))][at(dim)];
  const std::int64_t size = solver_->size(dim);
  int outermost = fanouts_outside(memory);
  while (outermost < fanouts_outside(memory + 1) && spatial_->unrolled(outermost, dim) == 1) {
    ++outermost;
  }
  if (further_out > 1 || outermost == fanouts_outside(memory + 1)) return least_instances(dim);
  const std::int64_t all = unrolled_outside(solver_->memory_count, dim);
  if (inside <= size) return all;
  const std::int64_t unrolled = spatial_->unrolled(outermost, dim);
  const std::int64_t branches = std::min(unrolled, ceil_div(size, inside / unrolled));
  return std::max(least_instances(dim), (branches - 1) * (all / unrolled) + 1);
}

std::int64_t Subproblem::shared_copies(const Link& link, int kind, int dim) const {
  std::int64_t copies = 1;
  const bool output = solver_->tensor(link.tensor).output;
  for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
    if (shares(f, output)) copies *= spatial_->unrolled(f, dim);
  }
  return copies;
}

std::int64_t Subproblem::irrelevant(const Link& link, int kind, int dim, int block,
                                    std::int64_t inside) const {
  const std::int64_t between = unrolled(fanouts_outside(block), fanouts_outside(link.child), dim);
  const std::int64_t run = times(inside / between, shared_copies(link, kind, dim));
  return ceil_div(solver_->size(dim), run);
}

// All elements of these dimensions.
Int128 Subproblem::elements(std::uint32_t dims) const {
  Int128 product = 1;
  for (const int d : members(dims)) product = times(product, solver_->size(d));
  return product;
}

// Every element of a tensor once.
Int128 Subproblem::least_words(const TensorShape& tensor) const {
  Int128 words = elements(tensor.alone);
  for (const std::int64_t each : tensor.window_elements) words = times(words, each);
  return words;
}

template <typename Number>
LinkCounts Subproblem::multiplied(const Link& link, int block, const PerDim& inside,
                                  const Mover& mover) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const int kinds = count_kinds(link);
  CountsOf<Number> counts;
  std::fill_n(counts.begin(), kinds, static_cast<Number>(elements(tensor.alone)));
  for (const int d : members(irrelevant_dims(tensor))) {
    for (int kind = 0; kind < kinds; ++kind) {
      counts[at(kind)] = times(counts[at(kind)], irrelevant(link, kind, d, block, inside[at(d)]));
    }
  }
  for (const Window& window : tensor.windows) {
    const Extents extents = window_extents(window, inside);
    const std::int64_t entering =
        window_words(link, window, block, link.end_fanout, extents, mover);
    for (int kind = 0; kind < kinds; ++kind) {
      Number& count = counts[at(kind)];
      const int from = counted_from(link, kind, block);
      const std::int64_t words = from == link.end_fanout
                                     ? entering
                                     : window_words(link, window, block, from, extents, mover);
      count = times(count, window_shared(link, kind, window, block, extents, mover, words));
    }
  }
  LinkCounts all;
  std::copy_n(counts.begin(), kinds, all.begin());
  return all;
}

template LinkCounts Subproblem::multiplied<std::int64_t>(const Link&, int, const PerDim&,
                                                         const Mover&) const;
template LinkCounts Subproblem::multiplied<Int128>(const Link&, int, const PerDim&,
                                                   const Mover&) const;

// Whether fan-outs further in unroll dimensions of a window.
bool Subproblem::is_unrolled_inside(const Window& window, int fanout) const {
  for (int i = 0; i < window.dim_count(); ++i) {
    if (unrolled(fanout + 1, solver_->fanout_count, window.dim(i)) > 1) return true;
  }
  return false;
}

int Subproblem::end_beside(int fanout) const {
  int memory = 0;
  while (fanouts_outside(memory) <= fanout) ++memory;
  return fanouts_outside(memory);
}

// With remainders words are rounded, so what the tiles of two memories add to them must not be
// added up: the fan-outs further in that share are those that count. Where some share halos,
// instances are not alike.
bool Subproblem::knows_starts(const TensorShape& tensor, const Window& window, int fanout) const {
  if (solver_->is_perfect()) return true;
  if (tensor.shares_halos) return !is_unrolled_inside(window, fanout);
  for (int f = end_beside(fanout); f < solver_->fanout_count; ++f) {
    if (unrolls_diagonally(f, window)) return false;
  }
  return true;
}

// Every step moves an element of its own; strides_of(window, fan-out) says how far apart
// branches are, if that is known.
template <typename StridesOf>
LinkCounts Subproblem::compute_counts(const Link& link, bool may_unroll_more,
                                      StridesOf strides_of) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  LinkCounts counts;
  for (int kind = 0; kind < count_kinds(link); ++kind) {
    Int128 count = elements(tensor.alone);
    for (const int d : members(irrelevant_dims(tensor))) {
      count = times(count, irrelevant(link, kind, d, solver_->memory_count, 1));
    }
    const int halo = halo_from(link, shared_from(link, kind));
    for (const Window& window : tensor.windows) {
      Int128 words = elements(window.dim_bits());
      if (halo < link.end_fanout) words = compute_halo(link, window, halo, words);
      // From the inside out: what passes a fan-out is a whole number of words.
      for (int f = halo; f-- > shared_from(link, kind);) {
        if (!shares(f, tensor.output)) continue;
        BranchTiles tiles =
            may_unroll_more ? branch_tiles(tensor, window, f, false) : BranchTiles::Elements;
        if (halo < link.end_fanout) tiles = BranchTiles::Uneven;
        words = shared_starts(
            window, f, tiles, words,
            knows_starts(tensor, window, f) ? strides_of(window, f) : std::optional<Extents>{});
      }
      count = times(count, words);
    }
    counts[at(kind)] = std::max(count, least_words(tensor));
  }
  return counts;
}

LinkCounts Subproblem::least_compute_counts(const Link& link) const {
  return compute_counts(link, /*may_unroll_more=*/true,
                        [](const Window&, int) { return std::optional<Extents>{}; });
}

// Branches of the fan-outs inside the innermost memory are as far apart as the fan-outs say,
// those just outside `crossed` as its tile says; nothing is known of the others.
LinkCounts Subproblem::known_compute_counts(const Link& link, int crossed,
                                            const PerDim& tile) const {
  const int compute = solver_->memory_count;
  const auto strides_of = [&](const Window& window, int f) -> std::optional<Extents> {
    for (const int memory : {compute, crossed}) {
      if (f < fanouts_outside(memory - 1) || f >= fanouts_outside(memory)) continue;
      Extents strides{};
      for (int i = 0; i < window.dim_count(); ++i) {
        const int dim = window.dim(i);
        strides[at(i)] =
            (memory == compute ? 1 : tile[at(dim)]) * unrolled(f + 1, fanouts_outside(memory), dim);
      }
      return strides;
    }
    return std::nullopt;
  };
  return compute_counts(link, /*may_unroll_more=*/false, strides_of);
}

// Dimensions of windows that several meet in, of those that go past the memory.
std::uint32_t Subproblem::crossing_dims(int memory) const {
  std::uint32_t dims = 0;
  for (const Link& link : placement_->compute_links) {
    if (tells_what_is_held(link, memory)) {
      for (const Window& window : solver_->tensor(link.tensor).windows) {
        if (copies(window, memory) > 1) dims |= window.dim_bits();
      }
    }
    if (link.parent >= memory) continue;
    for (const Window& window : solver_->tensor(link.tensor).windows) {
      for (int f = fanouts_outside(memory - 1); f < fanouts_outside(memory); ++f) {
        int unrolled_dims = 0;
        for (int i = 0; i < window.dim_count(); ++i) {
          unrolled_dims += spatial_->unrolled(f, window.dim(i)) > 1 ? 1 : 0;
        }
        if (unrolled_dims > 1 && knows_starts(solver_->tensor(link.tensor), window, f)) {
          dims |= window.dim_bits();
        }
      }
    }
  }
  return dims;
}

Units Subproblem::crossing_energy(int memory, const PerDim& tile) const {
  Units total = 0;
  for (std::size_t t = 0; t < placement_->compute_links.size(); ++t) {
    const Link& link = placement_->compute_links[t];
    if (tells_what_is_held(link, memory)) total = sum(total, energy_not_held(t, memory, tile));
    if (link.parent >= memory || solver_->tensor(link.tensor).windows.empty()) continue;
    const Energy energy = exact(link, known_compute_counts(link, memory, tile));
    total = sum(total, solver_->scale.table(energy - compute_energy_[t]));
  }
  return total;
}

// Outside the fan-outs of the memory that gives sums to the multipliers, if no other memory is
// between. (Uneven tiles, and Timeloop's rule, go by more than extents.)
bool Subproblem::tells_what_is_held(const Link& link, int memory) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const MemoryShape& parent = solver_->memory(link.parent);
  if (!tensor.output || tensor.windows.empty() || solver_->boxes || solver_->only_stationary ||
      solver_->uneven != 0 || solver_->has_shared_rooms() || parent.in_place || parent.block > 1) {
    return false;
  }
  const int fanouts = fanouts_outside(link.parent);
  return fanouts_outside(memory) == fanouts && fanouts_outside(memory - 1) < fanouts;
}

// First reads are saved of no more elements than all tiles have, each on its own. A count is no
// less than what is held, so what is counted beyond the most that is held comes on top.
Units Subproblem::energy_not_held(std::size_t compute_link, int memory, const PerDim& tile) const {
  const Link& link = placement_->compute_links[compute_link];
  const std::int64_t more = solver_->unsettled ? solver_->unsettled->sharing[at(link.tensor)] : 1;
  const Int128 served = compute_counts_[compute_link][kServed];
  const Int128 counted = std::min(times(held_[at(link.parent)], Int128{more}), served);
  const Int128 held = times(held_in_tiles(memory, tile), Int128{more});
  if (held >= counted) return 0;
  const std::int64_t each = solver_->memory(link.parent).access[at(link.tensor)].read;
  return solver_->scale.table((counted - held) * each);
}

LinkCounts Subproblem::least_counts(const Link& link, bool may_unroll_more) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  LinkCounts counts;
  for (int kind = 0; kind < count_kinds(link); ++kind) {
    counts[at(kind)] = elements(tensor.alone);
    for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
      counts[at(kind)] = times(counts[at(kind)], least_of_branches(link, kind, w));
    }
    for (const int d : members(irrelevant_dims(tensor))) {
      // Every branch that is in use needs every element, and gets it from its own parent,
      // together with those that share it. Where more is unrolled, it may be in fan-outs that
      // share, and with remainders only the parents are sure then.
      const bool children = kind == kEntering || solver_->is_perfect() || !may_unroll_more;
      const std::int64_t sharing =
          children ? ceil_div(least_branches_[at(link.child)][at(d)], shared_copies(link, kind, d))
                   : 1;
      const std::int64_t parents = least_branches_[at(link.parent)][at(d)];
      counts[at(kind)] = times(counts[at(kind)], std::max(sharing, parents));
    }
  }
  return counts;
}

Int128 Subproblem::held_with(int memory, const std::vector<Int128>& of_windows) const {
  const TensorShape& output = solver_->tensors.back();
  Int128 held = elements(output.alone);
  const auto branches = [&](int d) {
    return std::min(unrolled_outside(memory, d), solver_->size(d));
  };
  for (const int d : members(irrelevant_dims(output))) held = times(held, branches(d));
  for (std::size_t w = 0; w < output.windows.size(); ++w) {
    const Window& window = output.windows[w];
    Int128 points = 1;
    Int128 copied = window.size(window_extents(window, solver_->sizes));
    for (int i = 0; i < window.dim_count(); ++i) {
      points = times(points, solver_->size(window.dim(i)));
      copied = times(copied, branches(window.dim(i)));
    }
    held = times(held, std::min({points, copied, of_windows[w]}));
  }
  const bool own_rule = solver_->boxes && !output.windows.empty();  // Timeloop's
  return own_rule ? kWideLimit : held;
}

Int128 Subproblem::held_in_tiles(int memory, const PerDim& tile) const {
  std::vector<Int128> of_windows;
  for (const Window& window : solver_->tensors.back().windows) {
    Int128 tiles = 1;
    Extents extents{};
    for (int i = 0; i < window.dim_count(); ++i) {
      const int d = window.dim(i);
      const bool whole = unrolled_outside(memory, d) == 1;
      extents[at(i)] = whole ? solver_->size(d) : std::min(tile[at(d)], solver_->size(d));
      tiles = times(tiles, ceil_div(solver_->size(d), extents[at(i)]));
    }
    of_windows.push_back(times(tiles, Int128{window.size(extents)}));
  }
  return held_with(memory, of_windows);
}

void Subproblem::count_held() {
  if (solver_->reads_first_sums) return;  // as if nothing were held
  const std::vector<Int128> unknown(solver_->tensors.back().windows.size(), kWideLimit);
  for (int m = 0; m < solver_->memory_count; ++m) held_[at(m)] = held_with(m, unknown);
}

}  // namespace tilewright::optimal
