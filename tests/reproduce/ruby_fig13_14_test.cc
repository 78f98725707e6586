#include "reproduce/figure_cells.h"
#include "reproduce/ruby_figures.h"

namespace tilewright::reproduce {
namespace {

constexpr RubyEffort kLittle = {.patience = 20, .layers = 1, .arrays = 2};

TEST(RubyFigure13, TheCommonFrontierIsMadeOfTheFrontiersOfTheStrategies) {
  const Figure figure = ruby_fig13({}, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 24U);  // 2 sets of workloads, 2 arrays, 3 strategies, twice
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const bool smallest = cell(figure, row, "array") == "2x7";
    const bool common = cell(figure, row, "Pareto of all") == "yes";
    if (smallest || common) {
      EXPECT_EQ(cell(figure, row, "Pareto of its strategy"), "yes") << row;
    }
    EXPECT_NEAR(number(figure, row, "EDP"),
                number(figure, row, "energy") * number(figure, row, "cycles"),
                1e-4 * number(figure, row, "EDP"));
  }
}

TEST(RubyFigure13, ALargerArrayThatIsNoBetterIsNotParetoOptimal) {
  const Figure figure = ruby_fig13({}, kLittle);
  ASSERT_EQ(figure.rows.size(), 24U);
  for (const std::size_t set : {0U, 12U}) {
    for (std::size_t strategy = 0; strategy < 6; ++strategy) {
      const std::size_t small = set + strategy;
      const std::size_t large = small + 6;
      EXPECT_LT(number(figure, small, "area um2"), number(figure, large, "area um2"));
      const bool better = number(figure, large, "EDP") < number(figure, small, "EDP");
      EXPECT_EQ(cell(figure, large, "Pareto of its strategy"), better ? "yes" : "no");
    }
  }
}

TEST(RubyFigure13, NoSearchIsBetterThanWhatIsProven) {
  const Figure figure = ruby_fig13({}, kLittle);
  ASSERT_EQ(figure.rows.size(), 24U);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const std::string strategy = cell(figure, row, "strategy");
    if (strategy.ends_with(", proven")) continue;
    EXPECT_EQ(cell(figure, row + 3, "strategy"), strategy + ", proven");
    EXPECT_GE(number(figure, row, "EDP"), number(figure, row + 3, "EDP"));
  }
}

TEST(RubyFigure14, SumsUpTheGainsOfFigure13) {
  const Figure points = ruby_fig13({}, kLittle);
  const Figure figure = ruby_fig14({}, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 10U);  // 2 sets of workloads, 2 arrays and 3 sums
  EXPECT_EQ(number(figure, 0, "EDP PFM"), number(points, 0, "EDP"));
  EXPECT_EQ(number(figure, 0, "EDP Ruby-S"), number(points, 2, "EDP"));
  EXPECT_EQ(number(figure, 0, "best EDP PFM"), number(points, 3, "EDP"));
  EXPECT_EQ(number(figure, 0, "best EDP Ruby-S"), number(points, 5, "EDP"));
  for (const std::string heading : {"gain %", "best gain %"}) {
    const double first = number(figure, 0, heading);
    const double second = number(figure, 1, heading);
    EXPECT_NEAR(number(figure, 2, heading), (first + second) / 2, 0.011);
    EXPECT_NEAR(number(figure, 3, heading), std::max(first, second), 0.011);
  }
}

TEST(RubyClaims, SetTheOptimaBesideTheNumbersOfThePaper) {
  RubyEffort effort = kLittle;
  effort.layers = 2;  // of DeepBench, the first fits on no array
  const Figure claims = ruby_claims({}, effort);
  const Figure sweep = ruby_fig14({}, effort);
  expect_rectangular(claims);
  ASSERT_EQ(claims.rows.size(), 18U);
  EXPECT_EQ(cell(claims, 0, "paper text"), "14");
  EXPECT_EQ(cell(claims, 2, "paper abstract"), "50");
  EXPECT_EQ(cell(claims, 0, "layers"), "2 of 2");
  EXPECT_EQ(cell(claims, 9, "layers"), "1 of 2");
  // One layer: it is the network, the mean and the most.
  EXPECT_EQ(cell(claims, 9, "best"), cell(claims, 10, "best"));
  EXPECT_EQ(cell(claims, 9, "best"), cell(claims, 11, "best"));
  EXPECT_EQ(cell(claims, 12, "experiment"), "ResNet-50, Eyeriss-like arrays");
  EXPECT_NEAR(number(claims, 12, "best"), number(sweep, 2, "best gain %"), 0.06);
  EXPECT_NEAR(number(claims, 13, "best"), number(sweep, 3, "best gain %"), 0.06);
  EXPECT_NEAR(number(claims, 14, "best"), number(sweep, 4, "best gain %"), 0.06);
}

}  // namespace
}  // namespace tilewright::reproduce
