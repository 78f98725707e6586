#include "reproduce/quickflow_figures.h"

#include <atomic>
#include <cmath>
#include <set>

#include "reproduce/figure_cells.h"

namespace tilewright::reproduce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr QuickflowEffort kLittle = {
    .runs = 1, .speed_seconds = 0.001, .combinations = 1000, .random_times = 1};
const std::vector<std::string> kKernels = {"V", "XII"};

// The last pointwise kernel, on Eyeriss.
std::vector<QuickflowSpace> one_space() { return {quickflow_spaces({"XII"}).front()}; }

std::set<std::string> column(const Figure& figure, const std::string& heading) {
  std::set<std::string> cells;
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    cells.insert(cell(figure, row, heading));
  }
  return cells;
}

TEST(QuickflowSpaces, AreSixtyInTheTypesOfTable1) {
  const std::vector<QuickflowSpace> spaces = quickflow_spaces();
  ASSERT_EQ(spaces.size(), 60U);
  for (const QuickflowSpace& space : spaces) {
    // The network that ships notes the type of every kernel.
    const std::string type(kKernelTypes[space.type].name.substr(0, 6));
    EXPECT_THAT(space.kernel.note, StartsWith(type)) << space.name();
  }
  EXPECT_EQ(quickflow_spaces({"V"}).size(), 3U);
}

TEST(QuickflowFigure6, HasNoMapperBelowTheOptimum) {
  const Figure figure = quickflow_fig6({}, quickflow_spaces({"XII"}), kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 3U * 7);
  EXPECT_EQ(column(figure, "architecture"), (std::set<std::string>{"eyeriss", "simba", "tpu_v1"}));
  EXPECT_EQ(column(figure, "type"), (std::set<std::string>{"pointwise"}));
  EXPECT_THAT(column(figure, "mapper"), Contains("LOMA-7"));
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    if (cell(figure, row, "EDP").empty()) continue;  // it found nothing
    const double ratio = number(figure, row, "EDP") / number(figure, row, "optimum");
    EXPECT_GE(number(figure, row, "over optimum"), 1) << row;
    EXPECT_NEAR(number(figure, row, "over optimum"), ratio, 1e-4 * ratio);
    EXPECT_GT(number(figure, row, "visited"), 0);
  }
}

TEST(QuickflowFigure6, FindsTheSameWithAnyNumberOfThreads) {
  Options two;
  two.threads = 2;
  const auto spaces = one_space();
  const Figure one = quickflow_fig6({}, spaces, kLittle);
  const Figure other = quickflow_fig6(two, spaces, kLittle);
  for (const char* heading : {"EDP", "optimum", "visited"}) {
    EXPECT_EQ(column(one, heading), column(other, heading)) << heading;
  }
}

TEST(QuickflowMappers, AreHeldAgainstQuickflow) {
  const Figure figure = quickflow_mappers({}, one_space(), kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 8U);
  EXPECT_EQ(cell(figure, 0, "EDP over QuickFlow"), "1 to 1");
  EXPECT_EQ(cell(figure, 0, "found"), "1 of 1");
  EXPECT_EQ(cell(figure, 2, "EDP paper"), "1.0 to 2.4");
  EXPECT_EQ(cell(figure, 7, "mapper"), "best of the others");
  for (std::size_t row = 0; row < 8; ++row) EXPECT_GE(number(figure, row, "over optimum"), 1);
  for (std::size_t row = 2; row < 7; ++row) {
    EXPECT_GE(number(figure, row, "over optimum") + 1e-4, number(figure, 7, "over optimum"));
  }
}

TEST(QuickflowSizes, FollowThePapersFormula) {
  const Figure figure = quickflow_sizes({}, quickflow_spaces({"XII"}));
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 3U);
  // M 88 = 2^3 * 11, C 24 = 2^3 * 3, P and Q 28 = 2^2 * 7 over 5 memories and 2 fan-outs:
  // orders 24^5; allocations (84 * 7)^2 * (28 * 7)^2.
  EXPECT_EQ(cell(figure, 0, "architecture"), "eyeriss");
  EXPECT_EQ(cell(figure, 0, "dimensions"), "4");
  EXPECT_EQ(cell(figure, 0, "orders"), "10^6.9");
  EXPECT_EQ(cell(figure, 0, "allocations"), "10^10.1");
  EXPECT_EQ(cell(figure, 0, "|MS|"), "10^17.0");
  EXPECT_THAT(figure.notes, Contains(HasSubstr("the formula gives 10^24.0")));
}

TEST(QuickflowSteps, StayBelowTheBound) {
  const Figure figure = quickflow_steps({}, one_space());
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_GT(number(figure, 0, "steps"), 0);
  EXPECT_LT(number(figure, 0, "visited"), number(figure, 0, "bound"));
  // 12 prime factors of M, C, P and Q, over 7 levels of eyeriss.
  EXPECT_EQ(cell(figure, 0, "E"), "84");
  EXPECT_EQ(cell(figure, 1, "paper steps"), "6-68");
}

TEST(QuickflowWider, LiesBetweenTheSearchAndTheOptimum) {
  QuickflowEffort effort = kLittle;
  effort.wider_beam = 2048;
  const Figure figure = quickflow_wider({}, one_space(), effort);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 3U);
  EXPECT_GE(number(figure, 0, "wider EDP"), number(figure, 0, "optimum"));
  EXPECT_GE(number(figure, 0, "to the optimum %"), 0);
  EXPECT_EQ(cell(figure, 1, "paper reduction %"), "6 of 60");
  EXPECT_EQ(cell(figure, 2, "paper reduction %"), "0.7");
}

TEST(QuickflowAverages, AreThoseOfItsMapSpaces) {
  const auto spaces = quickflow_spaces(kKernels);
  const QuickflowRun run = run_quickflow(spaces, Objective::Edp, {}, kLittle);
  const Figure averages = quickflow_averages({}, spaces, kLittle);
  expect_rectangular(averages);
  ASSERT_EQ(averages.rows.size(), 6U);  // three architectures, two types, all
  ASSERT_EQ(run.results.size(), 6U);
  double gaps = 0, worst = 0, visited = 0;
  for (const QuickflowResult& result : run.results) {
    EXPECT_GE(result.gap(), -1e-9) << result.space.name();
    gaps += 100 * result.gap();
    worst = std::max(worst, 100 * result.gap());
    visited += static_cast<double>(result.visited);
  }
  EXPECT_EQ(cell(averages, 5, "over"), "all");
  EXPECT_EQ(cell(averages, 5, "map-spaces"), "6");
  EXPECT_NEAR(number(averages, 5, "gap % mean"), gaps / 6, 1e-3);
  EXPECT_NEAR(number(averages, 5, "gap % worst"), worst, 1e-3);
  EXPECT_NEAR(number(averages, 5, "visited"), visited / 6, 0.5);
  EXPECT_EQ(cell(averages, 5, "paper ms"), "3800");
  EXPECT_GE(number(averages, 5, "within 5 %"), number(averages, 5, "within 1 %"));
  EXPECT_GE(number(averages, 5, "ms worst"), number(averages, 5, "ms mean"));
}

TEST(QuickflowAverages, CountWhatIsWithinAGap) {
  QuickflowRun run;
  for (const double found : {100.0, 100.5, 103.0, 120.0}) {
    run.results.push_back({quickflow_spaces({"V"})[0], found, 100, 0.001, 10});
  }
  const Figure figure = averages_of(run);
  ASSERT_EQ(figure.rows.size(), 3U);
  EXPECT_EQ(cell(figure, 2, "within 1 %"), "2");
  EXPECT_EQ(cell(figure, 2, "within 5 %"), "3");
  EXPECT_EQ(cell(figure, 2, "gap % mean"), "5.875");
  EXPECT_EQ(cell(figure, 2, "gap % worst"), "20.000");
}

TEST(QuickflowTable3, SetsSpeedsBesideThePrinted) {
  const Figure figure = quickflow_table3({}, quickflow_spaces({"XII", "XIX"}), kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_EQ(cell(figure, 0, "kernels"), "XI-XII");
  EXPECT_EQ(cell(figure, 0, "paper"), "7941");
  EXPECT_EQ(cell(figure, 1, "type"), "batched");
  EXPECT_EQ(cell(figure, 1, "paper"), "1314");
  for (const std::size_t row : {0U, 1U}) {
    const double mean = number(figure, row, "mean");
    EXPECT_NEAR(mean,
                (number(figure, row, "eyeriss") + number(figure, row, "simba") +
                 number(figure, row, "tpu_v1")) /
                    3,
                1);
    EXPECT_NEAR(number(figure, row, "times"), mean / number(figure, row, "paper"), 0.51);
  }
}

TEST(QuickflowClasses, AreTheNumbersOfThePapersDefinition) {
  const Figure figure = quickflow_classes({});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 6U);
  EXPECT_EQ(cell(figure, 0, "orders"), "720");
  EXPECT_EQ(cell(figure, 0, "classes"), "21");
  EXPECT_EQ(cell(figure, 0, "paper"), "26");
  EXPECT_EQ(cell(figure, 0, "no windows"), "11");
  EXPECT_EQ(cell(figure, 0, "output"), "26");
  EXPECT_EQ(cell(figure, 0, "all loops"), "57");
  EXPECT_EQ(cell(figure, 3, "classes"), "21");  // transposed
  EXPECT_EQ(cell(figure, 4, "classes"), "29");  // batched
  EXPECT_EQ(cell(figure, 5, "classes"), "3");   // GEMM
}

TEST(QuickflowOrders, SumsUpItsMapSpaces) {
  const Figure figure = quickflow_orders({}, quickflow_spaces({"XII"}), kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 4U);
  for (const char* heading : {"visited", "checked", "skipped", "orders tried"}) {
    double sum = 0;
    for (std::size_t row = 0; row < 3; ++row) sum += number(figure, row, heading);
    EXPECT_EQ(number(figure, 3, heading), sum) << heading;
  }
  EXPECT_EQ(cell(figure, 3, "paper"), "2.17");
  EXPECT_LE(number(figure, 3, "largest difference"), 1e-12);
}

TEST(QuickflowRandom, SaysWhetherItGotThere) {
  const Figure figure = quickflow_random({}, quickflow_spaces({"XII"}), kLittle);
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 3U);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    const bool reached = number(figure, row, "random EDP") <= 1;
    EXPECT_EQ(cell(figure, row, "times slower").starts_with("> "), !reached);
    EXPECT_GT(number(figure, row, "random seen"), 0);
  }
}

TEST(QuickflowFigures, SayThatTheyAreIncompleteWhenInterrupted) {
  const std::atomic<bool> cancelled = true;
  Options options;
  options.cancelled = &cancelled;
  for (const Item& item : quickflow()) {
    const Figure figure = item.make(options);
    EXPECT_THAT(figure.notes, Contains(HasSubstr("interrupted")));
    expect_rectangular(figure);
  }
}

}  // namespace
}  // namespace tilewright::reproduce
