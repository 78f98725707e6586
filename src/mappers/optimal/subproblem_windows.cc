// Words of a link's windows: over all tiles, and where branches share them.
#include <algorithm>
#include <cstdlib>

#include "mappers/optimal/branch_count.h"
#include "mappers/optimal/subproblem.h"
#include "mappers/optimal/tile_groups.h"

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

// The least words over all tiles with extents between `first` and `last`, tried one by one.
template <typename WordsOf>
std::int64_t least_of(const Window& window, const Extents& first, const Extents& last,
                      WordsOf words_of) {
  std::int64_t found = kCountLimit;
  Extents tile = first;
  for (bool more = true; more;) {
    found = std::min(found, words_of(tile));
    more = false;
    for (int i = 0; !more && i < window.dim_count(); ++i) {
      more = ++tile[at(i)] <= last[at(i)];
      if (!more) tile[at(i)] = first[at(i)];
    }
  }
  return found;
}

// Whether tiles grow evenly in both dimensions of a window.
bool grows_evenly(const Window& window) {
  return window.dim_count() == 2 && std::abs(window.signed_coefficient(0)) == 1 &&
         std::abs(window.signed_coefficient(1)) == 1;
}

}  // namespace

// Tiles that have gaps may overlap the more, the further a step goes; so all bounds are tried.
std::int64_t Subproblem::unsettled_window_words(const Link& link, const Window& window, int fanout,
                                                const Extents& inside, const Mover& mover) const {
  std::int64_t least = kCountLimit;
  const std::int64_t first = solver_->unsettled->first[at(mover.dim)];
  const std::int64_t last = solver_->unsettled->last[at(mover.dim)];
  for (std::int64_t each = first; each <= last; ++each) {
    const Mover fewer{mover.dim, ceil_div(mover.bound, each)};
    least = std::min(least, window_words(link, window, 0, fanout, inside, fewer, each));
    if (fewer.bound == 1) break;
  }
  return least;
}

// Inside a fan-out that shares halos, tiles of all instances are side by side: together they are
// one large tile.
std::int64_t Subproblem::window_words(const Link& link, const Window& window, int block, int fanout,
                                      const Extents& inside, const Mover& mover,
                                      std::int64_t further) const {
  const int moving = mover.dim < 0 ? -1 : window.position_of(mover.dim);
  const int outer = fanouts_outside(block);
  std::int64_t apart = 1;
  if (moving >= 0) {
    if (further == 0 && block == 0 && solver_->unsettled) {
      return unsettled_window_words(link, window, fanout, inside, mover);
    }
    apart = unrolled(outer, fanout, mover.dim);
    if (further > 1) apart = times(apart, further);
  }
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
  constexpr std::int64_t kMostKnown = 1024;
  const int outer = fanouts_outside(block);
  Extents first{};
  Extents last{};
  std::int64_t tries = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    const std::int64_t size = solver_->size(window.dim(i));
    const std::int64_t unrolled_here = unrolled(outer, fanout, window.dim(i));
    first[at(i)] = std::min(ceil_div(least[at(i)], unrolled_here), size);
    last[at(i)] = std::min(most[at(i)] / unrolled_here, size);
    if (first[at(i)] > last[at(i)]) return whole;  // no mapping comes here
    tries = times(tries, last[at(i)] - first[at(i)] + 1);
  }
  const int moving = mover.dim < 0 ? -1 : window.position_of(mover.dim);
  const std::int64_t apart = moving < 0 ? 1 : unrolled(outer, fanout, mover.dim);
  const auto words_of = [&](const Extents& tile, int moved) {
    WindowSum sum(window, moved, apart);
    for (int i = 0; i < window.dim_count(); ++i) {
      const std::int64_t size = solver_->size(window.dim(i));
      sum.tiles[at(i)] = i == moved ? some_moved_tiles(size, tile[at(i)], apart, mover.passes)
                                    : tiles_of(size, tile[at(i)]);
    }
    return sum.total();
  };
  if (!solver_->boxes && grows_evenly(window)) {
    const int other = 1 - moving;
    const bool overlaps =  // with the step before
        moving >= 0 && times(apart - 1, first[at(moving)]) < last[at(other)] - 1;
    if (!overlaps) return std::max(whole, words_of(last, -1));
    const std::int64_t size = solver_->size(window.dim(other));
    const std::int64_t tiles = ceil_div(size, last[at(other)]);
    const std::int64_t starts = times(mover.passes - 1, apart) + 1;
    return std::max(whole, times(tiles, solver_->size(mover.dim)) + times(starts, size - tiles));
  }
  const std::array<std::int64_t, 2> sizes{solver_->size(window.dim(0)),
                                          solver_->size(window.dim(1))};
  if (tries <= kMostKnown && WindowTiles::are_few(window, sizes)) {
    return std::max(whole, window_tiles(window, {moving, apart}).least(first, last, mover.passes));
  }
  if (tries > kMostTried) return whole;
  return std::max(whole, least_of(window, first, last,
                                  [&](const Extents& tile) { return words_of(tile, moving); }));
}

WindowTiles& Subproblem::window_tiles(const Window& window,
                                      const WindowTiles::Moving& moving) const {
  for (WindowTiles& tiles : window_tiles_) {
    if (&tiles.window() == &window && tiles.moving() == moving) return tiles;
  }
  const std::array<std::int64_t, 2> sizes{solver_->size(window.dim(0)),
                                          solver_->size(window.dim(1))};
  return window_tiles_.emplace_back(window, sizes, moving);
}

bool Subproblem::is_uneven(const Window& window, int moving_dim) const {
  if (moving_dim < 0 || window.position_of(moving_dim) < 0) return false;
  return solver_->boxes || !grows_evenly(window);
}

UnrolledDims Subproblem::unrolled_dims(const Window& window, int fanout) const {
  const bool perfect = solver_->is_perfect();
  const bool whole = has_whole_tiles(window, fanout);
  UnrolledDims dims;
  for (int i = 0; i < window.dim_count(); ++i) {
    const int d = window.dim(i);
    const std::int64_t size = solver_->size(d);
    const std::int64_t branches = spatial_->unrolled(fanout, d);
    dims[at(i)] = {branches, size, perfect ? size / branches : size, perfect, whole};
    if (perfect) continue;
    dims[at(i)].inside = unrolled(fanout + 1, solver_->fanout_count, d);
    dims[at(i)].beside = unrolled(fanout + 1, end_beside(fanout), d);
  }
  return dims;
}

Subproblem::BranchTiles Subproblem::branch_tiles(const TensorShape& tensor, const Window& window,
                                                 int fanout, bool uneven) const {
  if (!tensor.shares_halos && has_whole_tiles(window, fanout)) return BranchTiles::Whole;
  return uneven ? BranchTiles::Uneven : BranchTiles::Even;
}

// With remainders see docs/optimal.md, "Extents are all that counts". There strides are given where
// every branch takes one element at a time.
Rational Subproblem::different_starts(const Window& window, int fanout, BranchTiles tiles,
                                      const std::optional<Extents>& strides) const {
  BranchCount used;
  for (int i = 0; i < window.dim_count(); ++i) {
    const int dim = window.dim(i);
    used.add(spatial_->unrolled(fanout, dim), solver_->size(dim));
  }
  if (used.product == used.most) return {1, 1};
  if (tiles == BranchTiles::Whole) {
    return share_of_whole_tiles(*solver_, window,
                                [&](int dim) { return spatial_->unrolled(fanout, dim); });
  }
  if (strides) return share_of_starts(window, unrolled_dims(window, fanout), *strides);
  if (solver_->is_perfect() || tiles == BranchTiles::Elements) {
    return least_share_of_starts(window, unrolled_dims(window, fanout));
  }
  return used.different_starts(tiles == BranchTiles::Uneven);
}

Int128 Subproblem::shared_starts(const Window& window, int fanout, BranchTiles tiles, Int128 words,
                                 const std::optional<Extents>& strides) const {
  const Rational part = different_starts(window, fanout, tiles, strides);
  return part.denominator == 1 ? words : part_of(words, part.numerator, part.denominator);
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
    if (f >= outer && solver_->is_perfect()) {
      strides.emplace();
      for (int i = 0; i < window.dim_count(); ++i) {
        (*strides)[at(i)] = inside[at(i)] / unrolled(outer, f + 1, window.dim(i));
      }
    }
    words = static_cast<std::int64_t>(
        shared_starts(window, f, branch_tiles(tensor, window, f, uneven), words, strides));
  }
  return words;
}

int Subproblem::meets_in(const Link& link, int kind, const Window& window, int block) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const bool unknown = solver_->boxes || solver_->unsettled || tensor.shares_halos;
  if (unknown || window.dim_count() != 2) return -1;
  int fanout = -1;
  for (int f = link.first_fanout; f < link.end_fanout; ++f) {
    const bool unrolls =
        spatial_->unrolled(f, window.dim(0)) * spatial_->unrolled(f, window.dim(1)) > 1;
    if (unrolls && fanout >= 0) return -1;
    if (unrolls) fanout = f;
  }
  if (fanout < std::max(shared_from(link, kind), fanouts_outside(block))) return -1;
  return shares(fanout, tensor.output) && unrolls_diagonally(fanout, window) ? fanout : -1;
}

std::int64_t Subproblem::window_shared(const Link& link, int kind, const Window& window, int block,
                                       const Extents& inside, const Mover& mover,
                                       std::int64_t words) const {
  const int fanout = solver_->is_perfect() ? -1 : meets_in(link, kind, window, block);
  if (fanout < 0) {
    return window_shared(link, kind, window, block, inside, is_uneven(window, mover.dim), words);
  }
  TileGroups groups;
  groups.moving = mover.dim < 0 ? -1 : window.position_of(mover.dim);
  groups.bound = mover.bound;
  for (int i = 0; i < 2; ++i) {
    const std::int64_t branches = spatial_->unrolled(fanout, window.dim(i));
    groups.dims[at(i)] = {solver_->size(window.dim(i)), inside[at(i)] / branches, branches};
  }
  return words_of(window, groups);
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
Int128 Subproblem::compute_halo(const Link& link, const Window& window, int fanout,
                                Int128 words) const {
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
  return part_of(words, starts, product);
}

}  // namespace tilewright::optimal
