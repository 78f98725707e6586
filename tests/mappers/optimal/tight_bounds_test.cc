// Spatial bounds of which smaller ones are as good.
#include "mappers/optimal/tight_bounds.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "mappers/optimal/sampled_mappings.h"
#include "mappers/optimal/small_spaces.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

TEST(TightBounds, AreThoseThatLeaveMoreGroupsIfAnythingIsLess) {
  for (const std::int64_t size : {1, 2, 3, 7, 12, 36, 97, 120}) {
    for (const std::int64_t most : {1, 4, 200}) {
      std::set<std::int64_t> tight;
      for (std::int64_t tile = 1; tile <= size; ++tile) {
        if (size % tile != 0) continue;
        const auto groups = [&](std::int64_t x, std::int64_t y) {
          return x * y == 0 ? kCountLimit : ceil_div(size / tile, x * y);
        };
        for (std::int64_t x = 1; x <= std::min(size, most); ++x) {
          for (std::int64_t y = 1; y <= size; ++y) {
            const std::int64_t number = groups(x, y);
            if (groups(x - 1, y) > number && groups(x, y - 1) > number) tight.insert(x * y);
          }
        }
      }
      EXPECT_EQ(tight_bounds(size, most, size),
                std::vector<std::int64_t>(tight.begin(), tight.end()))
          << size << ", " << most;
    }
  }
}

// With each extent that tiles may have.
TEST(TightBounds, OfAnyTilesKnowThatTheLastOneMayBeAGroupOfItsOwn) {
  for (const std::int64_t size : {1, 2, 3, 7, 12, 36, 97, 120}) {
    for (const std::int64_t most : {1, 4, 200}) {
      std::set<std::int64_t> tight;
      for (std::int64_t extent = 1; extent <= size; ++extent) {
        const std::int64_t tiles = ceil_div(size, extent);
        const auto groups = [&](std::int64_t x, std::int64_t y) {
          return x * y == 0 ? kCountLimit : ceil_div(tiles, x * y);
        };
        for (std::int64_t x = 1; x <= std::min(size, most); ++x) {
          for (std::int64_t y = 1; y <= size; ++y) {
            const std::int64_t number = groups(x, y);
            const bool is_alone = number > 1 && (number - 1) * x * y + 1 == tiles;
            const bool ends_cut = is_alone && size % extent != 0;
            const bool is_least = groups(x - 1, y) > number && groups(x, y - 1) > number;
            if (is_least || ends_cut) tight.insert(x * y);
          }
        }
      }
      EXPECT_EQ(tight_bounds_of_any_tiles(size, most, size),
                std::vector<std::int64_t>(tight.begin(), tight.end()))
          << size << ", " << most;
    }
  }
}

TEST(TilesUnrolledBy, AreTheFewestWithALegalSplit) {
  for_each_space({SpaceKind::Ruby, 3}, [](const SolverTables& solver) {
    if (solver.fanout_count == 0) return;
    std::int64_t of_larger = kCountLimit;
    for (std::int64_t bound = 60; bound > 0; --bound) {
      std::int64_t tiles = 0;
      const auto is_legal = [&] {
        for (std::int64_t x = 1; x <= bound; ++x) {
          if (bound % x == 0 && is_legal_split(bound, x, tiles)) return true;
        }
        return false;
      };
      while (!is_legal()) ++tiles;
      of_larger = std::min(of_larger, tiles);
      EXPECT_EQ(tiles_unrolled_by(solver, 0, {bound, bound}), tiles) << bound;
      EXPECT_LE(tiles_unrolled_by(solver, 0, {bound, 60}), of_larger) << bound;
    }
  });
}

// Of a dimension, just inside a fan-out.
std::int64_t extent_inside(const SolverTables& solver, const Mapping& mapping, int fanout,
                           int dim) {
  std::int64_t extent = 1;
  for (int slot = solver.fanout(fanout).slot + 2; slot < mapping.slot_count(); ++slot) {
    extent *= mapping.bound(slot, solver.original(dim));
  }
  return extent;
}

bool keeps_sums_inside(const SolverTables& solver, const Mapping& mapping, int fanout) {
  for (int m = 0; m < solver.memory_count; ++m) {
    const bool inside = solver.memory(m).fanouts_outside > fanout;
    if (inside && contains(mapping.kept(MemoryId{m}), solver.tensor_count - 1)) return true;
  }
  return false;
}

struct Seen {
  int at_the_end = 0;  // a single group of tiles
  int alike = 0;       // several
  int cut = 0;         // of them, where the last tile is cut short
};

// Takes one branch away from a slot, if that leaves as many groups of tiles.
void take_away(const SolverTables& solver, const Mapping& mapping, int fanout, int dim, int slot,
               Seen& seen) {
  const DimId original = solver.original(dim);
  const int first = solver.fanout(fanout).slot;
  const std::int64_t bound = mapping.bound(slot, original);
  if (bound == 1) return;
  const std::int64_t other = mapping.bound(2 * first + 1 - slot, original);
  const std::int64_t extent = extent_inside(solver, mapping, fanout, dim);
  const std::int64_t tiles = ceil_div(solver.size(dim), extent);
  const std::int64_t groups = ceil_div(tiles, bound * other);
  if (ceil_div(tiles, (bound - 1) * other) != groups) return;
  const bool ends_cut = tiles == (groups - 1) * bound * other + 1 && solver.size(dim) % extent != 0;
  const bool is_summed = !contains(solver.tensors.back().relevant, dim);
  const bool alike = is_dealt_alike(solver, fanout, dim) &&
                     !(is_summed && keeps_sums_inside(solver, mapping, fanout)) && !ends_cut;
  if (!may_unroll_less(solver, fanout, dim) || (groups > 1 && !alike)) return;
  Mapping less = mapping;
  less.set_bound(slot, original, bound - 1);
  const Score before = solver.evaluator->score(mapping);
  const Score after = solver.evaluator->score(less);
  if (!before.verdict.fits()) return;
  ++(groups > 1 ? seen.alike : seen.at_the_end);
  if (groups > 1 && solver.size(dim) % extent != 0) ++seen.cut;
  EXPECT_TRUE(after.verdict.fits());
  EXPECT_LE(after.energy_pj, before.energy_pj * (1 + 1e-12));
  EXPECT_LE(after.cycles, before.cycles);
  EXPECT_LE(after.instances, before.instances);
}

void take_away(const SolverTables& solver, const Mapping& mapping, Seen& seen) {
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) {
      for (const int axis : {0, 1}) {
        take_away(solver, mapping, f, d, solver.fanout(f).slot + axis, seen);
      }
    }
  }
}

TEST(TightBounds, OfMappingsCostNoMore) {
  Seen seen;
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
    for_each_mapping({kind, testing::slow_build() ? 60 : 600}, 20,
                     [&](const SolverTables& solver, const Mapping& mapping) {
                       take_away(solver, mapping, seen);
                     });
  }
  EXPECT_GT(seen.at_the_end, testing::slow_build() ? 0 : 5);
  EXPECT_GT(seen.alike, testing::slow_build() ? 0 : 5);
}

// Ports as slow as multipliers, and memories that keep anything; a fan-out inside another one.
constexpr const char* kArrays = R"(architecture: arrays
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
    bandwidth: 3 words/cycle
  - fanout: Clusters
    x: 5
    y: 3
  - memory: Buffer
    capacity: 40000 words
    read: 2 pJ
    leakage: 0.01 pJ/cycle
    read_bandwidth: 2 words/cycle
    free: [input, weight, output]
  - fanout: PEs
    x: 7
    y: 4
  - memory: Registers
    capacity: 5000 words
    read: 0.5 pJ
    read_bandwidth: 2 words/cycle
    write_bandwidth: 1 words/cycle
    free: [input, weight, output]
  - compute: MAC
    energy: 0.2 pJ
)";

// Of larger problems, where groups are many and the last tile is cut short.
TEST(TightBounds, OfLargerMappingsCostNoMore) {
  Seen seen;
  std::uint64_t seed = 0;
  for (const std::string text :
       {"gemm: m=97 n=61 k=83", "conv2d: in_channels=59 out_channels=71 p=5 q=6 r=3 s=2"}) {
    for (const SpaceKind kind : {SpaceKind::Ruby, SpaceKind::RubyS}) {
      for_each_sample(kArrays, text, {kind, testing::affordable(20'000), ++seed},
                      [&](const SolverTables& solver, const Mapping& mapping, Rng& /*rng*/) {
                        take_away(solver, mapping, seen);
                      });
    }
  }
  EXPECT_GT(seen.alike, testing::enough(100));
  EXPECT_GT(seen.cut, testing::enough(100));
}

// Whether the spatial bounds of a mapping are among those that are left out: their split, or all
// splits.
enum class LeftOut { No, Split, All };
LeftOut left_out(const SolverTables& solver, const TightSplits& tight, const Mapping& mapping) {
  SpatialBounds spatial(solver.fanout_count, solver.dim_count);
  std::vector<PerDim> along_x(static_cast<std::size_t>(solver.fanout_count));
  for (int f = 0; f < solver.fanout_count; ++f) {
    const int slot = solver.fanout(f).slot;
    for (int d = 0; d < solver.dim_count; ++d) {
      along_x[at(f)][at(d)] = mapping.bound(slot + 1, solver.original(d));
      spatial.set_unrolled(f, d, along_x[at(f)][at(d)] * mapping.bound(slot, solver.original(d)));
    }
  }
  PerDim left = solver.sizes;
  for (int f = solver.fanout_count; f-- > 0;) {
    const bool keeps_no_sums = !keeps_sums_inside(solver, mapping, f);
    if (tight.is_superfluous(spatial, f, along_x[at(f)], keeps_no_sums)) return LeftOut::Split;
    if (tight.is_superfluous(spatial, f, left)) return LeftOut::All;
    for (int d = 0; d < solver.dim_count; ++d) {
      left[at(d)] = ceil_div(left[at(d)], spatial.unrolled(f, d));
    }
  }
  return LeftOut::No;
}

bool is_worse(const Score& a, const Score& b) {
  if (a.energy_pj > b.energy_pj * (1 + 1e-12)) return true;
  if (b.energy_pj > a.energy_pj * (1 + 1e-12)) return false;
  return std::tuple(a.cycles, a.instances) > std::tuple(b.cycles, b.instances);
}

// The best of all mappings, and the best of those that are not left out.
void compare_bests(const SolverTables& solver, std::map<LeftOut, int>& seen) {
  const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
  if (!space.ok()) return;
  const TightSplits tight(solver);
  std::optional<Score> best;
  std::optional<Score> best_left;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    const Score score = solver.evaluator->score(*mapping);
    if (!score.verdict.fits()) continue;
    if (!best || is_worse(*best, score)) best = score;
    const LeftOut out = left_out(solver, tight, *mapping);
    ++seen[out];
    if (out == LeftOut::No && (!best_left || is_worse(*best_left, score))) best_left = score;
  }
  if (!best) return;
  ASSERT_TRUE(best_left);
  EXPECT_FALSE(is_worse(*best_left, *best));
}

TEST(TightSplits, HaveTheBestOfAllMappings) {
  std::map<LeftOut, int> seen;
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
    for_each_space({kind, testing::affordable(250)}, [&](SolverTables solver) {
      solver.only_tight_bounds = true;
      compare_bests(solver, seen);
    });
  }
  EXPECT_GT(seen[LeftOut::Split], testing::slow_build() ? 0 : 100);
  EXPECT_GT(seen[LeftOut::All], testing::slow_build() ? 0 : 10);
}

}  // namespace
}  // namespace tilewright::optimal
