#include "mappers/optimal/subproblem.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright::optimal {
namespace {

// Tiles of one dimension of a window: full ones and the last one, those at a
// start of the moving loop and those at its further steps.
struct Tiles {
  std::int64_t full = 1, last = 1;  // extents
  // [further step][last tile]
  std::array<std::array<std::int64_t, 2>, 2> number{};
};

Tiles tiles_of(std::int64_t size, std::int64_t extent) {
  Tiles tiles;
  const std::int64_t number = ceil_div(size, extent);
  tiles.full = std::min(extent, size);
  tiles.last = size - (number - 1) * extent;
  tiles.number[0] = {number - 1, 1};
  return tiles;
}

// The moving loop takes `bound` steps, each over `apart` tiles.
Tiles moved_tiles(std::int64_t size, std::int64_t extent, std::int64_t apart, std::int64_t bound) {
  Tiles tiles = tiles_of(size, extent);
  const std::int64_t number = tiles.number[0][0] + 1;
  const std::int64_t period = apart * bound;
  const std::int64_t starts = number / period * apart + std::min(number % period, apart);
  const bool last_starts = (number - 1) % period < apart;
  tiles.number[0] = {starts - (last_starts ? 1 : 0), last_starts ? 1 : 0};
  tiles.number[1] = {number - starts - (last_starts ? 0 : 1), last_starts ? 0 : 1};
  return tiles;
}

// The same at least, if the moving loop starts at least so often: each branch has a start in
// every pass but the last. The last tile is left out, since it may be small.
Tiles some_moved_tiles(std::int64_t size, std::int64_t extent, std::int64_t apart,
                       std::int64_t passes) {
  Tiles tiles = tiles_of(size, extent);
  const std::int64_t full = tiles.number[0][0];
  const std::int64_t starts = std::min(full, (passes - 1) * apart);
  tiles.number = {{{starts, 0}, {full - starts, 0}}};
  return tiles;
}

// Sums the words of a window over the tiles of all its dimensions.
class WindowSum {
 public:
  WindowSum(const Window& window, int moving, std::int64_t apart)
      : window_(window), moving_(moving), apart_(apart) {}

  std::array<Tiles, kMaxWindowDims> tiles;
  // Tiles that consist of those of several instances, of which each loads for itself.
  std::vector<TileRow> parts;

  std::int64_t total() {
    Extents extents{};
    return sum_from(0, 1, false, extents);
  }

 private:
  std::int64_t sum_from(int i, std::int64_t number, bool moved, Extents& extents) {
    if (i == window_.dim_count()) return times(number, words(extents, moved));
    const Tiles& mine = tiles[at(i)];
    std::int64_t sum = 0;
    for (std::size_t step = 0; step < 2; ++step) {
      for (std::size_t last = 0; last < 2; ++last) {
        const std::int64_t n = mine.number[step][last];
        if (n == 0) continue;
        extents[at(i)] = last == 1 ? mine.last : mine.full;
        sum += sum_from(i + 1, times(number, n), moved || step == 1, extents);
      }
    }
    return std::min(sum, kCountLimit);
  }

  std::int64_t words(const Extents& extents, bool moved) const {
    if (!moved) return window_.size(extents);
    const std::int64_t full = tiles[at(moving_)].full;
    if (!parts.empty() && has_all_parts(extents)) {
      return window_.elements_together(parts,
                                       TileMove{moving_, parts[at(moving_)].extent, apart_ * full});
    }
    // What all of them together did not hold before is new to one of them.
    return window_.new_elements(extents, moving_, full, apart_ * full);
  }

  bool has_all_parts(const Extents& extents) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TileRow& row = parts[i];
      if (extents[i] != row.extent * static_cast<std::int64_t>(row.starts.size())) return false;
    }
    return true;
  }

  const Window& window_;
  int moving_;
  std::int64_t apart_;  // tiles between two steps
};

}  // namespace

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
  const std::int64_t run = inside / between * shared_copies(link, kind, dim);
  return ceil_div(solver_->size(dim), run);
}

// Inside a fan-out that shares halos, tiles of all instances are side by side: together they are
// one large tile.
std::int64_t Subproblem::window_words(const Link& link, const Window& window, int block, int fanout,
                                      const Extents& inside, const Mover& mover) const {
  const int moving = mover.dim < 0 ? -1 : window.position_of(mover.dim);
  const int outer = fanouts_outside(block);
  std::int64_t apart = 1;
  if (moving >= 0) apart = unrolled(outer, fanout, mover.dim);
  WindowSum sum(window, moving, apart);
  for (int i = 0; i < window.dim_count(); ++i) {
    const int dim = window.dim(i);
    const std::int64_t extent = inside[at(i)] / unrolled(outer, fanout, dim);
    sum.tiles[at(i)] = i == moving ? moved_tiles(solver_->size(dim), extent, apart, mover.bound)
                                   : tiles_of(solver_->size(dim), extent);
    if (fanout == link.end_fanout || moving < 0) continue;
    const std::int64_t instances = unrolled(fanout, link.end_fanout, dim);
    sum.parts.push_back({.starts = {}, .extent = extent / instances});
    for (std::int64_t n = 0; n < instances; ++n) {
      sum.parts.back().starts.push_back(n * sum.parts.back().extent);
    }
  }
  return sum.total();
}

// Where tiles grow evenly in both dimensions of a window, A and B, the words of all tiles are
// n_b D_a + n_a D_b - n_a n_b, n being their numbers: less the larger they are. Moved along a, a
// tile brings at least its own share of D_a, and B - 1 more at a start. Otherwise extents are
// tried one by one, or each element moves once.
std::int64_t Subproblem::least_window_words(const Link& link, std::size_t number, int block,
                                            int fanout, const Extents& least, const Extents& most,
                                            const LeastMover& mover) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const Window& window = tensor.windows[number];
  const std::int64_t whole = tensor.window_elements[number];
  constexpr std::int64_t kMostTried = 256;
  const int outer = fanouts_outside(block);
  const int moving = mover.dim < 0 ? -1 : window.position_of(mover.dim);
  Extents first{};
  Extents last{};
  std::int64_t tries = 1;
  bool even = !solver_->boxes && window.dim_count() == 2;
  for (int i = 0; i < window.dim_count(); ++i) {
    const std::int64_t size = solver_->size(window.dim(i));
    const std::int64_t unrolled_here = unrolled(outer, fanout, window.dim(i));
    first[at(i)] = std::min(ceil_div(least[at(i)], unrolled_here), size);
    last[at(i)] = std::min(most[at(i)] / unrolled_here, size);
    if (first[at(i)] > last[at(i)]) return whole;  // no mapping comes here
    tries = times(tries, last[at(i)] - first[at(i)] + 1);
    even = even && std::abs(window.signed_coefficient(i)) == 1;
  }
  const std::int64_t apart = moving < 0 ? 1 : unrolled(outer, fanout, mover.dim);
  const auto words = [&](const Extents& tile) {
    WindowSum sum(window, moving, apart);
    for (int i = 0; i < window.dim_count(); ++i) {
      const std::int64_t size = solver_->size(window.dim(i));
      sum.tiles[at(i)] = i == moving ? some_moved_tiles(size, tile[at(i)], apart, mover.passes)
                                     : tiles_of(size, tile[at(i)]);
    }
    return sum.total();
  };
  if (even && moving >= 0) {
    const int other = 1 - moving;
    const bool overlaps =
        times(apart - 1, first[at(moving)]) < last[at(other)] - 1;  // with the step before
    if (overlaps) {
      const std::int64_t size = solver_->size(window.dim(other));
      const std::int64_t tiles = ceil_div(size, last[at(other)]);
      const std::int64_t starts = times(mover.passes - 1, apart) + 1;
      return std::max(whole, times(tiles, solver_->size(mover.dim)) + times(starts, size - tiles));
    }
  }
  if (even) {
    WindowSum sum(window, -1, 1);
    for (int i = 0; i < 2; ++i) {
      sum.tiles[at(i)] = tiles_of(solver_->size(window.dim(i)), last[at(i)]);
    }
    return std::max(whole, sum.total());
  }
  if (tries > kMostTried) return whole;
  std::int64_t found = kCountLimit;
  Extents tile = first;
  for (bool more = true; more;) {
    found = std::min(found, words(tile));
    more = false;
    for (int i = 0; !more && i < window.dim_count(); ++i) {
      more = ++tile[at(i)] <= last[at(i)];
      if (!more) tile[at(i)] = first[at(i)];
    }
  }
  return std::max(whole, found);
}

bool Subproblem::is_uneven(const Window& window, int moving_dim) const {
  if (moving_dim < 0 || window.position_of(moving_dim) < 0) return false;
  if (solver_->boxes || window.dim_count() != 2) return true;
  return std::abs(window.signed_coefficient(0)) != 1 || std::abs(window.signed_coefficient(1)) != 1;
}

// With remainders see docs/optimal.md, "Extents are all that counts".
std::int64_t Subproblem::shared_starts(const Window& window, int fanout, bool uneven,
                                       std::int64_t words,
                                       const std::optional<Extents>& strides) const {
  Extents copies{};
  std::int64_t product = 1;
  std::int64_t most = 1;
  std::int64_t least_starts = 1;  // sets of whole numbers have at least that many different sums
  int dims = 0;                   // that are unrolled
  for (int i = 0; i < window.dim_count(); ++i) {
    copies[at(i)] = spatial_->unrolled(fanout, window.dim(i));
    dims += copies[at(i)] > 1 ? 1 : 0;
    product *= copies[at(i)];
    most = std::max(most, copies[at(i)]);
    least_starts += copies[at(i)] - 1;
  }
  if (product == most) return words;
  if (!solver_->is_perfect()) {
    if (dims > 2 || uneven) return ceil_div(words, product / most);
    const Int128 share = static_cast<Int128>(words) * (least_starts - 1);
    return static_cast<std::int64_t>((share + product - 2) / (product - 1));
  }
  const std::int64_t starts = strides ? window.distinct_starts(copies, *strides) : least_starts;
  const Int128 shared = static_cast<Int128>(words) * starts;
  return static_cast<std::int64_t>((shared + product - 1) / product);
}

std::int64_t Subproblem::window_shared(const Link& link, int kind, const Window& window, int block,
                                       const Extents& inside, bool uneven,
                                       std::int64_t words) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const int outer = fanouts_outside(block);
  int end = link.end_fanout;
  if (tensor.shares_halos) {
    end = halo_from(link, shared_from(link, kind));
    const int counted = counted_from(link, kind, block);
    // Nothing is known of loops between the instances, if there are fan-outs between.
    std::int64_t copies = 1;
    for (int i = 0; i < window.dim_count(); ++i) copies *= unrolled(end, counted, window.dim(i));
    words = ceil_div(words, copies);
    uneven = uneven || end < link.end_fanout;
  }
  for (int f = shared_from(link, kind); f < end; ++f) {
    if (!shares(f, tensor.output)) continue;
    std::optional<Extents> strides;  // known inside the moving loop's block
    if (f >= outer) {
      strides.emplace();
      for (int i = 0; i < window.dim_count(); ++i) {
        (*strides)[at(i)] = inside[at(i)] / unrolled(outer, f + 1, window.dim(i));
      }
    }
    words = shared_starts(window, f, uneven, words, strides);
  }
  return words;
}

// All elements of these dimensions.
std::int64_t Subproblem::elements(std::uint32_t dims) const {
  std::int64_t product = 1;
  for (const int d : members(dims)) product = times(product, solver_->size(d));
  return product;
}

LinkCounts Subproblem::counts(const Link& link, int block, const PerDim& inside,
                              const Mover& mover) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const int kinds = count_kinds(link);
  LinkCounts counts;
  std::fill_n(counts.begin(), kinds, elements(tensor.alone));
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
      std::int64_t& count = counts[at(kind)];
      const bool uneven = is_uneven(window, mover.dim);
      const int from = counted_from(link, kind, block);
      const std::int64_t words = from == link.end_fanout
                                     ? entering
                                     : window_words(link, window, block, from, extents, mover);
      count = times(count, window_shared(link, kind, window, block, extents, uneven, words));
    }
  }
  return counts;
}

// So many instances inside fan-outs [first, end) start at different places of a window at least:
// one more for every step in any dimension, since that is so of sums of whole numbers.
std::int64_t Subproblem::halo_starts(const Window& window, int first, int end) const {
  std::int64_t starts = 1;
  for (int f = first; f < end; ++f) {
    for (int i = 0; i < window.dim_count(); ++i) {
      starts += spatial_->unrolled(f, window.dim(i)) - 1;
    }
  }
  return starts;
}

// What is left of the words of a window that go to the multipliers where a fan-out shares halos.
// Without loops between the instances they are side by side. With remainders those of one
// dimension, at least, are different.
std::int64_t Subproblem::compute_halo(const Link& link, const Window& window, int fanout,
                                      std::int64_t words) const {
  Extents instances{};
  std::int64_t product = 1;
  std::int64_t most = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    instances[at(i)] = unrolled(fanout, link.end_fanout, window.dim(i));
    product *= instances[at(i)];
    most = std::max(most, instances[at(i)]);
  }
  if (!solver_->is_perfect()) return ceil_div(words, product / most);
  const bool side_by_side = fanout >= fanouts_outside(solver_->memory_count - 1);
  const std::int64_t starts =
      side_by_side ? window.size(instances) : halo_starts(window, fanout, link.end_fanout);
  const Int128 shared = static_cast<Int128>(words) * starts;
  return static_cast<std::int64_t>((shared + product - 1) / product);
}

// Every step moves an element of its own; strides_of(window, fan-out) says how far apart
// branches are, if that is known.
template <typename StridesOf>
LinkCounts Subproblem::compute_counts(const Link& link, StridesOf strides_of) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  LinkCounts counts;
  for (int kind = 0; kind < count_kinds(link); ++kind) {
    std::int64_t count = elements(tensor.relevant);
    for (const int d : members(irrelevant_dims(tensor))) {
      count = times(count, irrelevant(link, kind, d, solver_->memory_count, 1));
    }
    for (const Window& window : tensor.windows) {
      const int halo = halo_from(link, shared_from(link, kind));
      if (halo < link.end_fanout) count = compute_halo(link, window, halo, count);
      for (int f = shared_from(link, kind); f < halo; ++f) {
        if (!shares(f, tensor.output)) continue;
        const bool uneven = halo < link.end_fanout;
        count = shared_starts(window, f, uneven, count, strides_of(window, f));
      }
    }
    counts[at(kind)] = count;
  }
  return counts;
}

// Branches of the fan-outs inside the innermost memory are as far apart as the fan-outs say,
// those just outside `crossed` as its tile says; nothing is known of the others.
LinkCounts Subproblem::known_compute_counts(const Link& link, int crossed,
                                            const PerDim& tile) const {
  const int compute = solver_->memory_count;
  return compute_counts(link, [&](const Window& window, int f) -> std::optional<Extents> {
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
  });
}

// Dimensions of windows that several meet in, of those that go past the memory.
std::uint32_t Subproblem::crossing_dims(int memory) const {
  std::uint32_t dims = 0;
  if (!solver_->is_perfect()) return dims;
  for (const Link& link : placement_->compute_links) {
    if (link.parent >= memory) continue;
    for (const Window& window : solver_->tensor(link.tensor).windows) {
      for (int f = fanouts_outside(memory - 1); f < fanouts_outside(memory); ++f) {
        int unrolled_dims = 0;
        for (int i = 0; i < window.dim_count(); ++i) {
          unrolled_dims += spatial_->unrolled(f, window.dim(i)) > 1 ? 1 : 0;
        }
        if (unrolled_dims > 1) dims |= window.dim_bits();
      }
    }
  }
  return dims;
}

Units Subproblem::crossing_energy(int memory, const PerDim& tile) const {
  Units total = 0;
  for (std::size_t t = 0; t < placement_->compute_links.size(); ++t) {
    const Link& link = placement_->compute_links[t];
    if (link.parent >= memory || solver_->tensor(link.tensor).windows.empty()) continue;
    const Energy energy = exact(link, known_compute_counts(link, memory, tile));
    total = sum(total, solver_->scale.table(energy - compute_energy_[t]));
  }
  return total;
}

LinkCounts Subproblem::least_counts(const Link& link, bool may_unroll_more) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  std::int64_t words = elements(tensor.alone);
  for (const std::int64_t each : tensor.window_elements) words = times(words, each);
  LinkCounts counts;
  for (int kind = 0; kind < count_kinds(link); ++kind) {
    counts[at(kind)] = words;
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

// Elements of the output that the instances of each memory ever hold, at most.
void Subproblem::count_held() {
  if (solver_->reads_first_sums) return;  // as if nothing were held
  const TensorShape& output = solver_->tensors.back();
  for (int m = 0; m < solver_->memory_count; ++m) {
    std::int64_t held = elements(output.alone);
    for (const int d : members(irrelevant_dims(output))) held = times(held, unrolled_outside(m, d));
    for (const Window& window : output.windows) {
      std::int64_t points = 1;
      for (int i = 0; i < window.dim_count(); ++i) {
        points = times(points, solver_->size(window.dim(i)));
      }
      const std::int64_t size = window.size(window_extents(window, solver_->sizes));
      held = times(held, std::min(points, times(copies(window, m), size)));
    }
    if (solver_->boxes && !output.windows.empty()) held = kCountLimit;  // Timeloop's own rule
    held_[at(m)] = held;
  }
}

// --- energy -----------------------------------------------------------------

Energy Subproblem::access_energy(std::int64_t words, int memory, std::int64_t each) const {
  const std::int64_t block = solver_->memory(memory).block;
  if (block == 1 || words == 0) return static_cast<Int128>(words) * each;
  // How many instances take part is not known there; all blocks together are whole ones.
  if (!solver_->is_perfect()) return static_cast<Int128>(ceil_div(words, block)) * each;
  const Int128 at_once = static_cast<Int128>(instances(memory)) * block;
  return (words + at_once - 1) / at_once * instances(memory) * each;
}

// An output's words beyond those that were held are partial sums: they are read at the
// parent and return to the child, unless the parent adds in place.
Subproblem::Accesses Subproblem::accesses(const Link& link, const LinkWords& words) const {
  if (!solver_->tensor(link.tensor).output) return {words.served, 0, words.entering};
  if (solver_->memory(link.parent).in_place) return {0, words.served, 0};
  return {std::max<std::int64_t>(0, words.served - words.held_by_parent), words.served,
          std::max<std::int64_t>(0, words.entering - words.held_by_child)};
}

Energy Subproblem::exact(const Link& link, const LinkCounts& counts) const {
  if (solver_->only_stationary) return is_stationary(link) ? counts[kEntering] : 0;
  const bool to_memory = link.child < solver_->memory_count;
  return exact(link, counts, to_memory ? held_[at(link.child)] : 0, held_[at(link.parent)]);
}

Energy Subproblem::exact(const Link& link, const LinkCounts& counts, std::int64_t held_by_child,
                         std::int64_t held_by_parent) const {
  const bool to_memory = link.child < solver_->memory_count;
  const AccessUnits& parent = solver_->memory(link.parent).access[at(link.tensor)];
  const Accesses all =
      accesses(link, {counts[kEntering], counts[kServed], held_by_child, held_by_parent});
  Energy energy = access_energy(all.parent_reads, link.parent, parent.read) +
                  access_energy(all.parent_updates, link.parent, parent.update);
  if (to_memory) {
    const AccessUnits& child = solver_->memory(link.child).access[at(link.tensor)];
    energy += access_energy(all.child_writes, link.child, child.write);
  }
  for (int f = link.first_fanout; charges_words_ && f < link.end_fanout; ++f) {
    energy += static_cast<Int128>(solver_->fanout(f).word) *
              counts[at(kDelivered + f - link.first_fanout)];
  }
  return energy;
}

void Subproblem::fix_compute_links() {
  Energy energy = static_cast<Int128>(solver_->macs) * solver_->mac;
  for (const Link& link : placement_->compute_links) {
    compute_energy_.push_back(
        exact(link, known_compute_counts(link, solver_->memory_count, PerDim{})));
    energy += compute_energy_.back();
    add_compute_load(link, fixed_loads_);
  }
  fixed_energy_ = solver_->scale.table(energy);
}

Units Subproblem::compute_energy(const Link& link) const {
  return energy(link, known_compute_counts(link, solver_->memory_count, PerDim{}));
}

// Unrolling more makes copies, spares reads where they are shared, and lets memories hold
// more of an output.
Units Subproblem::least_energy(const Link& link, const MoreShared& more) const {
  const bool to_memory = link.child < solver_->memory_count;
  LinkCounts counts =
      to_memory ? least_counts(link, /*may_unroll_more=*/true)
                : compute_counts(link, [](const Window&, int) { return std::optional<Extents>{}; });
  for (int kind = 0; !to_memory && kind < count_kinds(link); ++kind) {
    for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
      counts[at(kind)] = ceil_div(counts[at(kind)], more[at(f)]);
    }
  }
  const auto held_by = [&](int memory) {
    std::int64_t held = held_[at(memory)];
    for (int f = 0; f < fanouts_outside(memory); ++f) held = times(held, more[at(f)]);
    return held;
  };
  return solver_->scale.table(
      exact(link, counts, to_memory ? held_by(link.child) : 0, held_by(link.parent)));
}

Units Subproblem::least_energy(const Link& link) const {
  return energy(link, least_counts(link, false));
}

Units Subproblem::least_filling(int memory) const {
  Units filled = 0;  // together, the memories whose filling is known
  Units energy = 0;  // the others, one by one
  for (const Link& link : placement_->links) {
    if (link.child > memory) continue;
    Units& part = link.child <= solver_->filled ? filled : energy;
    part = sum(part, least_energy(link));
  }
  if (memory >= solver_->filled) filled = std::max(filled, solver_->least_filling);
  return sum(filled, energy);
}

Energy Subproblem::leakage(std::int64_t cycles) const {
  Energy energy = 0;
  for (int m = 0; m < solver_->memory_count; ++m) {
    const MemoryShape& memory = solver_->memory(m);
    if (memory.leakage == 0) continue;
    std::int64_t leaking = 1;
    for (int d = 0; d < solver_->dim_count; ++d) leaking *= least_branches_[at(m)][at(d)];
    if (solver_->leak_all) leaking = memory.physical_instances;
    energy += static_cast<Int128>(memory.leakage) * cycles * leaking;
  }
  return energy;
}

}  // namespace tilewright::optimal
