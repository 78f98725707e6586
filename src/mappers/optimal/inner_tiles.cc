#include "mappers/optimal/inner_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mappers/optimal/fit.h"

namespace tilewright::optimal {
namespace {

using NextLoop = InnerTiles::NextLoop;
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
  for (const int t : members(tensors)) {
    if (a[at(t)] > b[at(t)]) return false;
  }
  return true;
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
  LargestTiles(const SolverTables& solver, int memory, std::uint32_t kept, std::uint32_t dims,
               const PerDim& least_tiles)
      : solver_(solver),
        memory_(memory),
        kept_(kept),
        dims_(dims),
        least_tiles_(least_tiles),
        fitting_(solver, memory, kept) {
    for (int d = 0; d < solver.dim_count; ++d) most_[at(d)] = contains(dims, d) ? last(d) : 1;
  }

  const PerDim& most() const { return most_; }
  std::uint64_t steps() const { return steps_; }
  // Whether any fit, once they were listed.
  bool fit() const { return fit_; }

  // Not even the smallest one fits.
  bool is_empty() const {
    return std::find(most_.begin(), most_.begin() + solver_.dim_count, 0) !=
           most_.begin() + solver_.dim_count;
  }

  // Fills in what they reuse with each of these loops next; false if there are too many.
  bool list(const InnerTiles::WindowReuses& windows, std::vector<NextLoop>& next) {
    windows_ = &windows;
    next_ = &next;
    for (const int bits : {2, 1, 0}) {
      for (NextLoop& loop : next) loop.reuse.clear();
      tried_ = 0;
      for (const int d : members(dims_)) {
        ranges_[at(d)] = ranges_of(solver_, d, most_[at(d)], bits);
      }
      PerDim least{};
      least.fill(1);
      PerDim most{};
      choose(0, least, most);
      steps_ += static_cast<std::uint64_t>(tried_) * kStepsOfTile;
      if (tried_ <= kMostTried) return true;
    }
    return false;
  }

 private:
  static constexpr int kMostTried = 10'000;
  static constexpr std::uint64_t kStepsOfTile = 4;  // of relaxations, which take as long

  // What the memory's loops and the fan-outs inside it can have together.
  std::int64_t reachable(int d) const {
    const MemoryShape& memory = solver_.memory(memory_);
    std::int64_t extent = solver_.limits(memory.slot, d).most;
    for (int f = memory.fanouts_outside; f < solver_.fanout_count; ++f) {
      extent = times(extent, times(solver_.fanout(f).size_x, solver_.fanout(f).size_y));
    }
    const std::int64_t tiles = least_tiles_[at(d)];
    const std::int64_t most =
        tiles > 1 ? ceil_div(solver_.size(d), tiles - 1) - 1 : solver_.size(d);
    return std::min(extent, most);
  }

  // Indices of a tile on average. All tiles together have each once, and the last one may be small.
  Int128 mean_extent(int d, std::int64_t extent) const {
    const std::int64_t tiles = std::max(least_tiles_[at(d)], ceil_div(solver_.size(d), extent));
    return ceil_div(static_cast<Int128>(solver_.size(d)) * kReuseParts, tiles);
  }

  // The largest extent that fits, if all others are 1.
  std::int64_t last(int d) const {
    PerDim extents{};
    extents.fill(1);
    std::int64_t fits = 0;
    for (std::int64_t too_large = reachable(d) + 1; fits + 1 < too_large;) {
      extents[at(d)] = fits + (too_large - fits) / 2;
      (fitting_.check(extents).fits() ? fits : too_large) = extents[at(d)];
    }
    return fits;
  }

  // By the dimensions that a tensor does not have.
  Int128 steps_of_each(const TensorShape& tensor, const PerDim& extents) const {
    Int128 steps = kReuseParts;
    for (int d = 0; d < solver_.dim_count; ++d) {
      if (contains(tensor.relevant, d)) continue;
      steps = ceil_div(times(steps, mean_extent(d, extents[at(d)])), kReuseParts);
    }
    return steps;
  }

  void add_tiles(const PerDim& extents) {
    fit_ = true;
    Reuse each{};
    for (const int t : members(kept_)) each[at(t)] = steps_of_each(solver_.tensor(t), extents);
    for (NextLoop& loop : *next_) {
      Reuse reuse{};
      const int moving = *members(loop.dims).begin();  // all move windows alike
      for (const int t : members(loop.moved)) {
        reuse[at(t)] = each[at(t)];
        for (const WindowReuse& window : (*windows_)[at(t)]) {
          const Int128 more = window.of(extents, moving);
          reuse[at(t)] = ceil_div(times(reuse[at(t)], more), kReuseParts);
        }
      }
      add(loop.reuse, reuse, loop.moved);
    }
  }

  // A tile fits if the least of its ranges do; what it reuses is that of the largest. Loops of
  // dimensions that move nothing go innermost.
  void choose(int d, PerDim& least, PerDim& most) {
    if (++tried_ > kMostTried) return;
    for (; d < solver_.dim_count && !contains(dims_, d); ++d) most[at(d)] = solver_.size(d);
    if (d == solver_.dim_count) return add_tiles(most);
    const std::vector<ExtentRange>& ranges = ranges_[at(d)];
    const auto too_large =
        std::partition_point(ranges.begin(), ranges.end(), [&](const auto& range) {
          least[at(d)] = range.least;
          return fitting_.check(least).fits();
        });
    for (auto range = too_large; range-- != ranges.begin();) {
      least[at(d)] = range->least;
      most[at(d)] = range->most;
      choose(d + 1, least, most);
      if ((dims_ >> static_cast<unsigned>(d + 1)) == 0) break;  // smaller ones reuse less
    }
    least[at(d)] = 1;
  }

  const SolverTables& solver_;
  int memory_;
  std::uint32_t kept_, dims_;
  PerDim least_tiles_;
  Fitting fitting_;
  PerDim most_{};
  std::array<std::vector<ExtentRange>, kMaxDims> ranges_;
  const InnerTiles::WindowReuses* windows_ = nullptr;
  std::vector<NextLoop>* next_ = nullptr;
  int tried_ = 0;
  std::uint64_t steps_ = 0;
  bool fit_ = false;
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
  if (is_new && can_be_known_ && kept != 0) {
    PerDim any{};
    any.fill(1);
    std::uint64_t steps = 0;
    known->second = list(kept, any, steps);
  }
  return known->second;
}

const InnerTiles::Tiles& InnerTiles::with(std::uint32_t kept, const PerDim& least_tiles,
                                          std::uint64_t& steps) {
  if (!with(kept).are_known) return with(kept);
  if (least_tiles != last_tiles_) known_of_last_.clear();
  last_tiles_ = least_tiles;
  const auto [known, is_new] = known_of_last_.try_emplace(kept);
  if (is_new) {
    known->second = list(kept, least_tiles, steps);
    known->second.are_few = true;
  }
  return known->second;
}

bool InnerTiles::may_need_no_loop(std::uint32_t kept, const PerDim& unrolled) {
  const Tiles& tiles = with(kept);
  PerDim left{};
  left.fill(1);
  for (const int d : members(tiles.dims)) {
    left[at(d)] = ceil_div(solver_.size(d), unrolled[at(d)]);
    if (left[at(d)] > tiles.most[at(d)]) return false;
  }
  return tile_fits(solver_, memory(), kept, left);
}

namespace {

// Dimensions that move the same tensors, and are part of no window, are one of them.
std::vector<NextLoop> next_loops(const SolverTables& solver, std::uint32_t kept,
                                 std::uint32_t dims) {
  std::vector<NextLoop> next;
  std::uint32_t in_windows = 0;
  for (const int t : members(kept)) {
    in_windows |= solver.tensor(t).relevant & ~solver.tensor(t).alone;
  }
  for (const int d : members(dims)) {
    std::uint32_t moved = 0;
    for (const int t : members(kept)) {
      if (contains(solver.tensor(t).relevant, d)) moved |= 1U << t;
    }
    const auto known = std::find_if(next.begin(), next.end(), [&](const NextLoop& other) {
      return other.moved == moved && ((other.dims | 1U << d) & in_windows) == 0;
    });
    if (known == next.end()) {
      next.push_back({1U << d, moved, {}});
    } else {
      known->dims |= 1U << d;
    }
  }
  return next;
}

}  // namespace

// Smaller tiles are asked for after any.
const InnerTiles::WindowReuses& InnerTiles::windows_with(std::uint32_t kept, const PerDim& most) {
  const auto [known, is_new] = windows_.try_emplace(kept);
  for (const int t : members(is_new && !solver_.boxes ? kept : 0U)) {
    for (const Window& window : solver_.tensor(t).windows) {
      known->second[at(t)].emplace_back(window, most);
    }
  }
  return known->second;
}

InnerTiles::Tiles InnerTiles::list(std::uint32_t kept, const PerDim& least_tiles,
                                   std::uint64_t& steps) {
  Tiles tiles;
  for (const int t : members(kept)) tiles.dims |= solver_.tensor(t).relevant;
  LargestTiles largest(solver_, memory(), kept, tiles.dims, least_tiles);
  tiles.most = largest.most();
  tiles.next = next_loops(solver_, kept, tiles.dims);
  const bool are_all =
      largest.is_empty() || largest.list(windows_with(kept, tiles.most), tiles.next);
  steps += largest.steps();
  tiles.fit = !are_all || largest.fit();
  tiles.are_known = are_all && tiles.fit;
  return tiles;
}

}  // namespace tilewright::optimal
