#include "reproduce/goma_figures.h"

#include <atomic>
#include <cmath>

#include "reproduce/figure_cells.h"

namespace tilewright::reproduce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<GomaCase> kTwoCases = {{"goma_eyeriss_like", "qwen3_0.6b_1k"},
                                         {"goma_gemmini_like", "qwen3_0.6b_1k"}};
constexpr GomaEffort kLittle = {.patience = 300, .layers = 2};

std::string mapper(std::size_t position) { return goma_mappers({}, kLittle)[position].name; }

TEST(GomaItems, AreAPaperOfTheirOwn) {
  std::vector<std::string> names;
  for (const Paper& paper : papers()) names.emplace_back(paper.name);
  const std::vector<std::string> expected = {"ruby", "goma", "quickflow", "flexibility", "silicon"};
  EXPECT_EQ(names, expected);
  for (const Item& item : goma()) EXPECT_FALSE(item.title.empty()) << item.name;
}

TEST(GomaRun, WeighsProductsByTheirNumber) {
  const GomaRun run = run_goma({kTwoCases[0]}, {}, kLittle);
  ASSERT_EQ(run.cases.size(), 1U);
  EXPECT_THAT(run.missing, IsEmpty());
  const GomaCaseResult& result = run.cases[0];
  ASSERT_EQ(result.layers.size(), 2U);
  for (std::size_t m = 0; m < run.mappers.size(); ++m) {
    if (!result.layers[0].results[m].found || !result.layers[1].results[m].found) {
      EXPECT_TRUE(std::isnan(result.edp(m)));
      continue;
    }
    EXPECT_DOUBLE_EQ(result.edp(m), 28 * result.layers[0].results[m].score.edp() +
                                        56 * result.layers[1].results[m].score.edp());
  }
}

TEST(GomaRun, FillsTheArrayAsGomaDoes) {
  const GomaRun run = run_goma(kTwoCases, {}, kLittle);
  const std::vector<GomaMapper> mappers = goma_mappers({}, kLittle);
  for (const GomaCaseResult& result : run.cases) {
    for (const GomaLayer& layer : result.layers) {
      for (std::size_t m = 0; m < layer.results.size(); ++m) {
        const GomaResult& found = layer.results[m];
        if (m < mappers.size() && mappers[m].rival) {
          // These may leave processing elements idle.
          if (found.found) {
            EXPECT_GE(found.score.edp(), layer.results.front().score.edp());
          }
          continue;
        }
        EXPECT_EQ(found.score.cycles * 256, multiply_accumulates(layer.layer.workload));
        // What was proven for these stands; it is recorded to 13 digits.
        EXPECT_GE(found.score.energy_pj / layer.results[run.published].score.energy_pj, 1 - 1e-9);
      }
    }
  }
}

TEST(GomaTable2, NormalisesToTheFirstMapperAndShowsThePaper) {
  const Figure figure = goma_table2({}, kTwoCases, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), goma_mappers({}, kLittle).size() + 1 + 6);
  EXPECT_EQ(cell(figure, 0, "geometric mean"), "1");
  EXPECT_EQ(cell(figure, 0, "median"), "1");
  EXPECT_EQ(cell(figure, 0, "cases"), "2");
  const std::size_t last = figure.rows.size() - 1;
  EXPECT_EQ(cell(figure, last, "mapper"), "Timeloop Hybrid");
  EXPECT_EQ(cell(figure, last, "geometric mean"), "98.5");
}

TEST(GomaTable2, TheGeometricMeanIsThatOfFigure6) {
  const Figure table = goma_table2({}, kTwoCases, kLittle);
  const Figure cases = goma_fig6({}, kTwoCases, kLittle);
  expect_rectangular(cases);
  ASSERT_EQ(cases.rows.size(), 2U);
  const double first = number(cases, 0, mapper(1));
  const double second = number(cases, 1, mapper(1));
  EXPECT_NEAR(number(table, 1, "geometric mean"), std::sqrt(first * second), 0.006);
  EXPECT_NEAR(number(table, 1, "median"), (first + second) / 2, 0.006);
}

TEST(GomaTable3, HasTimesOfOurMappersAlone) {
  const Figure figure = goma_table3({}, {kTwoCases[0]}, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), goma_mappers({}, kLittle).size() + 6);
  EXPECT_EQ(cell(figure, 0, "geometric mean"), "1");
  EXPECT_GE(number(figure, 0, "s at worst"), number(figure, 0, "s per GEMM"));
  EXPECT_EQ(cell(figure, goma_mappers({}, kLittle).size(), "s per GEMM"), "0.65");
}

TEST(GomaFigure7, HasTheProductsOfBothCases) {
  const Figure figure = goma_fig7({}, {.patience = 50, .layers = 3});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 6U);
  EXPECT_EQ(cell(figure, 2, "product"), "attn_score");
  EXPECT_EQ(cell(figure, 2, "X"), "4096");
  EXPECT_EQ(cell(figure, 5, "accelerator"), "a100_like");
}

TEST(GomaFigure2, HasNoEnergyBelowTheProvenOne) {
  const Figure figure = goma_fig2({}, 300);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 8U);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    EXPECT_GE(number(figure, row, "over the least"), 1);
    if (row > 0) {
      EXPECT_GE(number(figure, row, "energy uJ"), number(figure, row - 1, "energy uJ"));
    }
  }
  EXPECT_THAT(figure.notes, Contains(HasSubstr("300 mappings that fit")));
}

TEST(GomaFigure8, HasTheTimesOfEveryCase) {
  const Figure figure = goma_fig8({}, kTwoCases, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_EQ(figure.headings.size(), 2 + goma_mappers({}, kLittle).size());
  EXPECT_GT(number(figure, 0, "s optimal"), 0);
  EXPECT_GT(number(figure, 1, "SALSA"), 0);
}

TEST(GomaFigure9, HasTheProductsOfTheLargeCase) {
  const Figure figure = goma_fig9({}, {.patience = 50, .layers = 2});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_EQ(cell(figure, 0, "workload"), "qwen3_32b_128k");
  EXPECT_EQ(cell(figure, 1, "product"), "attn_kv_proj");
}

TEST(GomaOptimaFigure, SumsUpWhoIsBetter) {
  const Figure figure = goma_optima({}, {kTwoCases[0]}, kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 2U);
  int worse = 0;
  for (const std::size_t row : {0U, 1U}) {
    EXPECT_NEAR(number(figure, row, "GOMA's solver"), 5.955762468, 1e-9);
    const double ratio = number(figure, row, "ratio");
    EXPECT_NEAR(ratio, number(figure, row, mapper(0)) / 5.955762468, 1e-7);
    worse += ratio > 1 + 1e-8 ? 1 : 0;
  }
  EXPECT_THAT(figure.notes,
              Contains(HasSubstr("is better on 0 and worse on " + std::to_string(worse))));
}

TEST(GomaFigures, AreTheSameWithAnyNumberOfThreads) {
  Options two;
  two.threads = 2;
  EXPECT_EQ(csv_of(goma_fig6({}, kTwoCases, kLittle)), csv_of(goma_fig6(two, kTwoCases, kLittle)));
}

TEST(GomaFigures, SayThatTheyAreIncompleteWhenInterrupted) {
  const std::atomic<bool> cancelled = true;
  Options options;
  options.cancelled = &cancelled;
  for (const Figure& figure :
       {goma_fig2(options), goma_table2(options), goma_table3(options), goma_fig6(options),
        goma_fig7(options), goma_fig8(options), goma_fig9(options), goma_optima(options)}) {
    EXPECT_THAT(figure.notes, Contains(HasSubstr("interrupted")));
    expect_rectangular(figure);
  }
}

}  // namespace
}  // namespace tilewright::reproduce
