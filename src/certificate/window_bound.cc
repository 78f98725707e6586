#include "certificate/window_bound.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tilewright::certificate {

namespace {

// So many combinations of extents are tried; beyond that every element is
// taken to be moved once.
constexpr std::size_t kMostTried = 4096;

std::int64_t scaled(std::int64_t words, Int128 by, Int128 over) {
  return narrow((times(words, by) + over - 1) / over);
}

}  // namespace

WindowBound::WindowBound(const Context& context, const LinkPlace& link, const Window& window,
                         int block, std::vector<int> sharing, std::vector<int> between)
    : context_(&context),
      link_(link),
      window_(&window),
      block_(block),
      sharing_(std::move(sharing)),
      between_(std::move(between)),
      to_compute_(link.child == context.memories()),
      known_(window.dims().size() + 1) {
  const int end = between_end();
  halo_ = near_halo_ = end;
  for (const int f : sharing_) {
    if (!context.shares_halos(f, link.tensor)) continue;
    halo_ = std::min(halo_, f);
    if (context.place(f) > block) near_halo_ = std::min(near_halo_, f);
  }
  for (const int d : window.dims()) {
    WindowDim one{d, context.size(d), context.unrolled(d, block, link.child)};
    for (int f = near_halo_; f < end; ++f) one.together *= context.unrolling().factor(f, d);
    one.inside /= one.together;
    dims_.push_back(one);
  }
}

// Tiles hold every element together, though not the holes of the whole box.
std::int64_t WindowBound::whole() const {
  Extents sizes;
  Count points = 1;
  for (const WindowDim& one : dims_) {
    sizes.push_back(one.size);
    points *= one.size;
  }
  return to_compute_ ? narrow(points) : window_->distinct(sizes);
}

// To a memory every element goes at least once, however it is shared.
std::int64_t WindowBound::least() const { return to_compute_ ? shared(whole(), nullptr) : whole(); }

std::int64_t WindowBound::words(const int* extents, int moved, int to) {
  const int position = moved < 0 ? -1 : window_->index_of_dim(moved);
  std::vector<std::int64_t>& known = known_[at(position + 1)];
  std::size_t place = 0;
  std::size_t volume = 1;
  for (const WindowDim& one : dims_) {
    const std::size_t classes = context_->chain(one.dim).classes.size();
    place = place * classes + at(extents[one.dim]);
    volume *= classes;
  }
  if (position >= 0) {
    const std::size_t classes = context_->chain(moved).classes.size();
    place = place * classes + at(to);
    volume *= classes;
  }
  if (known.empty()) known.assign(volume, -1);
  std::int64_t& words = known[place];
  if (words < 0) words = shared(entering(extents, position, to), extents, position);
  return words;
}

std::vector<std::int64_t> WindowBound::child_extents(const WindowDim& one, int extents) const {
  const ExtentClass& inside = context_->chain(one.dim).classes[at(extents)];
  std::vector<std::int64_t> found;
  const std::int64_t step = one.inside * one.together;
  for (std::int64_t n = ceil_div(inside.least, step); n * step <= inside.most; ++n) {
    found.push_back(n * one.together);
    if (found.size() > kMostTried) break;
  }
  return found;
}

std::int64_t WindowBound::entering(const int* extents, int moved, int to) const {
  if (to_compute_) return whole();
  std::vector<std::vector<std::int64_t>> choices;
  std::size_t tries = 1;
  for (const WindowDim& one : dims_) {
    choices.push_back(child_extents(one, extents[one.dim]));
    if (choices.back().empty()) return 0;  // no mapping comes here
    tries *= choices.back().size();
    if (tries > kMostTried) return whole();
  }
  std::int64_t least = kCountLimit;
  for (std::size_t number = 0; number < tries; ++number) {
    Extents child;
    std::size_t rest = number;
    for (const auto& choice : choices) {
      child.push_back(choice[rest % choice.size()]);
      rest /= choice.size();
    }
    least = std::min(least, sum(child, moved, to));
  }
  return least;
}

WindowBound::Tiles WindowBound::tiles_of(const WindowDim& one, std::int64_t child) const {
  const std::int64_t tiles = ceil_div(one.size, child);
  return {tiles - 1, 0, 1, 0, one.size - (tiles - 1) * child};
}

WindowBound::Tiles WindowBound::moved_tiles(const WindowDim& one, std::int64_t child,
                                            const ExtentClass& outer) const {
  const std::int64_t tiles = ceil_div(one.size, child);
  if (!context_->chain(one.dim).exact) {
    // Each pass outside has a start for each branch, the last pass for one at
    // least. The last tile may be small: it is left out.
    const std::int64_t starts = narrow(Count(outer.left - 1) * one.inside);
    return {starts, std::max<std::int64_t>(0, tiles - 1 - starts), 0, 0, 1};
  }
  const std::int64_t period = std::max(outer.least / child, one.inside);
  const std::int64_t starts = tiles / period * one.inside + std::min(tiles % period, one.inside);
  const bool last_starts = (tiles - 1) % period < one.inside;
  return {starts - (last_starts ? 1 : 0), tiles - starts - (last_starts ? 0 : 1),
          last_starts ? 1 : 0, last_starts ? 0 : 1, one.size - (tiles - 1) * child};
}

std::int64_t WindowBound::sum(const Extents& child, int moved, int to) const {
  std::vector<Tiles> tiles;
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    const bool moves = static_cast<int>(i) == moved;
    tiles.push_back(
        moves ? moved_tiles(dims_[i], child[i], context_->chain(dims_[i].dim).classes[at(to)])
              : tiles_of(dims_[i], child[i]));
  }
  Count total = 0;
  // One bit per dimension: full tiles or the last one.
  for (std::uint32_t last = 0; last < 1U << dims_.size(); ++last) {
    Extents tile;
    Count starts = 1;
    Count further = moved < 0 ? 0 : 1;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      const bool is_last = contains(last, static_cast<int>(i));
      const bool moves = static_cast<int>(i) == moved;
      tile.push_back(is_last ? tiles[i].last : child[i]);
      const std::int64_t starting = is_last ? tiles[i].last_starts : tiles[i].full_starts;
      starts *= starting;
      further *= !moves ? starting : is_last ? tiles[i].last_further : tiles[i].full_further;
    }
    if (starts > 0) total += starts * window_->size(tile);
    if (further > 0) {
      const auto j = at(moved);
      const bool all = last == 0 && near_halo_ < between_end();
      total += further * (all ? fresh_together(child, moved)
                              : window_->fresh(tile, moved, child[j],
                                               narrow(Count(child[j]) * dims_[j].inside)));
    }
  }
  return narrow(total);
}

// What instances that share halos load together at a further step, each what its own tile lacks.
std::int64_t WindowBound::fresh_together(const Extents& child, int moved) const {
  Extents tile;
  for (std::size_t i = 0; i < dims_.size(); ++i) tile.push_back(child[i] / dims_[i].together);
  const auto j = at(moved);
  const std::vector<std::int64_t> fresh =
      window_->fresh_elements(tile, moved, tile[j], narrow(Count(child[j]) * dims_[j].inside));
  std::set<std::int64_t> seen;
  Extents start(dims_.size(), 0);
  const auto visit = [&](const auto& self, std::size_t i) -> void {
    if (i == dims_.size()) {
      const std::int64_t origin = window_->origin(start).front();
      for (const std::int64_t element : fresh) seen.insert(origin + element);
      return;
    }
    for (start[i] = 0; start[i] < child[i]; start[i] += tile[i]) self(self, i + 1);
  };
  visit(visit, 0);
  return static_cast<std::int64_t>(seen.size());
}

// To the multipliers: instances with no loops between them take one tile together; of others at
// least one more starts at a different place for every step in any dimension; with remainders
// those of one dimension are different. To memories: as long as loops between the instances are
// not known, no more than one has of them.
std::int64_t WindowBound::shared_halos(std::int64_t words) const {
  const int end = to_compute_ ? between_end() : near_halo_;
  Count all = 1;
  std::int64_t most = 1;
  std::int64_t starts = 1;
  Extents tile;
  for (const WindowDim& one : dims_) {
    Count copies = 1;
    for (int f = halo_; f < end; ++f) {
      copies *= context_->unrolling().factor(f, one.dim);
      starts += context_->unrolling().factor(f, one.dim) - 1;
    }
    all *= copies;
    most = std::max(most, narrow(copies));
    tile.push_back(narrow(copies));
  }
  if (!to_compute_) return scaled(words, 1, narrow(all));
  if (!context_->is_perfect()) return scaled(words, most, narrow(all));
  const bool side_by_side = context_->place(halo_) == context_->memories();
  return scaled(words, side_by_side ? window_->size(tile) : starts, narrow(all));
}

bool WindowBound::is_unrolled_inside(int fanout) const {
  for (const int f : between_) {
    for (const WindowDim& one : dims_) {
      if (f > fanout && context_->unrolling().factor(f, one.dim) > 1) return true;
    }
  }
  return false;
}

bool WindowBound::grows_evenly() const {
  return std::all_of(dims_.begin(), dims_.end(),
                     [&](const WindowDim& one) { return window_->grows_evenly(one.dim); });
}

BranchDims WindowBound::branches(int fanout) const {
  BranchDims branches;
  for (const WindowDim& one : dims_) {
    const std::int64_t factor = context_->unrolling().factor(fanout, one.dim);
    branches.push_back({factor, one.size, one.size / factor});
  }
  return branches;
}

// How far apart branches can be: as far as tiles of the child, those of the memory just inside the
// fan-out where elements go past it to the multipliers, or single elements where there is none.
std::vector<std::int64_t> WindowBound::strides_of(const WindowDim& one, int fanout,
                                                  const int* extents) const {
  constexpr std::int64_t kMostTiles = 16;
  const ExtentClass& here = context_->chain(one.dim).classes[at(extents[one.dim])];
  const bool to_memory = !to_compute_;
  Count inside = 1;
  for (const int f : between_) {
    const bool counts = f > fanout && (to_memory || context_->place(f) == context_->place(fanout));
    if (counts) inside *= context_->unrolling().factor(f, one.dim);
  }
  if (to_memory) return {narrow(inside * (here.least / (one.inside * one.together)))};
  if (context_->place(fanout) == context_->memories()) return {narrow(inside)};
  if (here.most - here.least >= kMostTiles) return {};
  std::vector<std::int64_t> strides;
  for (std::int64_t tile = here.least; tile <= here.most; ++tile) {
    strides.push_back(narrow(inside * tile));
  }
  return strides;
}

std::vector<Extents> WindowBound::strides_of(int fanout, const int* extents) const {
  constexpr std::size_t kMostStrides = 64;
  const int place = context_->place(fanout);
  const bool known = place == context_->memories() || place == block_ + 1;
  if (extents == nullptr || (to_compute_ ? !known : place <= block_)) return {};
  std::vector<Extents> all = {{}};
  for (const WindowDim& one : dims_) {
    std::vector<Extents> longer;
    for (const std::int64_t stride : strides_of(one, fanout, extents)) {
      for (Extents strides : all) {
        strides.push_back(stride);
        longer.push_back(std::move(strides));
      }
    }
    if (longer.size() > kMostStrides) return {};
    all = std::move(longer);
  }
  return all;
}

Starts WindowBound::fewest_starts(int fanout, const int* extents) const {
  const BranchDims all = branches(fanout);
  std::optional<Starts> fewest;
  for (const Extents& strides : strides_of(fanout, extents)) {
    const Starts starts = starts_with(*window_, all, strides);
    if (!fewest || starts.is_less_than(*fewest)) fewest = starts;
  }
  return fewest ? *fewest : least_starts(*window_, all, context_->is_perfect());
}

// With remainders tiles differ in size, and branches may have nothing; single elements are all
// alike. Of two dimensions a row of branches that goes on by one in either starts at different
// places, and the last one has the smallest tile. Otherwise no more than all / most can meet.
std::int64_t WindowBound::shared_at(int fanout, std::int64_t words, const int* extents,
                                    int moved) const {
  std::int64_t most = 1;
  std::int64_t sums = 1;  // of different branches, at least
  Count all = 1;
  int unrolled = 0;
  for (const WindowDim& one : dims_) {
    const std::int64_t factor = context_->unrolling().factor(fanout, one.dim);
    most = std::max(most, factor);
    sums += factor - 1;
    all *= factor;
    unrolled += factor > 1 ? 1 : 0;
  }
  if (unrolled < 2) return words;  // branches differ in one dimension: none are alike
  const bool halos = halo_ < between_end();
  const bool single = to_compute_ && !halos && !is_unrolled_inside(fanout);
  if (context_->is_perfect() || single) {
    const Starts starts = fewest_starts(fanout, extents);
    return scaled(words, starts.different, starts.all);
  }
  const bool evenly = !halos && unrolled == 2 && (moved < 0 || grows_evenly());
  return evenly ? scaled(words, sums - 1, all - 1) : scaled(words, most, all);
}

std::int64_t WindowBound::shared(std::int64_t words, const int* extents, int moved) const {
  if (halo_ < between_end()) words = shared_halos(words);
  for (const int f : sharing_) {
    if (f < halo_) words = shared_at(f, words, extents, moved);
  }
  return words;
}

}  // namespace tilewright::certificate
