#include "tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilewright::flexibility {

namespace {

// Two-sided 95 % of a normal distribution.
constexpr double kDeviations = 1.959963984540054;

// Wilson's score interval: right even where no sample fits, or every one.
Interval wilson(std::int64_t hits, std::int64_t samples) {
  const auto n = static_cast<double>(samples);
  const double p = static_cast<double>(hits) / n;
  const double z2 = kDeviations * kDeviations;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kDeviations / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {hits == 0 ? 0 : centre - half, hits == samples ? 1 : centre + half};
}

bool is_cancelled(const FlexionOptions& options) {
  return options.cancelled != nullptr && options.cancelled->load(std::memory_order_relaxed);
}

bool has(std::uint32_t bits, std::size_t dim) { return ((bits >> dim) & 1U) != 0; }

}  // namespace

Checked<Tiles> Tiles::create(const Workload& workload, const ConvView& view, bool boxes,
                             std::vector<Share> shares) {
  if (multiply_accumulates(workload) > kCountLimit) {
    return {std::nullopt, {{{}, "there are more than 2^60 tiles, too many to count", ""}}};
  }
  Tiles tiles;
  std::uint32_t in_windows = 0;
  for (const Tensor& tensor : workload.tensors) {
    auto parts = split_tensor(workload, tensor, boxes);
    if (!parts) {
      return {std::nullopt,
              {{{},
                fmt::format("the elements of {} in a tile cannot be counted: its indices share "
                            "dimensions",
                            tensor.name),
                ""}}};
    }
    for (const Window& window : parts->windows) in_windows |= window.dim_bits();
    tiles.parts_.push_back(std::move(*parts));
  }
  tiles.shares_ = std::move(shares);
  tiles.sizes_.fill(1);
  for (const ConvDim loop : kAllConvDims) {
    for (const DimId dim : view.dims(loop)) {
      const auto at = static_cast<std::size_t>(index_of(dim));
      tiles.sizes_[at] = workload.dim(dim).size;
      tiles.all_ *= workload.dim(dim).size;
      if (workload.dim(dim).size > 1) tiles.dims_.push_back(at);
    }
  }
  // Windows first, the largest of the others last: it is solved for.
  std::stable_sort(tiles.dims_.begin(), tiles.dims_.end(), [&](std::size_t a, std::size_t b) {
    if (has(in_windows, a) != has(in_windows, b)) return has(in_windows, a);
    return tiles.sizes_[a] < tiles.sizes_[b];
  });
  tiles.last_alone_ = !tiles.dims_.empty() && !has(in_windows, tiles.dims_.back());
  return {std::move(tiles), {}};
}

bool Tiles::fits(const Tile& tile) const {
  return std::all_of(shares_.begin(), shares_.end(), [&](const Share& share) {
    Int128 taken = 0;
    for (const Share::Held& held : share.held) {
      taken += wide_product(parts_[at(held.tensor)].words<Int128>(tile), held.element);
    }
    return taken <= share.amount;
  });
}

std::int64_t Tiles::largest_fit(const Tile& tile, std::size_t dim) const {
  std::int64_t largest = sizes_[dim];
  for (const Share& share : shares_) {
    Int128 rest = share.amount;
    Int128 each = 0;  // that one step of the dimension takes
    for (const Share::Held& held : share.held) {
      const TensorParts& parts = parts_[at(held.tensor)];
      const Int128 taken = wide_product(parts.words<Int128>(tile), held.element);
      has(parts.alone, dim) ? each += taken : rest -= taken;
    }
    if (each == 0) continue;
    // Since the tile fits, both are at most the amount.
    largest = std::min(largest, static_cast<std::int64_t>(rest) / static_cast<std::int64_t>(each));
  }
  return largest;
}

// Tries extents dimension by dimension. A tile with larger extents never takes
// less, which ends a dimension at the first extent that cannot fit, and what fits
// with all larger ones as well need not be looked at.
class Counter {
 public:
  Counter(const Tiles& tiles, const FlexionOptions& options) : tiles_(tiles), options_(options) {
    tile_.fill(1);
  }

  std::optional<std::int64_t> run() {
    const std::int64_t count = tiles_.fits(tile_) ? count_from(0) : 0;
    if (stopped_) return std::nullopt;
    return count;
  }

 private:
  // Tiles whose first extents are those of tile_, which has 1 in the others and
  // fits.
  std::int64_t count_from(std::size_t depth) {
    if (depth == tiles_.dims_.size()) return 1;
    if (is_over()) return 0;
    const std::size_t dim = tiles_.dims_[depth];
    const bool last = depth + 1 == tiles_.dims_.size();
    if (last && tiles_.last_alone_) return tiles_.largest_fit(tile_, dim);
    if (const auto all = all_from(depth)) return *all;
    std::int64_t count = 0;
    for (std::int64_t extent = 1; extent <= tiles_.sizes_[dim] && !stopped_; ++extent) {
      tile_[dim] = extent;
      if (!tiles_.fits(tile_)) break;
      count += count_from(depth + 1);
    }
    tile_[dim] = 1;
    return count;
  }

  // All of them, if the largest fits.
  std::optional<std::int64_t> all_from(std::size_t depth) const {
    Tiles::Tile largest = tile_;
    std::int64_t count = 1;
    for (std::size_t i = depth; i < tiles_.dims_.size(); ++i) {
      const std::size_t dim = tiles_.dims_[i];
      largest[dim] = tiles_.sizes_[dim];
      count *= tiles_.sizes_[dim];
    }
    if (!tiles_.fits(largest)) return std::nullopt;
    return count;
  }

  bool is_over() {
    constexpr std::int64_t kLookEvery = 4096;
    const bool cancelled = steps_ % kLookEvery == 0 && is_cancelled(options_);
    stopped_ = stopped_ || cancelled || ++steps_ > options_.steps;
    return stopped_;
  }

  const Tiles& tiles_;
  const FlexionOptions& options_;
  Tiles::Tile tile_{};
  std::int64_t steps_ = 0;
  bool stopped_ = false;
};

std::optional<std::int64_t> Tiles::count_exactly(const FlexionOptions& options) const {
  return Counter(*this, options).run();
}

std::optional<TileShare> Tiles::estimate(const FlexionOptions& options) const {
  Rng rng(options.seed, options.stream);
  Tile tile{};
  tile.fill(1);
  std::int64_t hits = 0;
  for (std::int64_t i = 0; i < options.samples; ++i) {
    constexpr std::int64_t kLookEvery = 4096;
    if (i % kLookEvery == 0 && is_cancelled(options)) return std::nullopt;
    for (const std::size_t dim : dims_) {
      tile[dim] = 1 + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(sizes_[dim])));
    }
    hits += fits(tile) ? 1 : 0;
  }
  BigUint count = static_cast<std::uint64_t>(all_);
  const auto samples = static_cast<std::uint64_t>(options.samples);
  count *= static_cast<std::uint64_t>(hits);
  count += samples / 2;
  count.divide(samples);
  return TileShare{count, wilson(hits, options.samples)};
}

std::optional<TileShare> Tiles::count_fitting(const FlexionOptions& options) const {
  const auto exact = count_exactly(options);
  if (exact) return TileShare{static_cast<std::uint64_t>(*exact), std::nullopt};
  return estimate(options);
}

}  // namespace tilewright::flexibility
