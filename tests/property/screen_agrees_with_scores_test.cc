// What a screen tells of a mapping, by the chains of its factors, is what its score tells.
#include <gtest/gtest.h>

#include "model/screen.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {
namespace {

using Finding = Screen::Finding;

struct Seen {
  int open = 0, misfit = 0, beaten = 0;
};

// A sampler with the screen of its chains.
class Draws {
 public:
  Draws(const Evaluator& evaluator, const MapSpace& space)
      : scorer_(evaluator), screen_(scorer_), sampler_(space) {
    for (int d = 0; d < space.problem().dim_count(); ++d) {
      for (const Screen::Chain& chain : sampler_.chains_of(DimId{d})) screen_.add_chain(d, chain);
    }
  }

  bool lists_chains() const { return sampler_.lists_chains(); }

  // Each draw is held against the best before it, and against what nothing beats.
  void check(Rng& rng, Objective objective, Seen& seen) {
    std::optional<Score> best;
    for (int i = 0; i < 24; ++i) {
      sampler_.draw_parts(rng);
      const Finding finding = judge(objective, best);
      const Finding beaten = judge(objective, Score{});
      const Screen::Least least = beaten == Finding::Beaten ? screen_.least() : Screen::Least{};
      const Score score = scorer_.score(sampler_.written());
      compare(finding, score, objective, best);
      EXPECT_LE(least.energy_pj, score.energy_pj * (1 + 1e-12));
      EXPECT_LE(least.cycles, static_cast<double>(score.cycles));
      if (score.verdict.fits() && (!best || is_better(objective, score, *best))) best = score;
      count(finding, seen);
    }
  }

 private:
  Finding judge(Objective objective, const std::optional<Score>& to_beat) {
    screen_.set_bar(objective, to_beat);
    return screen_.judge(sampler_.chains(), sampler_.keeping());
  }

  static void count(Finding finding, Seen& seen) {
    if (finding == Finding::Open) ++seen.open;
    if (finding == Finding::Misfit) ++seen.misfit;
    if (finding == Finding::Beaten) ++seen.beaten;
  }

  void compare(Finding finding, const Score& score, Objective objective,
               const std::optional<Score>& best) const {
    switch (finding) {
      case Finding::Open:
        break;
      case Finding::Misfit:
        EXPECT_FALSE(score.verdict.fits());
        EXPECT_EQ(screen_.verdict(), score.verdict);
        break;
      case Finding::Beaten:
        ASSERT_TRUE(score.verdict.fits());
        ASSERT_TRUE(best);
        EXPECT_FALSE(is_better(objective, score, *best));
    }
  }

  Scorer scorer_;
  Screen screen_;
  Sampler sampler_;
};

// The problem with room for few words in some memories.
Problem with_little_room(TestRng& rng, const Problem& problem) {
  Architecture arch = problem.arch();
  bool outermost = true;
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    const std::int64_t words = rng.between(4, 400);
    if (!std::exchange(outermost, false) && rng.chance(70)) {
      memory->capacity = {Capacity::Unit::Words, words};
      if (rng.chance(30)) memory->capacity = {Capacity::Unit::Bits, 8 * words};
    }
  }
  return make_problem(problem.workload(), arch);
}

struct Shard {
  const char* name;
  std::uint64_t seed;
  Accounting accounting = Accounting::Exact;
  SpaceKind kind = SpaceKind::Perfect;
};

class ScreensOfRandomSpaces : public ::testing::TestWithParam<Shard> {};

TEST_P(ScreensOfRandomSpaces, TellWhatScoresTell) {
  const int cases = affordable(GetParam().kind == SpaceKind::Perfect ? 400 : 40);
  const std::vector<Objective> objectives = {Objective::Edp, Objective::Energy, Objective::Latency,
                                             Objective{1, -1}};
  const Shard& shard = GetParam();
  Seen seen;
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    TestRng rng(shard.seed + static_cast<std::uint64_t>(i));
    const RandomCase random = random_case(
        rng, {.imperfect = false, .accounting = shard.accounting, .largest_volume = 20'000});
    const Problem problem = with_little_room(rng, random.problem);
    const Checked<Restrictions> restrictions = Restrictions::create(problem);
    const MadeSpace space = MapSpace::create(problem, shard.kind, *restrictions.value);
    if (!space.ok()) continue;
    Draws draws(make_evaluator(problem), *space.value);
    if (!draws.lists_chains()) continue;
    Rng chance(rng.next());
    draws.check(chance, objectives[static_cast<std::size_t>(i) % objectives.size()], seen);
    if (HasFailure()) ADD_FAILURE() << "case " << i << ": " << describe(random);
  }
  EXPECT_GT(seen.open, cases);
  if (shard.kind != SpaceKind::Perfect) return;
  EXPECT_GT(seen.misfit, cases / 4);
  EXPECT_GT(seen.beaten, cases / 4);
}

INSTANTIATE_TEST_SUITE_P(Shards, ScreensOfRandomSpaces,
                         ::testing::Values(Shard{"perfect", 31'000'000},
                                           Shard{"timeloop", 32'000'000, Accounting::Timeloop},
                                           Shard{"remainders", 33'000'000, Accounting::Exact,
                                                 SpaceKind::RubyS}),
                         [](const auto& shard) { return std::string(shard.param.name); });

// Of a convolution on an array, what is open is a small part of what is drawn.
TEST(Screen, LeavesFewOfTheMappingsOfALayer) {
  const Problem problem = make_problem(
      make_conv2d("conv",
                  {.in_channels = 16, .out_channels = 32, .p = 14, .q = 14, .r = 3, .s = 3}),
      make_arch({make_memory("Outer"), make_memory("Buffer", 8192), make_fanout("Array", 16),
                 make_memory("Registers", 64)}));
  const Checked<Restrictions> restrictions = Restrictions::create(problem);
  const MadeSpace space = MapSpace::create(problem, SpaceKind::Perfect, *restrictions.value);
  Draws draws(make_evaluator(problem), *space.value);
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    draws.check(rng, Objective::Edp, seen);
  }
  EXPECT_GT(seen.misfit + seen.beaten, 3 * seen.open);
}

}  // namespace
}  // namespace tilewright::testing
