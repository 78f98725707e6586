// Floors of cells, also those that know what the innermost memory holds, against all mappings of
// small map-spaces.
#include <gtest/gtest.h>

#include <algorithm>

#include "certificate/cell_floor.h"
#include "certificate/frames.h"
#include "certificate/target.h"
#include "certificate/tile_floor.h"
#include "support/slow_build.h"
#include "support/small_instance.h"

namespace tilewright::certificate {
namespace {

// A mapping that fits: what its cells are told apart by, and its cost.
struct Fitting {
  std::vector<std::vector<std::int64_t>> factors;  // by fan-out and dimension
  std::vector<std::uint32_t> keepers;              // by tensor
  Cost cost;
};

Fitting fitting_of(const Problem& problem, const Mapping& mapping, const Cost& cost) {
  Fitting one;
  for (const int slot : fanout_slots(problem)) {
    std::vector<std::int64_t>& factors = one.factors.emplace_back();
    for (int d = 0; d < problem.dim_count(); ++d) {
      factors.push_back(mapping.bound(slot, DimId{d}) * mapping.bound(slot + 1, DimId{d}));
    }
  }
  for (int t = 0; t < problem.tensor_count(); ++t) {
    std::uint32_t keepers = 0;
    for (int m = 0; m < problem.memory_count(); ++m) {
      if (mapping.keeps(MemoryId{m}, TensorId{t})) keepers |= 1U << m;
    }
    one.keepers.push_back(keepers);
  }
  one.cost = cost;
  return one;
}

std::vector<Fitting> all_that_fit(const Terms& terms, const MapSpace& space) {
  std::vector<Fitting> all;
  Walk walk(space, 0, space.size());
  while (const Mapping* mapping = walk.next()) {
    const Counter counter(terms, *mapping);
    if (!counter.overflows().empty()) continue;
    all.push_back(fitting_of(*terms.problem, *mapping, counter.cost()));
  }
  return all;
}

bool has(const Cover& cover, const Cell& cell, const Fitting& one) {
  for (std::size_t t = 0; t < cell.keepers.size(); ++t) {
    if (cell.keepers[t] != one.keepers[t]) return false;
  }
  for (std::size_t f = 0; f < one.factors.size(); ++f) {
    for (std::size_t d = 0; d < one.factors[f].size(); ++d) {
      const std::int64_t factor = one.factors[f][d];
      const auto fanout = static_cast<int>(f);
      const auto dim = static_cast<int>(d);
      if (factor < cover.least(cell, fanout, dim) || factor > cover.most(cell, fanout, dim)) {
        return false;
      }
    }
  }
  return true;
}

struct Seen {
  int cells = 0, higher = 0;  // than without tiles
  int exact = 0;              // mappings that have no more instances than their cycles need
};

// The cell, and all its parts that have something.
void compare(Cover& cover, CellFloors& floors, const Cell& cell, const std::vector<Fitting>& all,
             Seen& seen) {
  if (all.empty()) return;
  const std::optional<Cost> plain = floors.floor(cover, cell);
  const std::optional<Cost> with_tiles =
      floors.is_higher_with_tiles() ? floors.floor_with_tiles(cover, cell) : plain;
  ASSERT_TRUE(plain && with_tiles);
  for (const Fitting& one : all) {
    ASSERT_TRUE(plain->energy <= one.cost.energy && with_tiles->energy <= one.cost.energy);
    ASSERT_TRUE(plain->cycles <= one.cost.cycles && with_tiles->cycles <= one.cost.cycles);
    ASSERT_TRUE(plain->instances <= one.cost.instances);
  }
  ++seen.cells;
  seen.higher += with_tiles->energy > plain->energy ? 1 : 0;
  if (cover.is_frame(cell)) return;
  for (const Cell& part : cover.parts(cell)) {
    std::vector<Fitting> inside;
    std::copy_if(all.begin(), all.end(), std::back_inserter(inside),
                 [&](const Fitting& one) { return has(cover, part, one); });
    compare(cover, floors, part, inside, seen);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void compare_problem(const testing::SmallInstance& instance, SpaceKind kind, Seen& seen) {
  const Restrictions restrictions = testing::restrictions_of(instance);
  if (!restrictions.contradictions().empty()) return;
  const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions);
  const Checked<Rules> rules = read_rules(instance.problem, kind, instance.constraints);
  if (!space.ok() || !rules.ok()) return;
  const Terms terms(instance.problem);
  Cover cover(instance.problem, *rules.value);
  CellFloors floors(terms, *rules.value);
  const std::vector<Fitting> all = all_that_fit(terms, *space.value);
  for (const Fitting& one : all) {
    const std::int64_t needed = fewest_instances(terms, one.cost.cycles);
    ASSERT_LE(needed, one.cost.instances);
    seen.exact += needed == one.cost.instances ? 1 : 0;
  }
  for (const Cell& cell : cover.whole()) compare(cover, floors, cell, all, seen);
}

TEST(FloorsOfCells, AreBelowAllTheirMappings) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    Seen seen;
    for (int seed = 1; seed <= testing::affordable(300); ++seed) {
      const auto instance = testing::small_instance(static_cast<std::uint64_t>(seed) + 31'000,
                                                    {.kind = kind, .most_mappings = 1'024});
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(kind) + "\n" +
                   testing::text_of(instance));
      compare_problem(instance, kind, seen);
      if (HasFailure()) return;
    }
    EXPECT_GT(seen.cells, testing::enough(400));
    EXPECT_GT(seen.higher, testing::enough(100));
    EXPECT_GT(seen.exact, testing::enough(100));
  }
}

}  // namespace
}  // namespace tilewright::certificate
