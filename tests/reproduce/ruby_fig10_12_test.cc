#include "reproduce/figure_cells.h"
#include "reproduce/ruby_figures.h"

namespace tilewright::reproduce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(RubyFigure10, SetsTheNetworkBesideThePaper) {
  const Figure figure = ruby_fig10({}, {.patience = 200, .layers = 3});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 4U);
  EXPECT_EQ(cell(figure, 3, "layer"), "network");
  EXPECT_EQ(cell(figure, 3, "count"), "5");
  EXPECT_EQ(cell(figure, 3, "EDP paper"), "0.86");
  EXPECT_EQ(cell(figure, 0, "EDP paper"), "");
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(number(figure, row, "EDP ratio"),
                number(figure, row, "EDP Ruby-S") / number(figure, row, "EDP PFM"), 1e-3);
    EXPECT_NEAR(number(figure, row, "EDP ratio"),
                number(figure, row, "energy ratio") * number(figure, row, "cycles ratio"), 1e-3);
    EXPECT_LE(number(figure, row, "best EDP PFM"), number(figure, row, "EDP PFM"));
    EXPECT_LE(number(figure, row, "best EDP Ruby-S"), number(figure, row, "EDP Ruby-S"));
    EXPECT_LE(number(figure, row, "best EDP ratio"), 1);
  }
}

TEST(RubyFigure10, IsTheSameWithAnyNumberOfThreads) {
  Options two;
  two.threads = 2;
  const RubyEffort effort{.patience = 200, .layers = 2};
  EXPECT_EQ(csv_of(ruby_fig10({}, effort)), csv_of(ruby_fig10(two, effort)));
}

TEST(RubyFigure10, SaysWhatItDoesAndHowFarItIs) {
  Options options;
  std::vector<double> fractions;
  std::vector<std::string> texts;
  options.on_progress = [&](const std::string& what, double fraction) {
    texts.push_back(what);
    fractions.push_back(fraction);
  };
  ruby_fig10(options, {.patience = 100, .layers = 1});
  EXPECT_THAT(texts, Contains(HasSubstr("ruby_eyeriss_14x12, Ruby-S")));
  EXPECT_THAT(fractions, Contains(0));
  EXPECT_THAT(fractions, Contains(0.5));
  EXPECT_LE(*std::max_element(fractions.begin(), fractions.end()), 1);
}

TEST(RubyFigure10, StopsWhenCancelledAndSaysSo) {
  std::atomic<bool> cancelled = false;
  Options options;
  options.cancelled = &cancelled;
  // While the second layer is being mapped.
  options.on_progress = [&](const std::string&, double fraction) { cancelled = fraction >= 0.5; };
  const Figure figure = ruby_fig10(options, {.patience = 100, .layers = 2});
  EXPECT_EQ(figure.rows.size(), 1U);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("Incomplete")));
}

TEST(RubyFigure12, HasBothConfigurations) {
  const Figure figure = ruby_fig12({}, {.patience = 20, .layers = 1});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 4U);
  EXPECT_EQ(cell(figure, 1, "EDP paper"), "0.90");
  EXPECT_EQ(cell(figure, 3, "EDP paper"), "0.55");
}

}  // namespace
}  // namespace tilewright::reproduce
