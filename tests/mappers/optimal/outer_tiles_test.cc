// Tiles outside all fan-outs, against every mapping and against one tile after the other.
#include "mappers/optimal/outer_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mappers/optimal/home_filling.h"
#include "mappers/optimal/open_links.h"
#include "mappers/optimal/outer_filling.h"
#include "support/problem_text.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/small_instance.h"
#include "tilewright/io.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);
constexpr std::size_t kAnyBoxes = 1U << 24U;

// The extent of a memory's tile, in one instance or in all of them together.
std::int64_t extent_of(const SolverTables& solver, const Mapping& mapping, int memory, int d,
                       Instances instances) {
  std::int64_t extent = 1;
  for (int s = 0; s < solver.problem().slot_count(); ++s) {
    const bool is_inside = s >= solver.memory(memory).slot;
    const bool is_spatial = !solver.problem().slots()[at(s)].is_temporal();
    const bool counts = is_inside || (is_spatial && instances == Instances::Together);
    extent *= counts ? mapping.bound(s, solver.original(d)) : 1;
  }
  return std::min(extent, solver.size(d));
}

struct Reachable {
  int memory = 0, dim = 0;
  Instances instances = Instances::One;
  std::vector<std::int64_t> extents;
};

std::vector<Reachable> all_reachable(const SolverTables& solver) {
  std::vector<Reachable> all;
  for (int m = 0; m < solver.memory_count; ++m) {
    for (int d = 0; d < solver.dim_count; ++d) {
      for (const Instances instances : {Instances::One, Instances::Together}) {
        all.push_back({m, d, instances, *reachable_extents(solver, m, d, instances)});
      }
    }
  }
  return all;
}

TEST(ReachableExtents, AreThoseOfAllMappings) {
  int seen = 0;
  for (int seed = 1; seed <= testing::affordable(200); ++seed) {
    const SpaceKind kind = seed % 2 == 0 ? SpaceKind::RubyS : SpaceKind::Ruby;
    const auto instance = testing::small_instance(static_cast<std::uint64_t>(seed), {.kind = kind});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
    const MadeSpace space = MapSpace::create(solver.problem(), kind, restrictions);
    if (!space.ok()) continue;
    const std::vector<Reachable> all = all_reachable(solver);
    Walk walk(*space.value, 0, space.value->size());
    while (const Mapping* mapping = walk.next()) {
      for (const Reachable& one : all) {
        const std::int64_t extent = extent_of(solver, *mapping, one.memory, one.dim, one.instances);
        ASSERT_TRUE(std::binary_search(one.extents.begin(), one.extents.end(), extent))
            << "seed " << seed;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, testing::enough(1000));
}

// With one tile, and the next loop outside it tried out.
Units with_tile(const Subproblem& sub, const PerDim& tile) {
  const SolverTables& solver = sub.solver();
  std::uint32_t tensors = 0;
  Units once = 0;
  for (const Link& link : sub.placement().links) {
    tensors |= 1U << link.tensor;
    once = sum(once, sub.least_energy(link));
  }
  PerDim inside = tile;
  for (int d = 0; d < solver.dim_count; ++d) {
    if (moved_by(solver, tensors, d) == 0) inside[at(d)] = solver.size(d);
  }
  Units least = kNever;
  for (int d = 0; d < solver.dim_count; ++d) {
    if (inside[at(d)] >= solver.size(d)) continue;
    Units energy = once;
    for (const Link& link : sub.placement().links) {
      if (!contains(solver.tensor(link.tensor).relevant, d)) continue;
      const Mover mover{d, ceil_div(solver.size(d), inside[at(d)])};
      const Units moved = sub.energy(link, sub.counts(link, 0, inside, mover));
      energy += std::max<Units>(0, moved - sub.least_energy(link));
    }
    least = std::min(least, energy);
  }
  return least < kNever ? least : once;
}

Units least_of_all(const Subproblem& sub, const ExtentLists& extents) {
  const Fitting fitting(sub, 1);
  Units least = kNever;
  PerDim tile{};
  const auto choose = [&](const auto& self, std::size_t d) -> void {
    if (d == extents.size()) {
      if (fitting.check(tile).fits()) least = std::min(least, with_tile(sub, tile));
      return;
    }
    for (const std::int64_t extent : extents[d]) {
      tile[d] = extent;
      self(self, d + 1);
    }
  };
  choose(choose, 0);
  return least;
}

// Of three tensors, a digit each: 1 is kept in the outermost memory alone, 2 in the next one alone,
// 3 in both.
Keepers keepers_by_digits(std::uint32_t digits) {
  Keepers keepers{};
  keepers[0] = digits / 100;
  keepers[1] = digits / 10 % 10;
  keepers[2] = digits % 10;
  return keepers;
}

constexpr const char* kBuffer = R"(
    read: 2 pJ
  - fanout: PEs
    x: 3
    y: 4
  - memory: Registers
    capacity: 20 words
    read: 0.5 pJ
  - compute: MAC
    energy: 0.2 pJ
)";

// Which is the least with windows, too, with strides and gaps. Homes hold boxes, as tiles do, so
// tiles are smaller than all of what has its home there.
TEST(OuterTiles, AreTheBestOfAllThatFit) {
  int above_once = 0;
  for (const std::string workload :
       {"gemm: m=24 n=20 k=30", "O[m,p,q] += W[m,c,r,s]*I[c,p+r,q+s]; m=4 c=6 p=8 q=5 r=3 s=3",
        "O[m,p,q] += W[m,c,r,s]*I[c,2*p+3*r,2*q+3*s]; m=6 c=4 p=8 q=6 r=3 s=2",
        "O[n,m,p] += W[m,c,r]*I[n,c,3*p+r]; n=3 m=5 c=4 p=7 r=5"}) {
    for (const int capacity : {12, 50, 200, 4000}) {
      const std::string arch =
          "architecture: array\naccounting: timeloop\nlevels:\n  - memory: DRAM\n    capacity: "
          "unlimited\n"
          "    read: 64 pJ\n  - memory: Buffer\n    capacity: " +
          std::to_string(capacity) + " words" + kBuffer;
      const auto read = io::read_architecture(arch, "array");
      ASSERT_TRUE(read.ok());
      const auto line = io::read_workload_line(workload, "line");
      ASSERT_TRUE(line.ok()) << workload;
      const Problem problem = *Problem::create(*line.value, *read.value).value;
      const Evaluator evaluator = testing::make_evaluator(problem);
      const Restrictions restrictions = *Restrictions::create(problem, {}).value;
      const SolverTables solver = make_solver_tables(evaluator, SpaceKind::RubyS, restrictions);
      const SolverTables tables = tables_down_to(solver, 1);
      ExtentLists extents;
      for (int d = 0; d < solver.dim_count; ++d) {
        extents.push_back(*reachable_extents(solver, 1, d));
      }
      Units least = 0;
      // Where a tensor has its home in the buffer, loops may move nothing and yet need room. At the
      // end everything comes from outside.
      for (const std::uint32_t digits : {113U, 122U, 312U, 321U, 323U, 333U}) {
        const Keepers keepers = keepers_by_digits(digits);
        const Placement placement = placement_of(tables, keepers);
        const SpatialBounds nothing_unrolled(0, tables.dim_count);
        const Subproblem sub(tables, placement, nothing_unrolled);
        least = least_over_tiles(sub, extents, kAnyBoxes, kForever).least;
        EXPECT_EQ(least, least_of_all(sub, extents)) << workload << " in " << capacity;
        EXPECT_LE(least_over_tiles(sub, extents, 3, kForever).least, least);  // a bound
        Units once = 0;
        for (const Link& link : placement.links) once = sum(once, sub.least_energy(link));
        above_once += least > once ? 1 : 0;
      }
      OuterFilling outer(solver);
      outer.find(1 << 20, kForever);
      EXPECT_EQ(outer.choices().front().least, least);
    }
  }
  EXPECT_GE(above_once, 8);
}

// Nothing but what comes from the outermost memory takes energy. Weights go past the buffer, or
// past the two that stand in a fan-out of their own.
struct PastBuffer {
  int buffer = 0, registers = 0;
  bool sums_past = false, two = false;
};

std::string weights_past_buffer(const PastBuffer& past) {
  const std::string free = "    read: 0 pJ\n    write: 0 pJ\n";
  const std::string clusters = past.two ? "  - fanout: Clusters\n    x: 2\n" : "";
  const std::string pes = past.two ? "    x: 2\n" : "    x: 3\n    y: 2\n";
  return "architecture: past\nlevels:\n  - memory: DRAM\n    capacity: unlimited\n"
         "    read: 5 pJ\n    write: 3 pJ\n" +
         clusters + "  - memory: Buffer\n    capacity: " + std::to_string(past.buffer) +
         " words\n    keep: [input" + (past.sums_past ? "" : ", output") + "]\n" + free +
         "  - fanout: PEs\n" + pes +
         "  - memory: Registers\n    capacity: " + std::to_string(past.registers) +
         " words\n    keep: [weight" + (past.sums_past ? ", output" : "") + "]\n" + free +
         "  - compute: MAC\n    energy: 0 pJ\n";
}

double least_of_all_mappings(const SolverTables& solver) {
  double least = 1e30;
  const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
  if (!space.ok()) return least;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    const Score score = solver.evaluator->score(*mapping);
    if (score.verdict.fits()) least = std::min(least, score.energy_pj);
  }
  return least;
}

struct SeenPast {
  int all = 0;
  int exact = 0;    // as high as the least of all mappings
  int as_high = 0;  // what is known in the end, as the bound by tiles
};

void compare(const PastBuffer& past, const std::string& workload, SpaceKind kind, SeenPast& seen) {
  const Problem problem = testing::problem_of(weights_past_buffer(past), workload);
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
  std::vector<HomeFilling> homes = home_fillings(solver);
  ASSERT_EQ(homes.size(), 1U);
  homes.front().set_limits(kNever, 1 << 26);
  const HomeFilling::ByTiles found = homes.front().least_by_tiles(kAnyBoxes, kForever);
  const double least = least_of_all_mappings(solver) * solver.scale.per_pj;
  const auto bound = static_cast<double>(solver.scale.energy(found.all));
  if (least > 1e25) return;  // nothing fits
  ASSERT_LE(bound, least * (1 + 1e-9))
      << workload << " " << past.buffer << " " << past.registers << " " << to_string(kind);
  ++seen.all;
  seen.exact += bound >= least * (1 - 1e-9) ? 1 : 0;
  homes.front().find({1, 0, kNever}, kForever);
  seen.as_high += homes.front().least() >= found.all ? 1 : 0;
}

// No mapping takes less, and some take no more.
TEST(OuterTiles, KnowTheRoomOfInstancesForWhatGoesPastThem) {
  SeenPast seen;
  for (const std::string workload :
       {"gemm: m=4 n=5 k=4", "O[m,p] += W[m,c,r]*I[c,p+r]; m=3 c=2 p=4 r=2",
        "O[m,p] += W[m,c,r]*I[c,3*p+2*r]; m=2 c=3 p=4 r=2"}) {
    for (const int buffer : {3, 6, 12}) {
      if (testing::slow_build() && buffer != 6) continue;
      for (const int registers : {1, 3}) {
        for (const bool sums_past : {false, true}) {
          const PastBuffer past{buffer, registers, sums_past};
          compare(past, workload, SpaceKind::RubyS, seen);
          if (sums_past == (registers == 1)) compare(past, workload, SpaceKind::Ruby, seen);
        }
      }
    }
  }
  EXPECT_GT(seen.all, testing::slow_build() ? 10 : 30);
  EXPECT_GT(seen.exact, testing::slow_build() ? 2 : 8);
  EXPECT_EQ(seen.as_high, seen.all);
}

// The same of all instances of a memory that stands in a fan-out itself.
TEST(OuterTiles, KnowWhatInstancesHoldTogether) {
  SeenPast seen;
  for (const std::string workload :
       {"gemm: m=5 n=3 k=2", "gemm: m=2 n=3 k=5", "O[m,p] += W[m,c,r]*I[c,p+r]; m=2 c=2 p=4 r=2",
        "O[m,p] += W[m,c,r]*I[c,3*p+2*r]; m=2 c=2 p=3 r=2"}) {
    for (const int buffer : {3, 4, 8}) {
      if (testing::slow_build() && buffer != 4) continue;
      for (const int registers : {1, 3}) {
        for (const bool sums_past : {false, true}) {
          const PastBuffer past{buffer, registers, sums_past, true};
          compare(past, workload, SpaceKind::RubyS, seen);
          if (sums_past == (registers == 1)) compare(past, workload, SpaceKind::Ruby, seen);
        }
      }
    }
  }
  EXPECT_GT(seen.all, testing::slow_build() ? 10 : 30);
  EXPECT_GT(seen.exact, testing::slow_build() ? 2 : 8);
}

}  // namespace
}  // namespace tilewright::optimal
