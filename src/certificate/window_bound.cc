#include "certificate/window_bound.h"

#include <algorithm>
#include <set>

namespace tilewright::certificate {

namespace {

// So many combinations of extents are tried; beyond that every element is
// taken to be moved once.
constexpr std::size_t kMostTried = 4096;

std::int64_t scaled(std::int64_t words, std::int64_t by, std::int64_t over) {
  return static_cast<std::int64_t>((static_cast<Int128>(words) * by + over - 1) / over);
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
  for (const int d : window.dims()) {
    axes_.push_back({d, context.size(d), context.unrolled(d, block, link.child)});
  }
}

// Tiles hold every element together, though not the holes of the whole box.
std::int64_t WindowBound::whole() const {
  Extents sizes;
  Count points = 1;
  for (const Axis& axis : axes_) {
    sizes.push_back(axis.size);
    points *= axis.size;
  }
  return to_compute_ ? std::int64_t{points} : window_->distinct(sizes);
}

std::int64_t WindowBound::least() const { return shared(whole(), nullptr); }

std::int64_t WindowBound::words(const int* extents, int moved, int to) {
  const int position = moved < 0 ? -1 : window_->index_of_dim(moved);
  std::vector<std::int64_t>& known = known_[at(position + 1)];
  std::size_t place = 0;
  std::size_t volume = 1;
  for (const Axis& axis : axes_) {
    const std::size_t classes = context_->chain(axis.dim).classes.size();
    place = place * classes + at(extents[axis.dim]);
    volume *= classes;
  }
  if (position >= 0) {
    const std::size_t classes = context_->chain(moved).classes.size();
    place = place * classes + at(to);
    volume *= classes;
  }
  if (known.empty()) known.assign(volume, -1);
  std::int64_t& words = known[place];
  if (words < 0) words = shared(entering(extents, position, to), extents);
  return words;
}

std::vector<std::int64_t> WindowBound::child_extents(const Axis& axis, int extents) const {
  const ExtentClass& one = context_->chain(axis.dim).classes[at(extents)];
  std::vector<std::int64_t> found;
  for (std::int64_t e = ceil_div(one.least, axis.inside); e * axis.inside <= one.most; ++e) {
    found.push_back(e);
    if (found.size() > kMostTried) break;
  }
  return found;
}

std::int64_t WindowBound::entering(const int* extents, int moved, int to) const {
  if (to_compute_) return whole();
  std::vector<std::vector<std::int64_t>> choices;
  std::size_t tries = 1;
  for (const Axis& axis : axes_) {
    choices.push_back(child_extents(axis, extents[axis.dim]));
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

WindowBound::Tiles WindowBound::tiles_of(const Axis& axis, std::int64_t child) const {
  const std::int64_t tiles = ceil_div(axis.size, child);
  return {tiles - 1, 0, 1, 0, axis.size - (tiles - 1) * child};
}

WindowBound::Tiles WindowBound::moved_tiles(const Axis& axis, std::int64_t child,
                                            const ExtentClass& outer) const {
  const std::int64_t tiles = ceil_div(axis.size, child);
  if (!context_->chain(axis.dim).exact) {
    // Each pass outside has a start for each branch, the last pass for one at
    // least. The last tile may be small: it is left out.
    const std::int64_t starts = Count(outer.left - 1) * axis.inside;
    return {starts, std::max<std::int64_t>(0, tiles - 1 - starts), 0, 0, 1};
  }
  const std::int64_t period = std::max(outer.least / child, axis.inside);
  const std::int64_t starts = tiles / period * axis.inside + std::min(tiles % period, axis.inside);
  const bool last_starts = (tiles - 1) % period < axis.inside;
  return {starts - (last_starts ? 1 : 0), tiles - starts - (last_starts ? 0 : 1),
          last_starts ? 1 : 0, last_starts ? 0 : 1, axis.size - (tiles - 1) * child};
}

std::int64_t WindowBound::sum(const Extents& child, int moved, int to) const {
  std::vector<Tiles> tiles;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const bool moves = static_cast<int>(i) == moved;
    tiles.push_back(
        moves ? moved_tiles(axes_[i], child[i], context_->chain(axes_[i].dim).classes[at(to)])
              : tiles_of(axes_[i], child[i]));
  }
  Count total = 0;
  // One bit per dimension: full tiles or the last one.
  for (std::size_t last = 0; last < std::size_t{1} << axes_.size(); ++last) {
    Extents tile;
    Count starts = 1;
    Count further = moved < 0 ? 0 : 1;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool is_last = ((last >> i) & 1U) != 0;
      const bool moves = static_cast<int>(i) == moved;
      tile.push_back(is_last ? tiles[i].last : child[i]);
      const std::int64_t starting = is_last ? tiles[i].last_starts : tiles[i].full_starts;
      starts *= starting;
      further *= !moves ? starting : is_last ? tiles[i].last_further : tiles[i].full_further;
    }
    if (starts > 0) total += starts * window_->size(tile);
    if (further > 0) {
      const auto j = at(moved);
      total += further * window_->fresh(tile, moved, child[j], Count(child[j]) * axes_[j].inside);
    }
  }
  return total;
}

// The branches of a fan-out that begin at different elements: at least one more
// for every step in any dimension (sums of sets of whole numbers), and exactly
// so many where the extents inside the fan-out are known.
std::int64_t WindowBound::different_starts(int fanout, const int* extents) const {
  std::int64_t least = 1;
  for (const Axis& axis : axes_) least += context_->unrolling().factor(fanout, axis.dim) - 1;
  if (extents == nullptr || context_->place(fanout) <= block_) return least;
  Extents stride;
  std::vector<std::int64_t> factors;
  for (const Axis& axis : axes_) {
    Count step = to_compute_
                     ? 1
                     : context_->chain(axis.dim).classes[at(extents[axis.dim])].least / axis.inside;
    for (const int f : between_) {
      if (f > fanout) step *= context_->unrolling().factor(f, axis.dim);
    }
    stride.push_back(step);
    factors.push_back(context_->unrolling().factor(fanout, axis.dim));
  }
  std::set<std::vector<std::int64_t>> seen;
  Extents start(axes_.size(), 0);
  const auto visit = [&](const auto& self, std::size_t i) -> void {
    if (i == axes_.size()) {
      seen.insert(window_->origin(start));
      return;
    }
    for (std::int64_t digit = 0; digit < factors[i]; ++digit) {
      start[i] = Count(digit) * stride[i];
      self(self, i + 1);
    }
  };
  visit(visit, 0);
  return static_cast<std::int64_t>(seen.size());
}

std::int64_t WindowBound::shared(std::int64_t words, const int* extents) const {
  for (const int f : sharing_) {
    Count all = 1;
    std::int64_t most = 1;
    for (const Axis& axis : axes_) {
      const std::int64_t factor = context_->unrolling().factor(f, axis.dim);
      all *= factor;
      most = std::max(most, factor);
    }
    if (all == most) continue;  // branches differ in one dimension: none are alike
    // With remainders tiles differ in size; no more than all / most can meet.
    words = context_->is_perfect() ? scaled(words, different_starts(f, extents), all)
                                   : scaled(words, most, all);
  }
  return words;
}

}  // namespace tilewright::certificate
