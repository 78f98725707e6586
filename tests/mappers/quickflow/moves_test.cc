// Random walks from neighbour to neighbour.
#include "mappers/quickflow/moves.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "mappers/quickflow/setting.h"
#include "mappers/quickflow/start.h"
#include "support/brute_force.h"
#include "support/slow_build.h"

namespace tilewright::quickflow {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using testing::kSpaceKinds;
using testing::RandomCase;
using testing::slow_build;
using testing::SmallInstance;
using testing::TestRng;

std::vector<Move> moves_of(const Allocation& allocation) {
  std::vector<Move> moves;
  list_moves(allocation, {}, moves);
  return moves;
}

// Calls visit(allocation) where a walk at random comes by.
template <typename Visit>
void walk(const Allocation& start, std::uint64_t seed, int steps, Visit visit) {
  Allocation here = start;
  TestRng rng(seed);
  for (int step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
    visit(here);
    const std::vector<Move> moves = moves_of(here);
    if (moves.empty()) return;
    here.apply(rng.pick(moves));
  }
}

// The same for random instances: visit(setting, space, allocation).
template <typename Visit>
void walk_instances(std::uint64_t seeds, int steps, Visit visit) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const SmallInstance instance =
        testing::small_instance(seed, {.kind = kind, .most_mappings = 100'000'000});
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, testing::text_of(instance)));
    const Setting setting(instance, kind);
    const MadeSpace space = setting.space();
    const auto start = start_of(setting.tables);
    if (!space.ok() || !start) continue;
    walk(*start, seed, steps, [&](const Allocation& here) { visit(setting, *space.value, here); });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// --- where moves lead ---------------------------------------------------------------

struct Seen {
  int neighbours = 0, uneven = 0, exchanges = 0, keepers = 0;
  int on_the_way = 0;  // constraints want more instances
  int misfits = 0;     // that only the model sees

  void count(const Problem& problem, const Move& move, const Mapping& mapping, const Cost& cost) {
    ++neighbours;
    uneven += is_perfect(problem, mapping) ? 0 : 1;
    exchanges += move.splits[1].dim >= 0 ? 1 : 0;
    keepers += move.keeper >= 0 ? 1 : 0;
    on_the_way += cost.missing > 1 ? 1 : 0;
    misfits += cost.score.verdict.fits() ? 0 : 1;
  }
};

// What speaks against a mapping; without a space, which may be too large to be
// counted, remainders are not looked at.
std::vector<std::string> reasons_against(const Setting& setting, const MapSpace* space,
                                         const Mapping& mapping) {
  if (space != nullptr) return space->why_not(mapping);
  const Problem& problem = setting.tables.problem;
  std::vector<std::string> reasons = structural_problems(problem, mapping);
  if (reasons.empty()) reasons = hardware_problems(problem, mapping);
  return reasons.empty() ? setting.restrictions.broken_by(problem, mapping) : reasons;
}

// A neighbour is computed in steps as if from scratch, and what it is said to be.
void check_neighbours(const Setting& setting, const MapSpace* space, const Allocation& from,
                      Seen& seen) {
  Scorer scorer(from, Objective::Edp, kNobody);
  OrderChooser chooser(setting.evaluator, setting.restrictions, Objective::Edp);
  for (const Move& move : moves_of(from)) {
    Allocation to = from;
    to.apply(move);
    ASSERT_EQ(to.hash(), from.hash_after(move));
    ASSERT_NE(to.hash(), from.hash());
    ASSERT_TRUE(to == Allocation(setting.tables, to.mapping()));
    ASSERT_TRUE(to.fits());
    ASSERT_LE(to.missing_instances(), from.missing_instances());
    Mapping mapping = to.mapping();
    chooser.choose(mapping);
    const Score truth = setting.evaluator.score(mapping);
    const Cost cost = scorer.score(from, move);
    ASSERT_EQ(cost.score.verdict, truth.verdict);
    if (truth.verdict.fits()) {
      ASSERT_EQ(cost.score.cycles, truth.cycles);
      ASSERT_NEAR(cost.score.energy_pj, truth.energy_pj, 1e-12 * truth.energy_pj);
    }
    ASSERT_TRUE(truth.verdict.fits() || setting.tables.only_model_knows);
    const auto reasons = reasons_against(setting, space, mapping);
    ASSERT_EQ(reasons.empty(), cost.missing <= 1);
    ASSERT_THAT(reasons, Each(HasSubstr("must take part")));
    seen.count(setting.tables.problem, move, mapping, cost);
  }
}

TEST(Moves, LeadToMappingsOfTheSpaceThatFit) {
  Seen seen;
  walk_instances(slow_build() ? 24 : 120, 5,
                 [&](const Setting& setting, const MapSpace& space, const Allocation& from) {
                   check_neighbours(setting, &space, from, seen);
                 });
  const int kFew = slow_build() ? 1 : 10;
  EXPECT_GE(seen.neighbours, 1000 * kFew);
  EXPECT_GE(seen.uneven, 100 * kFew);
  EXPECT_GE(seen.exchanges, 10 * kFew);
  EXPECT_GE(seen.keepers, 10 * kFew);
  EXPECT_GE(seen.on_the_way, kFew);
  EXPECT_GE(seen.misfits, kFew);
}

// As many slots as there may be.
TEST(Moves, WorkInTheLargestTables) {
  Seen seen;
  TestRng rng(3);
  for (const SpaceKind kind : kSpaceKinds) {
    const RandomCase random = testing::random_case(rng, {.largest_tables = true});
    const Setting setting(random.problem, kind);
    ASSERT_EQ(setting.tables.slots, kMaxSlots);
    walk(start_of(setting.tables).value(), 1, 2,
         [&](const Allocation& from) { check_neighbours(setting, nullptr, from, seen); });
  }
  EXPECT_GE(seen.neighbours, 1000);
}

// --- what moves there are -------------------------------------------------------------

std::set<std::uint64_t> hashes_after_moves(const Allocation& from) {
  std::set<std::uint64_t> hashes;
  for (const Move& move : moves_of(from)) hashes.insert(from.hash_after(move));
  return hashes;
}

// Every mapping that has some power of a prime in another slot, or a tensor
// kept that was not, or the other way round.
std::vector<Mapping> naive_neighbours(const Problem& problem, const Mapping& from) {
  std::vector<Mapping> found;
  for (int d = 0; d < problem.dim_count(); ++d) {
    const DimId dim{d};
    for (int s = 0; s < problem.slot_count(); ++s) {
      for (int t = 0; t < problem.slot_count(); ++t) {
        for (std::int64_t power : {2, 4, 8, 3, 9, 5, 7, 11}) {
          if (s == t || from.bound(s, dim) % power != 0) continue;
          found.push_back(from);
          found.back().set_bound(s, dim, from.bound(s, dim) / power);
          found.back().set_bound(t, dim, from.bound(t, dim) * power);
        }
      }
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    for (int t = 0; t < problem.tensor_count(); ++t) {
      found.push_back(from);
      found.back().set_kept(MemoryId{m}, from.kept(MemoryId{m}) ^ 1U << t);
    }
  }
  return found;
}

TEST(Moves, TakeEveryPowerOfAPrimeToEverySlotWhereItFits) {
  int found = 0;
  const auto visit = [&](const Setting& setting, const MapSpace& space, const Allocation& from) {
    OrderChooser chooser(setting.evaluator, setting.restrictions, Objective::Edp);
    const std::set<std::uint64_t> offered = hashes_after_moves(from);
    for (Mapping& mapping : naive_neighbours(setting.tables.problem, from.mapping())) {
      if (!structural_problems(setting.tables.problem, mapping).empty()) continue;
      const std::uint64_t hash = Allocation(setting.tables, mapping).hash();
      chooser.choose(mapping);
      if (!space.contains(mapping) || !setting.evaluator.score(mapping).verdict.fits()) continue;
      ++found;
      ASSERT_TRUE(offered.contains(hash));
    }
  };
  walk_instances(slow_build() ? 16 : 80, 3, visit);
  EXPECT_GE(found, slow_build() ? 200 : 1000);
}

// 127 on a row of 16 takes 8 steps with 16, 9 with 15, 10 with 13 as with 14.
TEST(Moves, OfferTheSmallestBoundOfEachNumberOfSteps) {
  const Problem problem = testing::make_problem(
      make_gemm("prime", 127, 1, 1),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Row", 16)}));
  const Setting setting(problem, SpaceKind::RubyS);
  Mapping outside(problem);
  outside.set_bound(0, DimId{0}, 127);
  std::set<std::pair<std::int64_t, std::int64_t>> offered;  // outside, along the row
  for (const Move& move : moves_of(Allocation(setting.tables, outside))) {
    Allocation to(setting.tables, outside);
    to.apply(move);
    offered.insert({to.mapping().bound(0, DimId{0}), to.mapping().bound(2, DimId{0})});
  }
  for (std::int64_t bound = 2; bound <= 16; ++bound) {
    const std::int64_t steps = ceil_div(127, bound);
    EXPECT_EQ(offered.contains({steps, bound}), ceil_div(127, bound - 1) != steps) << bound;
  }
  EXPECT_EQ(offered.size(), 14U);
}

// 100 as 25 * 4 * 1, with 10 in the row: of the 4, 2 divide the 10 that are left.
TEST(Moves, LeaveOutsideWhatStillDivides) {
  const Problem problem = testing::make_problem(
      make_gemm("gemm", 100, 1, 1),
      testing::make_arch({testing::make_memory("Outer"), testing::make_memory("Middle"),
                          testing::make_fanout("Row", 16)}));
  const Setting setting(problem, SpaceKind::RubyS);
  Mapping mapping(problem);
  mapping.set_bound(0, DimId{0}, 25);
  mapping.set_bound(1, DimId{0}, 4);
  const std::set<std::uint64_t> offered = hashes_after_moves(Allocation(setting.tables, mapping));
  mapping.set_bound(0, DimId{0}, 5);
  mapping.set_bound(1, DimId{0}, 2);
  mapping.set_bound(3, DimId{0}, 10);
  EXPECT_TRUE(offered.contains(Allocation(setting.tables, mapping).hash()));
}

}  // namespace
}  // namespace tilewright::quickflow
