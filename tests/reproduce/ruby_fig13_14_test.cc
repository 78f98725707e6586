#include "reproduce/figure_cells.h"
#include "reproduce/ruby_figures.h"

namespace tilewright::reproduce {
namespace {

constexpr RubyEffort kLittle = {.patience = 20, .layers = 1, .arrays = 2};

TEST(RubyFigure13, TheCommonFrontierIsMadeOfTheFrontiersOfTheStrategies) {
  const Figure figure = ruby_fig13({}, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 12U);  // 2 sets of workloads, 2 arrays, 3 strategies
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
  ASSERT_EQ(figure.rows.size(), 12U);
  for (const std::size_t set : {0U, 6U}) {
    for (std::size_t strategy = 0; strategy < 3; ++strategy) {
      const std::size_t small = set + strategy;
      const std::size_t large = small + 3;
      EXPECT_LT(number(figure, small, "area um2"), number(figure, large, "area um2"));
      const bool better = number(figure, large, "EDP") < number(figure, small, "EDP");
      EXPECT_EQ(cell(figure, large, "Pareto of its strategy"), better ? "yes" : "no");
    }
  }
}

TEST(RubyFigure14, SumsUpTheGainsOfFigure13) {
  const Figure points = ruby_fig13({}, kLittle);
  const Figure figure = ruby_fig14({}, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 10U);  // 2 sets of workloads, 2 arrays and 3 sums
  EXPECT_EQ(number(figure, 0, "EDP PFM"), number(points, 0, "EDP"));
  EXPECT_EQ(number(figure, 0, "EDP Ruby-S"), number(points, 2, "EDP"));
  const double first = number(figure, 0, "gain %");
  const double second = number(figure, 1, "gain %");
  EXPECT_NEAR(number(figure, 2, "gain %"), (first + second) / 2, 0.011);
  EXPECT_NEAR(number(figure, 3, "gain %"), std::max(first, second), 0.011);
}

}  // namespace
}  // namespace tilewright::reproduce
