#include <gtest/gtest.h>

#include "tilewright/model.h"

namespace tilewright {
namespace {

Score score_of(double energy_pj, std::int64_t cycles, std::int64_t instances = 1) {
  Score score;
  score.instances = instances;
  score.energy_pj = energy_pj;
  score.cycles = cycles;
  return score;
}

TEST(Objective, ValueIsWhatItsNameSays) {
  const Score score = score_of(2.5, 4);
  EXPECT_EQ(value_of(Objective::Energy, score), 2.5);
  EXPECT_EQ(value_of(Objective::Latency, score), 4);
  EXPECT_EQ(value_of(Objective::Edp, score), 10);
  EXPECT_EQ(to_string(Objective::Energy), "energy");
  EXPECT_EQ(to_string(Objective::Latency), "latency");
  EXPECT_EQ(to_string(Objective::Edp), "edp");
}

TEST(Objective, IsAProductOfPowers) {
  const Score score = score_of(2.5, 4);
  EXPECT_EQ(value_of(Objective::Ed2p, score), 40);
  EXPECT_EQ(value_of(Objective{2, 1}, score), 25);
  EXPECT_EQ(value_of(Objective{0, 3}, score), 64);
  EXPECT_TRUE(is_better(Objective::Ed2p, score_of(30, 2), score_of(10, 4)));
  EXPECT_TRUE(is_better(Objective{2, 1}, score_of(10, 4), score_of(30, 2)));
}

TEST(Objective, ReadsWhatItWrites) {
  for (int energy = 0; energy <= Objective::kMaxPower; ++energy) {
    for (int cycles = 0; cycles <= Objective::kMaxPower; ++cycles) {
      if (energy + cycles == 0) continue;
      const Objective objective{energy, cycles};
      EXPECT_EQ(objective_named(to_string(objective)), objective) << to_string(objective);
    }
  }
  EXPECT_EQ(to_string(Objective{2, 1}), "energy^2*cycles");
  EXPECT_EQ(to_string(Objective{0, 3}), "cycles^3");
  EXPECT_EQ(objective_named("energy*cycles"), Objective::Edp);
}

TEST(Objective, RefusesOtherTexts) {
  for (const char* text :
       {"", "EDP", "energy^0", "energy^5", "energy^", "energy^2*", "*cycles", "cycles*energy",
        "energy*energy", "energy cycles", "energy^22", "energy^2*cycles^", "edp^2"}) {
    EXPECT_EQ(objective_named(text), std::nullopt) << text;
  }
}

TEST(IsBetter, ComparesTheObjectiveFirst) {
  const Score frugal = score_of(1, 100);
  const Score fast = score_of(50, 3);
  EXPECT_TRUE(is_better(Objective::Energy, frugal, fast));
  EXPECT_FALSE(is_better(Objective::Energy, fast, frugal));
  EXPECT_TRUE(is_better(Objective::Latency, fast, frugal));
  EXPECT_TRUE(is_better(Objective::Edp, frugal, fast));
}

TEST(IsBetter, BreaksTiesByTheRestOfTheKey) {
  EXPECT_TRUE(is_better(Objective::Energy, score_of(4, 5), score_of(4, 6)));
  EXPECT_TRUE(is_better(Objective::Latency, score_of(4, 5), score_of(5, 5)));
  // The same product: fewer cycles are better.
  EXPECT_TRUE(is_better(Objective::Edp, score_of(3, 4), score_of(2, 6)));
  EXPECT_FALSE(is_better(Objective::Edp, score_of(2, 6), score_of(3, 4)));
  EXPECT_TRUE(is_better(Objective::Edp, score_of(0, 4), score_of(0, 6)));
}

TEST(IsBetter, OfEqualCostsTheOneOnFewerInstancesIsBetter) {
  for (const Objective objective : {Objective::Edp, Objective::Energy, Objective::Latency}) {
    EXPECT_TRUE(is_better(objective, score_of(3, 4, 6), score_of(3, 4, 7)));
    EXPECT_FALSE(is_better(objective, score_of(3, 4, 7), score_of(3, 4, 6)));
  }
}

TEST(IsBetter, EnergiesThatDifferByRoundingAreEqual) {
  const double sum = 0.1 + 0.2;
  ASSERT_NE(sum, 0.3);
  EXPECT_TRUE(is_better(Objective::Energy, score_of(sum, 5), score_of(0.3, 6)));
  EXPECT_TRUE(is_better(Objective::Energy, score_of(0.3, 5), score_of(sum, 6)));
  // 347,031 pJ * cycles, or a little less.
  EXPECT_TRUE(
      is_better(Objective::Edp, score_of(1927.95, 180, 5), score_of(1927.9499999999998, 180, 15)));
  EXPECT_TRUE(is_better(Objective::Energy, score_of(0.3, 6), score_of(0.3 * (1 + 1e-11), 5)));
}

TEST(IsBetter, NothingIsBetterThanItself) {
  for (const Objective objective : {Objective::Edp, Objective::Energy, Objective::Latency}) {
    EXPECT_FALSE(is_better(objective, score_of(3, 4), score_of(3, 4)));
  }
}

}  // namespace
}  // namespace tilewright
