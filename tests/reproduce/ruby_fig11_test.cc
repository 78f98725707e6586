#include "reproduce/figure_cells.h"
#include "reproduce/ruby_figures.h"

namespace tilewright::reproduce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(RubyFigure11, LeavesOutFiltersThatTheArrayCannotHold) {
  const Figure figure = ruby_fig11({}, {.patience = 100, .layers = 4});
  expect_rectangular(figure);
  // Without the first, whose filters have 20 columns; then the mean and the least.
  ASSERT_EQ(figure.rows.size(), 5U);
  EXPECT_EQ(cell(figure, 0, "layer"), "conv_341x79x32_32x10x5_s2");
  EXPECT_THAT(figure.notes, Contains(HasSubstr("no mapping: conv_700x161x1_32x20x5_s2.")));
}

TEST(RubyFigure11, SumsUpTheRatiosBesideThePaper) {
  const Figure figure = ruby_fig11({}, {.patience = 100, .layers = 3});
  ASSERT_EQ(figure.rows.size(), 4U);
  for (const std::string heading :
       {"EDP ratio", "cycles ratio", "best EDP ratio", "best cycles ratio"}) {
    const double a = number(figure, 0, heading);
    const double b = number(figure, 1, heading);
    EXPECT_NEAR(number(figure, 2, heading), (a + b) / 2, 1e-3);
    EXPECT_EQ(number(figure, 3, heading), std::min(a, b));
  }
  EXPECT_LE(number(figure, 3, "best EDP ratio"), 1);
  EXPECT_EQ(cell(figure, 2, "EDP paper"), "0.90");
  EXPECT_EQ(cell(figure, 2, "cycles paper"), "0.86");
}

}  // namespace
}  // namespace tilewright::reproduce
