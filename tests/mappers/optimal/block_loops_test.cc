// Tables across the loops of a memory, and the tiles and prices in them, against one vector at a
// time.
#include "mappers/optimal/block_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "mappers/optimal/fitting_vectors.h"
#include "mappers/optimal/small_spaces.h"
#include "mappers/optimal/sparse_loops.h"
#include "mappers/optimal/subproblem_queue.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);
constexpr std::int64_t kBytes = std::int64_t{1} << 28;

// Calls visit(subproblem, lattice) for some subproblems of small problems with perfect factors.
template <typename Visit>
void for_some_subproblems(int seeds, const Visit& visit) {
  constexpr int kEach = 6;
  for_each_space({SpaceKind::Perfect, testing::affordable(seeds)}, [&](const SolverTables& solver) {
    const Aim aim{Objective::Energy, true};
    SubproblemQueue queue(solver, aim, kBytes);
    for (int i = 0; i < kEach; ++i) {
      const std::optional<Candidate> next = queue.next(Goal(aim), kForever);
      if (!next) break;
      const Subproblem sub(solver, next->placement, *next->spatial);
      const Lattice lattice(sub, kForever);
      if (lattice.ok()) visit(sub, lattice);
      if (::testing::Test::HasFailure()) return;
    }
  });
}

std::vector<AxisExtents> axes_of(const Subproblem& sub, const Lattice& lattice, int memory) {
  std::vector<AxisExtents> axes(at(sub.solver().dim_count));
  for (int d = 0; at(d) < axes.size(); ++d) axes[at(d)].extents = lattice.axis(memory, d).inner;
  return axes;
}

std::size_t places_of(const std::vector<AxisExtents>& axes) {
  std::size_t number = 1;
  for (const AxisExtents& axis : axes) number *= axis.extents.size();
  return number;
}

TEST(LinkPrices, OfAPartAreThoseOfAll) {
  std::mt19937 random(7);
  int parts = 0;
  for_some_subproblems(60, [&](const Subproblem& sub, const Lattice& lattice) {
    for (const Link& link : sub.placement().links) {
      const int block = link.child - 1;
      const std::vector<AxisExtents> axes = axes_of(sub, lattice, block);
      const LinkPrices prices(sub, link, block, axes, -1);
      std::vector<Units> all(places_of(axes), 5);
      prices.add_to(all);
      for (int i = 0; i < 8; ++i, ++parts) {
        const std::size_t first = random() % all.size();
        const std::size_t number = 1 + random() % (all.size() - first);
        std::vector<Units> part(number, 5);
        prices.add_to_part(first, part);
        EXPECT_TRUE(
            std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
      }
    }
  });
  EXPECT_GT(parts, testing::enough(500));
}

TEST(FittingVectors, AreThoseOfWhichEachFits) {
  int fitting = 0;
  int exceeding = 0;
  for_some_subproblems(60, [&](const Subproblem& sub, const Lattice& lattice) {
    TableMemory memory(kBytes);
    for (int m = 1; m < sub.solver().memory_count; ++m) {
      const ExtentLists extents = tile_extents(lattice, m, sub.solver().dim_count);
      std::size_t number = 1;
      for (const auto& list : extents) number *= list.size();
      Values values(number, 1, TableAllocator<Units>(memory));
      FittingVectors(sub, m, extents).leave_out_others(values);
      for (std::size_t place = 0; place < number; ++place) {
        PerDim tile{};
        std::size_t rest = place;
        for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d].size()) {
          tile[d] = extents[d][rest % extents[d].size()];
        }
        const bool fits = Fitting(sub, m).check(tile).fits();
        EXPECT_EQ(values[place] < kNever, fits);
        (fits ? fitting : exceeding) += 1;
      }
    }
  });
  EXPECT_GT(fitting, testing::enough(500));
  EXPECT_GT(exceeding, testing::enough(100));
}

// Few states of a table have a value, or most of them.
Values some_values(std::size_t number, std::uint32_t one_in, std::mt19937& random,
                   TableMemory& memory) {
  Values values(number, kNever, TableAllocator<Units>(memory));
  for (Units& value : values) {
    if (random() % one_in == 0) value = static_cast<Units>(random() % 1000);
  }
  return values;
}

TEST(BlockLoops, WithoutLoopsHaveTheSameExtentsOnBothSides) {
  std::mt19937 random(11);
  int reached = 0;
  for_some_subproblems(60, [&](const Subproblem& sub, const Lattice& lattice) {
    TableMemory memory(kBytes);
    for (int m = 0; m < sub.solver().memory_count; ++m) {
      BlockLoops loops(sub, lattice, m);
      for (const bool outwards : {true, false}) {
        const std::uint32_t dims = random() & loops.all_dims();
        const std::uint32_t here = outwards ? 0 : dims;
        std::size_t number = 1;
        for (int d = 0; d < sub.solver().dim_count; ++d) number *= loops.extents(here, d).size();
        const Values values = some_values(number, random() % 2 == 0 ? 8 : 1, random, memory);
        Values expected = values;
        for (const int d : members(dims)) {
          const std::uint32_t passed = dims & ((1U << d) - 1U);
          const std::uint32_t done = outwards ? passed : dims & ~passed & ~(1U << d);
          expected = loops.across(expected, done, {.dim = d, .outwards = outwards, .idle = true});
        }
        const Values found = loops.without_loops(values, 0, dims, outwards);
        ASSERT_EQ(found, expected);
        for (const Units value : found) reached += value < kNever ? 1 : 0;
      }
    }
  });
  EXPECT_GT(reached, testing::enough(500));
}

// What the loop of a dimension leads to, edge by edge, if it moves one link.
Values after_loop(const Subproblem& sub, const Link& link, const Lattice& lattice, int d,
                  const Values& values) {
  const int m = link.child - 1;
  const LatticeAxis& loop = lattice.axis(m, d);
  std::vector<AxisExtents> axes = axes_of(sub, lattice, m);
  axes[at(d)].extents.clear();
  for (const Edge& edge : loop.edges) {
    axes[at(d)].extents.push_back(loop.inner[at(edge.from)]);
    axes[at(d)].bounds.push_back(edge.bound);
  }
  std::vector<Units> prices(places_of(axes), 0);
  LinkPrices(sub, link, m, axes, d).add_to(prices);
  std::size_t after = 1;
  for (std::size_t i = at(d) + 1; i < axes.size(); ++i) after *= axes[i].extents.size();
  const std::size_t before = values.size() / (loop.inner.size() * after);
  Values least(before * loop.outer.size() * after, kNever, values.get_allocator());
  for (std::size_t place = 0; place < prices.size(); ++place) {
    const Edge& edge = loop.edges[place / after % loop.edges.size()];
    const std::size_t b = place / after / loop.edges.size();
    const std::size_t from = (b * loop.inner.size() + at(edge.from)) * after;
    const std::size_t to = (b * loop.outer.size() + at(edge.to)) * after;
    Units& value = least[to + place % after];
    value = std::min(value, sum(values[from + place % after], prices[place]));
  }
  return least;
}

// Prices are found for all rows, or for few.
TEST(BlockLoops, PayForEachEdgeThatIsFollowed) {
  std::mt19937 random(13);
  int paid = 0;
  for_some_subproblems(60, [&](const Subproblem& sub, const Lattice& lattice) {
    TableMemory memory(kBytes);
    for (const Link& link : sub.placement().links) {
      const auto dims = static_cast<std::uint32_t>(sub.solver().dim_count);
      const int d = static_cast<int>(random() % dims);
      const std::size_t places = places_of(axes_of(sub, lattice, link.child - 1));
      const Values values = some_values(places, random() % 2 == 0 ? 12 : 1, random, memory);
      BlockLoops loops(sub, lattice, link.child - 1);
      const BlockLoops::Passage passage{
          .dim = d, .moved = 1U << link.tensor, .pending = one_open(link.tensor)};
      ASSERT_EQ(loops.across(values, 0, passage), after_loop(sub, link, lattice, d, values));
      ++paid;
    }
  });
  EXPECT_GT(paid, testing::enough(100));
}

Values table_of(const ReachedPlaces& places, std::size_t number) {
  Values values(number, kNever, TableAllocator<Units>(places.get_allocator().memory()));
  take_less(values, places);
  return values;
}

// Of one loop that moves a link, of no loops, and of a link that any loop moves.
TEST(SparseLoops, AreTheSameAsLoopsOfWholeTables) {
  std::mt19937 random(17);
  int reached = 0;
  for_some_subproblems(60, [&](const Subproblem& sub, const Lattice& lattice) {
    TableMemory memory(kBytes);
    for (const Link& link : sub.placement().links) {
      BlockLoops whole(sub, lattice, link.child - 1);
      SparseLoops sparse(sub, lattice, link.child - 1);
      for (int i = 0; i < 4; ++i) {
        const int d =
            static_cast<int>(random() % static_cast<std::uint32_t>(sub.solver().dim_count));
        const std::uint32_t others = random() & whole.all_dims() & ~(1U << d);
        const BlockLoops::Passage passage{.dim = d,
                                          .outwards = i % 2 == 0,
                                          .moved = 1U << link.tensor,
                                          .pending = one_open(link.tensor)};
        const std::uint32_t here = i % 2 == 0 ? others : others | (1U << d);
        Values values = some_values(whole.places_of(here), i < 2 ? 12 : 2, random, memory);
        ReachedPlaces places = SparseLoops::from_table(values);
        SparseLoops::merge(places, ReachedPlaces(places));
        sparse.unite(places);
        ASSERT_EQ(places.size(), count_reached(values));
        const Values after = whole.across(values, others, passage);
        ASSERT_EQ(after, table_of(sparse.across(places, others, passage), after.size()));
        reached += static_cast<int>(count_reached(after));
        whole.pay(here, 1U << link.tensor, passage.pending, values);
        sparse.pay(here, 1U << link.tensor, passage.pending, places);
        ASSERT_EQ(values, table_of(places, values.size()));
        const std::uint32_t dims = random() & (i % 2 == 0 ? ~here & whole.all_dims() : here);
        const std::uint32_t done = i % 2 == 0 ? here : here & ~dims;
        const Values idle = whole.without_loops(values, done, dims, i % 2 == 0);
        const ReachedPlaces same = sparse.without_loops(places, done, dims, i % 2 == 0);
        ASSERT_EQ(idle, table_of(same, idle.size()));
      }
    }
  });
  EXPECT_GT(reached, testing::enough(500));
}

TEST(FittingVectors, OfListsAreThoseOfTables) {
  std::mt19937 random(19);
  for_some_subproblems(60, [&](const Subproblem& sub, const Lattice& lattice) {
    TableMemory memory(kBytes);
    for (int m = 1; m < sub.solver().memory_count; ++m) {
      const ExtentLists extents = tile_extents(lattice, m, sub.solver().dim_count);
      std::size_t number = 1;
      for (const auto& list : extents) number *= list.size();
      Values values = some_values(number, 3, random, memory);
      ReachedPlaces places = SparseLoops::from_table(values);
      FittingVectors fitting(sub, m, extents);
      fitting.leave_out_others(values);
      fitting.leave_out_others(places);
      ASSERT_EQ(values, table_of(places, number));
    }
  });
}

}  // namespace
}  // namespace tilewright::optimal
