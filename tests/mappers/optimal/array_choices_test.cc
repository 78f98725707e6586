// Ways to set up a fan-out against all bounds that they have, one by one.
#include "mappers/optimal/array_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright::optimal {
namespace {

using testing::TestRng;

constexpr std::int64_t kSize = 5;  // of every dimension

class ArrayChoicesTest : public ::testing::Test {
 protected:
  static Problem problem() {
    const auto arch = io::read_architecture(
        "architecture: small\nlevels:\n"
        "  - {memory: DRAM, capacity: unlimited, read: 64 pJ}\n"
        "  - {fanout: Array, y: 1, x: 24}\n"
        "  - {memory: Registers, capacity: 30 words}\n"
        "  - {compute: mac}\n",
        "arch");
    return testing::make_problem(make_gemm("gemm", kSize, kSize, kSize), *arch.value);
  }

  // Of one or two pairs of dimensions, each with some shapes.
  static std::vector<ArrayChoice> random_choices(TestRng& rng) {
    std::vector<ArrayChoice> choices;
    for (int pairs = static_cast<int>(rng.between(1, 3)); pairs > 0; --pairs) {
      ArrayChoice choice;
      choice.fanout = LevelId{1};
      for (int d = 0; d < 3; ++d) {
        const auto where = rng.between(0, 2);
        if (where == 1) choice.rows.push_back(DimId{d});
        if (where == 2) choice.columns.push_back(DimId{d});
      }
      for (int shapes = static_cast<int>(rng.between(1, 3)); shapes > 0; --shapes) {
        choice.most_rows = rng.between(1, 8);
        choice.most_columns = rng.between(1, 24 / choice.most_rows);
        choices.push_back(choice);
      }
    }
    return choices;
  }

  static bool keeps(const SolverTables& solver, const PerDim& bounds, const ArrayChoice& choice) {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    for (int d = 0; d < solver.dim_count; ++d) {
      const bool of_rows = contains(choice.rows, solver.original(d));
      const bool of_columns = contains(choice.columns, solver.original(d));
      if (!of_rows && !of_columns && bounds[at(d)] > 1) return false;
      (of_rows ? rows : columns) *= bounds[at(d)];
    }
    return rows <= choice.most_rows && columns <= choice.most_columns;
  }

  static bool keeps(const SolverTables& solver, const PerDim& bounds,
                    const std::vector<ArrayChoice>& choices) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const ArrayChoice& choice) { return keeps(solver, bounds, choice); });
  }

  static void for_each_bounds(const PerDim& least, const std::function<void(const PerDim&)>& call) {
    PerDim bounds = least;
    for (bounds[0] = least[0]; bounds[0] <= kSize; ++bounds[0]) {
      for (bounds[1] = least[1]; bounds[1] <= kSize; ++bounds[1]) {
        for (bounds[2] = least[2]; bounds[2] <= kSize; ++bounds[2]) call(bounds);
      }
    }
  }
};

TEST_F(ArrayChoicesTest, HaveNoBoundsBeyondTheMostBesideOthers) {
  const Evaluator evaluator = testing::make_evaluator(problem());
  const Restrictions rules = *Restrictions::create(evaluator.problem()).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::RubyS, rules);
  PerDim ones{};
  ones.fill(1);
  for (int seed = 0; seed < testing::affordable(60); ++seed) {
    TestRng rng(static_cast<std::uint64_t>(seed));
    const std::vector<ArrayChoice> choices = random_choices(rng);
    const ArrayChoices arrays(solver, choices);
    EXPECT_EQ(arrays.fanout(), 0);
    for_each_bounds(ones, [&](const PerDim& least) {
      PerDim most{};
      for_each_bounds(least, [&](const PerDim& bounds) {
        if (!keeps(solver, bounds, choices)) return;
        for (int d = 0; d < solver.dim_count; ++d) {
          most[at(d)] = std::max(most[at(d)], bounds[at(d)]);
        }
      });
      const std::optional<PerDim> found = arrays.most_beside(least);
      ASSERT_EQ(found.has_value(), keeps(solver, least, choices)) << seed;
      for (int d = 0; found && d < solver.dim_count; ++d) {
        EXPECT_EQ(std::min((*found)[at(d)], kSize), most[at(d)]) << seed;
      }
    });
    if (HasFailure()) return;
  }
}

TEST_F(ArrayChoicesTest, AreKeptByMirrorsWhoseImagesKeepToThem) {
  const Evaluator evaluator = testing::make_evaluator(problem());
  const Restrictions rules = *Restrictions::create(evaluator.problem()).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::RubyS, rules);
  PerDim ones{};
  ones.fill(1);
  int kept = 0;
  int not_kept = 0;
  for (int seed = 0; seed < testing::affordable(300); ++seed) {
    TestRng rng(static_cast<std::uint64_t>(seed));
    const std::vector<ArrayChoice> choices = random_choices(rng);
    DimMirror swap{};
    for (int d = 0; d < solver.dim_count; ++d) swap[at(d)] = d;
    std::swap(swap[0], swap[rng.chance(50) ? 1 : 2]);
    swap[at(swap[0])] = 0;
    const bool is_kept = ArrayChoices(solver, choices).are_kept_by(swap);
    (is_kept ? kept : not_kept) += 1;
    if (!is_kept) continue;
    for_each_bounds(ones, [&](const PerDim& bounds) {
      PerDim image = bounds;
      for (int d = 0; d < solver.dim_count; ++d) image[at(swap[at(d)])] = bounds[at(d)];
      EXPECT_EQ(keeps(solver, bounds, choices), keeps(solver, image, choices)) << seed;
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(not_kept, 0);
}

}  // namespace
}  // namespace tilewright::optimal
