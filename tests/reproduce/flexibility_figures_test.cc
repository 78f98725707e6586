#include "reproduce/flexibility_figures.h"

#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include "reproduce/figure_cells.h"
#include "reproduce/flexibility_setup.h"
#include "support/slow_build.h"
#include "tilewright/study.h"

namespace tilewright::reproduce {
namespace {

using ::testing::HasSubstr;

Options two_threads() {
  Options options;
  options.threads = 2;
  return options;
}

// The layers that figures show.
Network some_layers() {
  Network network = gamma_network("gamma_mnasnet");
  std::erase_if(network.layers, [](const Layer& layer) {
    static const std::set<std::string> kShown = {"1", "16", "19", "21", "29"};
    return kShown.count(layer.name) == 0;
  });
  return network;
}

double rounded(double value, double step) { return std::round(value / step) * step; }

// Cells of the column after the first with a heading: those of the paper.
std::string after(const Figure& figure, std::size_t row, const std::string& heading) {
  const auto at = std::find(figure.headings.begin(), figure.headings.end(), heading);
  return figure.rows[row][static_cast<std::size_t>(at - figure.headings.begin()) + 1];
}

TEST(FlexibilityTable3, AddsUp) {
  const Figure figure = flexibility_table3({});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 7U);
  const std::vector<double> added = {0, 31, 1615, 877, 212, 1367.5, 2735};
  for (std::size_t row = 0; row < added.size(); ++row) {
    EXPECT_NEAR(number(figure, row, "added"), added[row], 1e-9);
  }
  // What is printed, but for the slip in T-Flex and the 2 um2 that FullFlex lacks.
  for (const std::size_t row : {std::size_t{0}, std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    EXPECT_EQ(number(figure, row, "area"), std::stod(after(figure, row, "area")));
  }
}

TEST(FlexibilityFigure11, HasTheTwelvePrintedRuntimesAndAllFlexions) {
  if (testing::slow_build()) GTEST_SKIP() << "flex isolate goes the same way";
  const Figure figure = flexibility_fig11(two_threads());
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 24U);
  int runtimes = 0;
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const std::string name = cell(figure, row, "accelerator");
    if (name == "FullFlex-1111" || name == "whole 16x16 blocks") continue;
    const double printed = std::stod(after(figure, row, "runtime"));
    // 0.625 is printed as 0.63.
    EXPECT_NEAR(number(figure, row, "runtime"), printed, 0.00501) << name << " " << row;
    ++runtimes;
    // Two decimals, or three; of the whole network 0.001 and 0.004 are printed as 0.00.
    const std::string hardware = after(figure, row, "H-F");
    const double step = hardware.size() == 5 ? 0.001 : 0.01;
    EXPECT_NEAR(rounded(number(figure, row, "H-F"), step), std::stod(hardware), 0.0011) << name;
    EXPECT_NEAR(number(figure, row, "W-F"), std::stod(after(figure, row, "W-F")), 0.00501) << name;
  }
  EXPECT_EQ(runtimes, 16);
  EXPECT_THAT(figure.notes.front(), HasSubstr("1.0000 0.6667 0.5000 0.5000"));
  EXPECT_THAT(figure.notes.front(), HasSubstr("1.0000 0.7500 0.6250 0.6250"));
  EXPECT_THAT(figure.notes.front(), HasSubstr("1.0000 0.8889 0.8889 0.8667"));
  EXPECT_THAT(figure.notes.front(), HasSubstr("1.0000 0.9764 0.9593 0.9585"));
  EXPECT_THAT(figure.notes.front(), HasSubstr("in 16 of these 16 cases"));
}

// The shares of PEs that the paper's text has; in (a) less is read from the buffer.
TEST(FlexibilityFigure3, FreedomFillsTheArray) {
  const Figure figure = flexibility_fig3(two_threads());
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 8U);
  for (const std::size_t row : {4U, 6U}) {
    EXPECT_EQ(cell(figure, row, "PEs used"), "50 %");
    EXPECT_EQ(cell(figure, row + 1, "PEs used"), "100 %");
  }
  EXPECT_EQ(cell(figure, 7, "chosen"), "CK 2x8");
  EXPECT_LT(number(figure, 1, "energy"), 1);
  EXPECT_LE(number(figure, 3, "energy"), 1);
}

TEST(FlexibilityFigure9, HasThePrintedFlexions) {
  if (testing::slow_build()) GTEST_SKIP() << "flex isolate goes the same way";
  const Figure figure = flexibility_fig9(two_threads(), some_layers());
  expect_rectangular(figure);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const bool whole = cell(figure, row, "layer") == "model";
    if (cell(figure, row, "accelerator") == "FullFlex-1111") continue;
    EXPECT_NEAR(number(figure, row, "H-F"), std::stod(after(figure, row, "H-F")), 0.0005);
    // Of the whole network the paper prints what belongs to layer 29.
    if (!whole) {
      EXPECT_NEAR(number(figure, row, "W-F"), std::stod(after(figure, row, "W-F")), 0.00501);
    }
  }
}

TEST(FlexibilityFigure10, HasTheFlexionsOfOneAndTwoPairs) {
  if (testing::slow_build()) GTEST_SKIP() << "flex isolate goes the same way";
  const Figure figure = flexibility_fig10(two_threads(), some_layers());
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const std::string derived = after(figure, row, "H-F");  // in brackets: not printed
    if (derived.empty()) continue;
    EXPECT_NEAR(number(figure, row, "H-F"), std::stod(derived.substr(1)), 0.0005);
  }
}

TEST(FlexibilityFigure7, HasTheFlexionOfThirds) {
  if (testing::slow_build()) GTEST_SKIP() << "flex isolate goes the same way";
  const Figure figure = flexibility_fig7(two_threads(), some_layers());
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    if (cell(figure, row, "accelerator") != "PartFlex-1000") continue;
    EXPECT_EQ(cell(figure, row, "H-F"), "0.222");
  }
}

// More freedom is never slower; with two of the seven networks.
TEST(FlexibilityFigure13, IsMonotone) {
  if (testing::slow_build()) GTEST_SKIP() << "flex futureproof goes the same way";
  const Figure figure = flexibility_fig13(two_threads(), {"gamma_alexnet", "gamma_dlrm"});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 19U);
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    rows[cell(figure, row, "accelerator")] = row;
  }
  const auto name = [](int axes) {
    return (axes == 0 ? "InFlex-" : "FullFlex-") + bits_text(static_cast<TopsAxes>(axes));
  };
  for (const char* network : {"alexnet", "dlrm"}) {
    for (int more = 0; more < 16; ++more) {
      for (int less = 0; less < 16; ++less) {
        if ((more & less) != less) continue;
        EXPECT_LE(number(figure, rows.at(name(more)), network),
                  number(figure, rows.at(name(less)), network))
            << name(more) << " " << name(less) << " " << network;
      }
    }
    const double everything = number(figure, rows.at("FullFlex-1111"), network);
    EXPECT_LE(everything, number(figure, rows.at("PartFlex-1111"), network));
    EXPECT_LE(everything, number(figure, rows.at("X-Opt"), network));
    EXPECT_LE(number(figure, rows.at("all PEs busy"), network), everything);
  }
  EXPECT_EQ(cell(figure, rows.at("X-Opt"), "alexnet"), "1.000");
  EXPECT_EQ(cell(figure, rows.at("FullFlex-0010"), "paper dlrm"), "0.25");
}

// What a PE gets of a layer says how many PEs there is work for.
TEST(FlexibilityTilesOfPes, LeavePesIdle) {
  if (testing::slow_build()) GTEST_SKIP() << "the mappings are those of flex isolate";
  const Figure figure = flexibility_pe_tiles(two_threads(), some_layers(), {"gamma_dlrm"});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 9U + 9U + 12U + 5U);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const bool fixed = cell(figure, row, "accelerator").starts_with("InFlex");
    EXPECT_LE(number(figure, row, "runtime"), 1);
    if (fixed) {
      EXPECT_EQ(cell(figure, row, "runtime"), "1.000");
    }
  }
  // Layer 1 has K32 and C3: one PE works, or three if they share out C, in place of 96.
  EXPECT_EQ(cell(figure, 2, "runtime"), "0.010");
  EXPECT_EQ(cell(figure, 11, "runtime"), "0.031");
  EXPECT_EQ(cell(figure, 2, "paper"), "0.0033");
}

TEST(FlexibilityFigures, EndWhenCancelled) {
  const std::atomic<bool> cancelled{true};
  Options options;
  options.cancelled = &cancelled;
  for (const Item& item : flexibility()) {
    const Figure figure = item.make(options);
  }
}

}  // namespace
}  // namespace tilewright::reproduce
