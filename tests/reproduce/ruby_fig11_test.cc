#include "reproduce/figure_cells.h"
#include "reproduce/ruby_figures.h"

namespace tilewright::reproduce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(RubyFigure11, LeavesOutFiltersThatTheArrayCannotHold) {
  const Figure figure = ruby_fig11({}, {.patience = 100, .layers = 7});
  expect_rectangular(figure);
  // 04 to 07, the mean and the least.
  ASSERT_EQ(figure.rows.size(), 6U);
  EXPECT_EQ(cell(figure, 0, "layer"), "04_DeepSpeech");
  EXPECT_THAT(figure.notes,
              Contains(HasSubstr("no mapping: 01_DeepSpeech, 02_DeepSpeech, 03_DeepSpeech.")));
}

TEST(RubyFigure11, SumsUpTheRatiosBesideThePaper) {
  const Figure figure = ruby_fig11({}, {.patience = 100, .layers = 5});
  ASSERT_EQ(figure.rows.size(), 4U);
  for (const std::string heading : {"EDP ratio", "cycles ratio"}) {
    const double a = number(figure, 0, heading);
    const double b = number(figure, 1, heading);
    EXPECT_NEAR(number(figure, 2, heading), (a + b) / 2, 1e-3);
    EXPECT_EQ(number(figure, 3, heading), std::min(a, b));
  }
  EXPECT_EQ(cell(figure, 2, "EDP paper"), "0.90");
  EXPECT_EQ(cell(figure, 2, "cycles paper"), "0.86");
}

}  // namespace
}  // namespace tilewright::reproduce
