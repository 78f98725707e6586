#include "mappers/optimal/window_reuse.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright::optimal {
namespace {

constexpr int kUnmoved = 2;  // its place among the tables

// Every loop brings one element at least for each index of the shortest extent: those beyond the
// last one of the tile before. So it is whatever the coefficients are.
Int128 most_of_any(const Window& window, const Extents& tile) {
  Int128 all = kReuseParts;
  std::int64_t least = tile[0];
  for (int i = 0; i < window.dim_count(); ++i) {
    all *= tile[at(i)];
    least = std::min(least, tile[at(i)]);
  }
  return ceil_div(all, least);
}

}  // namespace

WindowReuse::WindowReuse(const Window& window, const PerDim& most)
    : window_(&window), most_(window_extents(window, most)) {
  if (!are_few()) return;
  for (int moving = 0; moving < 2; ++moving) known_[at(moving)] = find(moving);
  known_[kUnmoved] = find(-1);
}

// All pairs of a tile and one before it are looked at.
bool WindowReuse::are_few() const {
  constexpr std::int64_t kMostOfDim = 1 << 10;
  constexpr std::int64_t kMost = 1 << 21;
  if (window_->dim_count() != 2 || window_->is_unit_pair()) return false;
  return std::max(most_[0], most_[1]) <= kMostOfDim &&
         most_[0] * most_[1] * (most_[0] + most_[1]) <= kMost;
}

Int128 WindowReuse::of(const PerDim& extents, int moving_dim) const {
  const Extents tile = window_extents(*window_, extents);
  const int moving = window_->position_of(moving_dim);
  const Table& known = known_[at(moving < 0 ? kUnmoved : moving)];
  if (!known.empty()) return known[place(tile)];
  if (!window_->is_unit_pair()) return most_of_any(*window_, tile);
  // Tiles are intervals, and a step brings one element for each index that the tile has there.
  if (moving >= 0) return static_cast<Int128>(tile[at(1 - moving)]) * kReuseParts;
  const Int128 all = static_cast<Int128>(tile[0]) * tile[1] * kReuseParts;
  return ceil_div<Int128>(all, window_->size(tile));
}

// A tile with gaps may overlap the more with one before it, the further away that is; unrolling
// takes tiles further. Beyond the last element of the tile before all are new.
std::int64_t WindowReuse::least_new(const Extents& tile, int moving,
                                    std::int64_t extent_before) const {
  const int other = 1 - moving;
  const std::int64_t along = std::abs(window_->signed_coefficient(moving));
  const std::int64_t across = std::abs(window_->signed_coefficient(other));
  const std::int64_t last = along * (extent_before - 1) + across * (tile[at(other)] - 1);
  std::int64_t least = window_->size(tile);
  for (std::int64_t step = extent_before; along * step <= last; step += extent_before) {
    least = std::min(least, window_->new_elements(tile, moving, extent_before, step));
  }
  return least;
}

WindowReuse::Table WindowReuse::find(int moving) const {
  Table most(static_cast<std::size_t>(most_[0] * most_[1]), kReuseParts);
  Extents tile{};
  for (tile[0] = 1; tile[0] <= most_[0]; ++tile[0]) {
    for (tile[1] = 1; tile[1] <= most_[1]; ++tile[1]) {
      std::int64_t& here = most[place(tile)];
      for (int i = 0; i < 2; ++i) {
        Extents smaller = tile;
        if (--smaller[at(i)] > 0) here = std::max(here, most[place(smaller)]);
      }
      // The last tile of the moving dimension may be cut short, the one before it is whole.
      Extents cut = tile;
      for (std::int64_t& extent = cut[at(std::max(moving, 0))]; extent > 0; --extent) {
        const std::int64_t brought =
            moving < 0 ? window_->size(cut) : least_new(cut, moving, tile[at(moving)]);
        here = std::max(here, ceil_div(cut[0] * cut[1] * kReuseParts, brought));
        if (moving < 0) break;  // smaller ones were looked at
      }
    }
  }
  return most;
}

}  // namespace tilewright::optimal
