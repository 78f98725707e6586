// Boxes of extents, and bounds over ranges of them.
#include "mappers/optimal/extent_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mappers/optimal/relax.h"
#include "mappers/optimal/small_spaces.h"
#include "mappers/optimal/subproblem_queue.h"
#include "support/problem_text.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);

// Calls visit(subproblem) for the first subproblems of random small map-spaces.
template <typename Visit>
void for_each_subproblem(SpaceKind kind, const Visit& visit) {
  for_each_space({kind, testing::slow_build() ? 20 : 150}, [&](const SolverTables& solver) {
    SubproblemQueue queue(solver, {Objective::Energy, true}, std::int64_t{1} << 30);
    for (int i = 0; i < 6; ++i) {
      const auto candidate = queue.next(Goal(std::nullopt), kForever);
      if (!candidate) break;
      visit(Subproblem(solver, candidate->placement, *candidate->spatial));
      if (::testing::Test::HasFailure()) return;
    }
  });
}

Units least_of(const Subproblem& sub, Lattice lattice) {
  if (!lattice.ok()) return kNever;
  TableMemory memory(std::int64_t{1} << 30);
  return Relaxation(sub, lattice, EnergyLimit(kNever), memory, kForever).least();
}

TEST(ExtentBox, CutsRangesIntoPiecesWithoutGaps) {
  for_each_subproblem(SpaceKind::Ruby, [](const Subproblem& sub) {
    const ExtentBox box(sub);
    for (int m = 0; m < sub.solver().memory_count; ++m) {
      for (int d = 0; d < sub.solver().dim_count; ++d) {
        std::size_t most = 0;
        for (const int parts : {1000, 5, 3}) {
          std::int64_t next = box.range(m, d).least;
          const std::vector<ExtentRange> pieces = box.parts(m, d, parts);
          for (const ExtentRange& piece : pieces) {
            EXPECT_EQ(piece.least, next);
            EXPECT_LE(piece.least, piece.most);
            next = piece.most + 1;
          }
          EXPECT_EQ(next, box.range(m, d).most + 1);
          EXPECT_TRUE(most == 0 || pieces.size() <= most) << "more pieces than before";
          most = pieces.size();
        }
      }
    }
  });
}

// However it is taken apart, nothing is lost, and no bound over ranges is above what is there.
TEST(ExtentBox, BoundsOverRangesAreNoHigherThanThoseOfTheirExtents) {
  int compared = 0;
  int apart = 0;
  for (const SpaceKind kind : {SpaceKind::Ruby, SpaceKind::RubyT}) {
    for_each_subproblem(kind, [&](const Subproblem& sub) {
      const Units least = least_of(sub, Lattice(sub, kForever));
      std::vector<ExtentBox> boxes = {ExtentBox(sub)};
      boxes.front().narrow_to_fit(sub);
      for (int round = 0; round < 4; ++round) {
        Units of_boxes = kNever;
        std::vector<ExtentBox> halves;
        for (const ExtentBox& box : boxes) {
          if (box.empty()) continue;
          const Units inside = least_of(sub, Lattice(sub, box, kForever));
          for (const double vectors : {1.0, 8.0, 64.0, 1e6}) {
            EXPECT_LE(least_of(sub, Lattice(sub, box, vectors, kForever)), inside);
            ++compared;
          }
          of_boxes = std::min(of_boxes, inside);
          for (ExtentBox& half : box.halves(sub)) halves.push_back(std::move(half));
        }
        EXPECT_EQ(of_boxes, least);
        apart += halves.size() > boxes.size() ? 1 : 0;
        boxes = std::move(halves);
      }
    });
  }
  EXPECT_GT(compared, testing::slow_build() ? 1000 : 10'000);
  EXPECT_GT(apart, 100);
}

// The buffer holds tiles of a few indices alone.
std::string with_buffer(int words) {
  return "architecture: ranges\nlevels:\n  - memory: DRAM\n    capacity: unlimited\n"
         "    read: 7 pJ\n  - memory: Buffer\n    read: 2 pJ\n    capacity: 400 words\n"
         "  - fanout: PEs\n    x: 3\n  - memory: Registers\n    read: 0.5 pJ\n    capacity: " +
         std::to_string(words) + " words\n  - compute: MAC\n    energy: 0.2 pJ\n";
}

// Where there are many of a dimension, one ends at the most that is inside.
TEST(ExtentBox, ManyRangesEndAtTheMostThatIsInside) {
  int cuts = 0;
  for (const int words : {9, 20, 37}) {
    const Problem problem = testing::problem_of(with_buffer(words), "gemm: m=31 n=40 k=2");
    const Evaluator evaluator = testing::make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem, {}).value;
    const SolverTables solver = make_solver_tables(evaluator, SpaceKind::Ruby, restrictions);
    SubproblemQueue queue(solver, {Objective::Energy, true}, std::int64_t{1} << 30);
    for (int i = 0; i < 4; ++i) {
      const auto candidate = queue.next(Goal(std::nullopt), kForever);
      ASSERT_TRUE(candidate);
      const Subproblem sub(solver, candidate->placement, *candidate->spatial);
      ExtentBox box(sub);
      box.narrow_to_fit(sub);
      const Units least = least_of(sub, Lattice(sub, box, kForever));
      for (const double vectors : {100.0, 500.0, 5000.0}) {
        const Lattice lattice(sub, box, vectors, kForever);
        EXPECT_LE(least_of(sub, lattice), least);
        for (int d = 0; d < solver.dim_count; ++d) {
          const LatticeAxis& buffer = lattice.axis(1, d);
          const std::int64_t most = buffer.inner_most.back();
          if (buffer.outer.size() <= 8 || most >= buffer.outer_most.back()) continue;
          EXPECT_NE(std::find(buffer.outer_most.begin(), buffer.outer_most.end(), most),
                    buffer.outer_most.end());
          ++cuts;
        }
      }
    }
  }
  EXPECT_GT(cuts, 10);
}

}  // namespace
}  // namespace tilewright::optimal
