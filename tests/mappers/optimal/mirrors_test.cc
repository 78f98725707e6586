// Dimensions that can change places, and what the optimal mapper makes of it.
#include "mappers/optimal/mirrors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "mappers/optimal/subproblem_queue.h"
#include "support/check_optimum.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/small_instance.h"
#include "support/space_kinds.h"
#include "tilewright/io.h"

namespace tilewright::optimal {
namespace {

using testing::SmallInstance;

// The pairs that change places, "P-Q R-S", of each mirror.
std::vector<std::string> pairs_of(const SolverTables& solver) {
  const auto name = [&](int d) { return solver.problem().workload().dim(solver.original(d)).name; };
  std::vector<std::string> all;
  for (const DimMirror& mirror : find_mirrors(solver)) {
    std::string& pairs = all.emplace_back();
    for (int d = 0; d < solver.dim_count; ++d) {
      EXPECT_EQ(mirror[at(mirror[at(d)])], d);
      if (mirror[at(d)] <= d) continue;
      pairs += (pairs.empty() ? "" : " ") + name(d) + "-" + name(mirror[at(d)]);
    }
  }
  return all;
}

std::vector<std::string> mirrors_of(const std::string& workload, const std::string& array,
                                    const std::string& rules = "") {
  const auto arch = io::read_architecture(
      "architecture: small\nlevels:\n"
      "  - {memory: DRAM, capacity: unlimited, read: 64 pJ}\n"
      "  - {fanout: Array, " +
          array +
          "}\n"
          "  - {memory: Registers, capacity: 30 words}\n"
          "  - {compute: mac}\n" +
          rules,
      "arch");
  EXPECT_TRUE(arch.ok()) << to_string(arch.problems.front());
  const auto read = io::read_workload_line(workload, "workload");
  EXPECT_TRUE(read.ok()) << to_string(read.problems.front());
  const Problem problem = *Problem::create(*read.value, *arch.value).value;
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const Evaluator evaluator = testing::make_evaluator(problem);
  return pairs_of(make_solver_tables(evaluator, SpaceKind::Perfect, restrictions));
}

using Pairs = std::vector<std::string>;
const std::string kSquare = "conv2d: in_channels=4 out_channels=8 p=6 q=6 r=3 s=3";
const std::string kArray = "x: 4, y: 4";

TEST(Mirrors, RowsAndColumnsOfASquareConvolutionChangePlaces) {
  EXPECT_EQ(mirrors_of(kSquare, kArray), Pairs{"R-S P-Q"});
  EXPECT_EQ(mirrors_of(kSquare + " stride=2", kArray), Pairs{"R-S P-Q"});
  EXPECT_EQ(mirrors_of("conv2d: in_channels=4 out_channels=8 p=6 q=6 r=1 s=1", kArray),
            Pairs{"P-Q"});
}

TEST(Mirrors, NothingElseChangesPlaces) {
  EXPECT_EQ(mirrors_of("gemm: m=8 n=8 k=8", kArray), Pairs{});
  EXPECT_EQ(mirrors_of("conv2d: in_channels=4 out_channels=8 p=6 q=7 r=3 s=3", kArray), Pairs{});
  EXPECT_EQ(mirrors_of("conv2d: in_channels=4 out_channels=8 p=6 q=6 r=3 s=2", kArray), Pairs{});
  // As many channels as filters.
  EXPECT_EQ(mirrors_of("conv2d: in_channels=8 out_channels=8 p=6 q=7 r=3 s=3", kArray), Pairs{});
}

TEST(Mirrors, StridesAndDilationsAreTheSame) {
  const auto einsum = [](const std::string& rows, const std::string& columns) {
    return "O[p,q] += I[" + rows + "," + columns + "]*W[r,s]; p=6 q=6 r=3 s=3";
  };
  EXPECT_EQ(mirrors_of(einsum("2*p+r", "2*q+s"), kArray), Pairs{"r-s p-q"});
  EXPECT_EQ(mirrors_of(einsum("2*p+r", "q+s"), kArray), Pairs{});
  EXPECT_EQ(mirrors_of(einsum("p+2*r", "q+s"), kArray), Pairs{});
  // Here p meets s, and the mirror is another one.
  EXPECT_EQ(mirrors_of(einsum("2*p+s", "2*q+r"), kArray), Pairs{"r-s p-q"});
}

TEST(Mirrors, HardwareAndRulesAllowTheSame) {
  EXPECT_EQ(mirrors_of(kSquare, "x: {size: 4, dims: [M, P]}, y: 4"), Pairs{});
  EXPECT_EQ(mirrors_of(kSquare, "x: {size: 4, dims: [P, Q]}, y: 4"), Pairs{"R-S P-Q"});
  EXPECT_EQ(mirrors_of(kSquare, "x: {size: 4, dims: [P, S]}, y: 4"), Pairs{});
  const std::string rules = "constraints:\n  - ";
  EXPECT_EQ(mirrors_of(kSquare, kArray, rules + "{level: Registers, factors: {R: 3}}\n"), Pairs{});
  EXPECT_EQ(mirrors_of(kSquare, kArray, rules + "{level: Array.x, factors: {Q: \"<= 2\"}}\n"),
            Pairs{});
  EXPECT_EQ(mirrors_of(kSquare, kArray, rules + "{level: Registers, order: {innermost: [P]}}\n"),
            Pairs{});
  EXPECT_EQ(mirrors_of(kSquare, kArray, rules + "{level: Registers, order: {innermost: [M]}}\n"),
            Pairs{"R-S P-Q"});
}

SolverTables tables_of(const Evaluator& evaluator, SpaceKind kind,
                       const Restrictions& restrictions) {
  SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
  solver.mirrors = find_mirrors(solver);
  return solver;
}

Mapping mirrored(const SolverTables& solver, const DimMirror& mirror, const Mapping& mapping) {
  const Problem& problem = solver.problem();
  std::vector<DimId> image;
  for (int d = 0; d < problem.dim_count(); ++d) image.push_back(DimId{d});
  for (int d = 0; d < solver.dim_count; ++d) {
    image[at(solver.original(d))] = solver.original(mirror[at(d)]);
  }
  Mapping result = mapping;
  for (int s = 0; s < problem.slot_count(); ++s) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      result.set_bound(s, image[at(d)], mapping.bound(s, DimId{d}));
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    std::vector<DimId> order;
    for (int i = 0; i < problem.dim_count(); ++i) {
      order.push_back(image[at(mapping.order(MemoryId{m})[i])]);
    }
    result.set_order(MemoryId{m}, order);
  }
  return result;
}

// Whatever the mapping, and whether it fits or not.
TEST(Mirrors, MappingsCostTheSameInAMirror) {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
  for (std::uint64_t seed = 1; seed <= (testing::slow_build() ? 30 : 300); ++seed) {
    const SpaceKind kind = testing::kSpaceKinds[seed % testing::kSpaceKinds.size()];
    const SmallInstance instance = testing::small_instance(
        seed, {.kind = kind, .most_mappings = 50'000, .systolic = seed % 3 == 0, .square = true});
    const Restrictions restrictions = testing::restrictions_of(instance);
    const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions);
    if (!space.ok()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    const SolverTables solver = tables_of(evaluator, kind, restrictions);
    Rng rng(seed);
    for (const DimMirror& mirror : solver.mirrors) {
      for (int i = 0; i < 20; ++i) {
        const Mapping mapping = space.value->at(rng.below(space.value->size()));
        const Mapping image = canonical(instance.problem, mirrored(solver, mirror, mapping));
        ASSERT_TRUE(space.value->contains(image)) << testing::text_of(instance);
        const Score score = evaluator.score(mapping);
        const Score of_image = evaluator.score(image);
        ASSERT_EQ(score.verdict.fits(), of_image.verdict.fits()) << testing::text_of(instance);
        if (!score.verdict.fits()) continue;
        ASSERT_TRUE(testing::same_value(score.energy_pj, of_image.energy_pj));
        ASSERT_EQ(score.cycles, of_image.cycles) << testing::text_of(instance);
        ASSERT_EQ(score.instances, of_image.instances);
        ++compared;
        different += image == mapping ? 0 : 1;
      }
    }
  }
  EXPECT_GT(compared, testing::slow_build() ? 50U : 500U);
  EXPECT_GT(different, compared / 4);
}

using Key = std::vector<std::int64_t>;

Key key_of(const SolverTables& solver, const Candidate& candidate, const DimMirror* mirror) {
  Key key;
  for (int m = 0; m < solver.memory_count; ++m) key.push_back(candidate.placement.kept[at(m)]);
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) {
      key.push_back(candidate.spatial->unrolled(f, mirror == nullptr ? d : (*mirror)[at(d)]));
    }
  }
  return key;
}

std::vector<Candidate> drain(const SolverTables& solver) {
  SubproblemQueue queue(solver, {Objective::Edp, true}, std::int64_t{1} << 30);
  std::vector<Candidate> all;
  while (auto next = queue.next(Goal(std::nullopt), Deadline(std::nullopt))) {
    queue.settle(*next);
    all.push_back(std::move(*next));
  }
  return all;
}

// Of each subproblem and its image the first one stays, and no other is left out.
TEST(Mirrors, TheQueueHasOneOfEachSubproblemAndItsImage) {
  std::size_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= (testing::slow_build() ? 20 : 200); ++seed) {
    const SpaceKind kind = testing::kSpaceKinds[seed % testing::kSpaceKinds.size()];
    const SmallInstance instance = testing::small_instance(seed, {.kind = kind, .square = true});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
    const std::vector<Candidate> all = drain(solver);
    solver.mirrors = find_mirrors(solver);
    if (solver.mirrors.size() > 1) continue;  // images of images stay
    std::set<Key> came;
    std::vector<Key> expected;
    for (const Candidate& candidate : all) {
      const Key key = key_of(solver, candidate, nullptr);
      came.insert(key);
      if (!solver.mirrors.empty()) {
        const Key image = key_of(solver, candidate, &solver.mirrors.front());
        if (image != key && came.contains(image)) continue;
      }
      expected.push_back(key);
    }
    std::vector<Key> rest;
    for (const Candidate& candidate : drain(solver)) {
      rest.push_back(key_of(solver, candidate, nullptr));
    }
    EXPECT_EQ(rest, expected) << "seed " << seed;
    left_out += all.size() - rest.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(left_out, testing::slow_build() ? 10U : 100U);
}

// With and without images left out, and whatever is taken apart, it is that of all mappings.
TEST(Mirrors, TheOptimumIsExactOnSquareInstances) {
  std::size_t with_mirrors = 0;
  for (std::uint64_t seed = 1; seed <= (testing::slow_build() ? 8 : 80); ++seed) {
    const SpaceKind kind = testing::kSpaceKinds[seed % testing::kSpaceKinds.size()];
    const SmallInstance instance = testing::small_instance(
        71'000 + seed, {.kind = kind, .most_mappings = 5'000, .square = true});
    const testing::CheckReport report = testing::check_instance(instance, kind);
    ASSERT_TRUE(report.failures.empty()) << "seed " << seed << ", " << report.failures;
    const Restrictions restrictions = testing::restrictions_of(instance);
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    with_mirrors += tables_of(evaluator, kind, restrictions).mirrors.empty() ? 0 : 1;
  }
  EXPECT_GT(with_mirrors, testing::slow_build() ? 0U : 10U);
}

}  // namespace
}  // namespace tilewright::optimal
