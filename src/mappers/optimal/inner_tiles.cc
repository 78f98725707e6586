#include "mappers/optimal/inner_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mappers/optimal/fit.h"

namespace tilewright::optimal {
namespace {

using Reuse = InnerTiles::Reuse;

// Extents of which so many leading bits count, without the first one.
std::int64_t end_of_group(std::int64_t extent, int bits) {
  const int power = 63 - __builtin_clzll(static_cast<std::uint64_t>(extent));
  const std::int64_t step = std::int64_t{1} << std::max(0, power - bits);
  return (extent / step + 1) * step - 1;
}

// The extents of a dimension in ranges, those that divide it if they must.
std::vector<ExtentRange> ranges_of(const SolverTables& solver, int dim, std::int64_t most,
                                   int bits) {
  std::vector<ExtentRange> ranges;
  const std::int64_t size = solver.size(dim);
  for (std::int64_t least = 1; least <= most;) {
    ExtentRange range{least, std::min(end_of_group(least, bits), most)};
    least = range.most + 1;
    if (solver.is_perfect()) {
      while (range.least <= range.most && size % range.least != 0) ++range.least;
      while (range.least <= range.most && size % range.most != 0) --range.most;
    }
    if (range.least <= range.most) ranges.push_back(range);
  }
  return ranges;
}

bool is_below(const Reuse& a, const Reuse& b, std::uint32_t tensors) {
  return std::all_of(a.begin(), a.end(), [&](const Int128& each) {
    const auto t = static_cast<int>(&each - a.data());
    return !contains(tensors, t) || each <= b[at(t)];
  });
}

// Takes one up unless another has no less of all tensors, and those out that have no more.
void add(std::vector<Reuse>& all, const Reuse& one, std::uint32_t tensors) {
  const bool is_useless = std::any_of(
      all.begin(), all.end(), [&](const Reuse& other) { return is_below(one, other, tensors); });
  if (is_useless) return;
  std::erase_if(all, [&](const Reuse& other) { return is_below(other, one, tensors); });
  all.push_back(one);
}

// The largest tiles of some tensors, by what they reuse.
class LargestTiles {
 public:
  LargestTiles(const SolverTables& solver, int memory, std::uint32_t kept, std::uint32_t dims)
      : solver_(solver), memory_(memory), kept_(kept), dims_(dims) {
    for (int d = 0; d < solver.dim_count; ++d) most_[at(d)] = contains(dims, d) ? last(d) : 1;
  }

  const PerDim& most() const { return most_; }

  // Nothing if there are too many.
  std::optional<std::vector<Reuse>> list() {
    for (const int bits : {2, 1, 0}) {
      found_.clear();
      tried_ = 0;
      for (const int d : members(dims_)) {
        ranges_[at(d)] = ranges_of(solver_, d, most_[at(d)], bits);
      }
      PerDim least{};
      least.fill(1);
      PerDim most{};
      choose(0, least, most);
      if (tried_ <= kMostTried) return found_;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMostTried = 10'000;

  // What the memory's loops and the fan-outs inside it can have together.
  std::int64_t reachable(int d) const {
    const MemoryShape& memory = solver_.memory(memory_);
    std::int64_t extent = solver_.limits(memory.slot, d).most;
    for (int f = memory.fanouts_outside; f < solver_.fanout_count; ++f) {
      extent = times(extent, times(solver_.fanout(f).size_x, solver_.fanout(f).size_y));
    }
    return std::min(extent, solver_.size(d));
  }

  // The largest extent that fits, if all others are 1.
  std::int64_t last(int d) const {
    PerDim extents{};
    extents.fill(1);
    std::int64_t fits = 0;
    for (std::int64_t too_large = reachable(d) + 1; fits + 1 < too_large;) {
      extents[at(d)] = fits + (too_large - fits) / 2;
      (tile_fits(solver_, memory_, kept_, extents) ? fits : too_large) = extents[at(d)];
    }
    return fits;
  }

  // A loop that moves a window brings at least as many new elements as the tile has extents in
  // its dimension: those beyond the last of the tile before. Any other loop brings no fewer.
  Reuse reuse_of(const PerDim& extents) const {
    Reuse reuse{};
    for (const int t : members(kept_)) {
      const TensorShape& tensor = solver_.tensor(t);
      reuse[at(t)] = 1;
      for (int d = 0; d < solver_.dim_count; ++d) {
        if (!contains(tensor.relevant, d)) reuse[at(t)] = times(reuse[at(t)], extents[at(d)]);
      }
      for (const Window& window : tensor.windows) {
        Int128 all = 1;
        std::int64_t least = extents[at(window.dim(0))];
        for (int i = 0; i < window.dim_count(); ++i) {
          all = times(all, extents[at(window.dim(i))]);
          least = std::min(least, extents[at(window.dim(i))]);
        }
        reuse[at(t)] = times(reuse[at(t)], all / least);
      }
    }
    return reuse;
  }

  // A tile fits if the least of its ranges do; what it reuses is that of the largest. Loops of
  // dimensions that move nothing go innermost.
  void choose(int d, PerDim& least, PerDim& most) {
    if (++tried_ > kMostTried) return;
    for (; d < solver_.dim_count && !contains(dims_, d); ++d) most[at(d)] = solver_.size(d);
    if (d == solver_.dim_count) return add(found_, reuse_of(most), kept_);
    const std::vector<ExtentRange>& ranges = ranges_[at(d)];
    for (std::size_t i = ranges.size(); i-- > 0;) {
      least[at(d)] = ranges[i].least;
      most[at(d)] = ranges[i].most;
      if (!tile_fits(solver_, memory_, kept_, least)) continue;
      choose(d + 1, least, most);
      if ((dims_ >> static_cast<unsigned>(d + 1)) == 0) break;  // smaller ones reuse less
    }
    least[at(d)] = 1;
  }

  const SolverTables& solver_;
  int memory_;
  std::uint32_t kept_, dims_;
  PerDim most_{};
  std::array<std::vector<ExtentRange>, kMaxDims> ranges_;
  std::vector<Reuse> found_;
  int tried_ = 0;
};

}  // namespace

// A memory outside all fan-outs may hold more than tiles.
InnerTiles::InnerTiles(const SolverTables& solver)
    : solver_(solver),
      can_be_known_(solver.uneven == 0 && !solver.has_shared_rooms() &&
                    solver.memories.back().room.bounded &&
                    solver.memories.back().fanouts_outside > 0) {}

const InnerTiles::Tiles& InnerTiles::with(std::uint32_t kept) {
  const auto [known, is_new] = known_.try_emplace(kept);
  if (is_new && can_be_known_ && kept != 0) known->second = list(kept);
  return known->second;
}

InnerTiles::Tiles InnerTiles::list(std::uint32_t kept) const {
  Tiles tiles;
  for (const int t : members(kept)) tiles.dims |= solver_.tensor(t).relevant;
  LargestTiles largest(solver_, memory(), kept, tiles.dims);
  tiles.most = largest.most();
  const std::optional<std::vector<Reuse>> all = largest.list();
  tiles.fit = !all || !all->empty();
  tiles.are_known = all && tiles.fit;
  if (!tiles.are_known) return tiles;
  for (const int d : members(tiles.dims)) {
    std::uint32_t moved = 0;
    for (const int t : members(kept)) {
      if (contains(solver_.tensor(t).relevant, d)) moved |= 1U << t;
    }
    const auto known = std::find_if(tiles.next.begin(), tiles.next.end(),
                                    [&](const NextLoop& next) { return next.moved == moved; });
    if (known != tiles.next.end()) {
      known->dims |= 1U << d;
      continue;
    }
    tiles.next.push_back({1U << d, moved, {}});
    for (const Reuse& reuse : *all) add(tiles.next.back().reuse, reuse, moved);
  }
  return tiles;
}

}  // namespace tilewright::optimal
