#include "reproduce/ruby_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "reproduce/common.h"
#include "reproduce/ruby_setup.h"

namespace tilewright::reproduce {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

std::vector<std::string> column(const Figure& figure, const std::string& heading) {
  const auto found = std::find(figure.headings.begin(), figure.headings.end(), heading);
  if (found == figure.headings.end()) return {};
  std::vector<std::string> cells;
  for (const auto& row : figure.rows) {
    cells.push_back(row.at(static_cast<std::size_t>(found - figure.headings.begin())));
  }
  return cells;
}

Options with(int threads, std::uint64_t seed) {
  Options options;
  options.threads = threads;
  options.seed = seed;
  return options;
}

double number(const std::string& cell) { return std::stod(cell); }

void expect_sound(const Figure& figure) {
  EXPECT_FALSE(figure.rows.empty());
  EXPECT_FALSE(figure.notes.empty());
  EXPECT_THAT(figure.rows, Each(SizeIs(figure.headings.size())));
}

TEST(RubyToy, HasAScratchpadInEveryProcessingElement) {
  const Architecture toy = ruby_toy(15);
  EXPECT_TRUE(problems_of(toy).empty());
  EXPECT_EQ(physical_instances(toy, toy.find_level("Scratchpad").value()), 15);
  EXPECT_EQ(physical_instances(toy, toy.find_level("DRAM").value()), 1);
}

TEST(RubyFigures, StandInTheOrderOfThePaper) {
  std::vector<std::string> names;
  for (const Item& item : ruby()) names.emplace_back(item.name);
  const auto place = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  EXPECT_LT(place("fig5"), place("fig7"));
  EXPECT_LT(place("fig7"), place("table1"));
  EXPECT_LT(place("table1"), place("fig8"));
  EXPECT_LT(place("fig8"), place("fig9"));
  EXPECT_LT(place("fig9"), static_cast<std::ptrdiff_t>(names.size()));
}

TEST(RubyFig5, SavesThreeCyclesWithARemainderInSpace) {
  const Figure figure = ruby_fig5({});
  expect_sound(figure);
  EXPECT_THAT(column(figure, "map-space"), ElementsAre("pfm", "ruby-s", "ruby-t", "ruby"));
  EXPECT_THAT(column(figure, "cycles"), ElementsAre("20", "17", "20", "17"));
  EXPECT_THAT(column(figure, "PEs"), ElementsAre("5", "6 (last 4)", "5", "6 (last 4)"));
}

TEST(RubyFig5, ThePrintedMappingsAreAsGoodAsOurs) {
  const Problem problem =
      Problem::create(ruby_elements(100), shipped_architecture("toy_linear")).value.value();
  const Evaluator evaluator = Evaluator::compile(problem).value.value();
  const auto score = [&](std::int64_t dram, std::int64_t buffer, std::int64_t elements) {
    Mapping mapping(problem);
    mapping.set_bound(0, DimId{0}, dram);
    mapping.set_bound(1, DimId{0}, buffer);
    mapping.set_bound(problem.slot_count() - 1, DimId{0}, elements);
    return evaluator.score(mapping);
  };
  EXPECT_EQ(score(1, 20, 5), score(20, 1, 5));
  EXPECT_EQ(score(1, 17, 6), score(17, 1, 6));
}

class RubyFig7 : public ::testing::Test {
 protected:
  static constexpr Fig7Effort kSmall = {.runs = 2, .mappings = 30, .exhaustive = 0};
};

TEST_F(RubyFig7, TheBestNeverGetsWorseWithMoreMappings) {
  const Figure figure = ruby_fig7({}, kSmall);
  expect_sound(figure);
  ASSERT_EQ(figure.rows.size(), 20U);  // 5 cases, after 1, 3, 10 and 30 mappings
  for (std::size_t i = 1; i < figure.rows.size(); ++i) {
    if (figure.rows[i][0] != figure.rows[i - 1][0]) continue;
    for (std::size_t k = 2; k < 6; ++k) {
      EXPECT_LE(number(figure.rows[i][k]), number(figure.rows[i - 1][k])) << i << " " << k;
    }
  }
  EXPECT_THAT(column(figure, "Ruby"), Each(::testing::ResultOf(number, ::testing::Gt(0))));
}

TEST_F(RubyFig7, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(csv_of(ruby_fig7(with(1, 1), kSmall)), csv_of(ruby_fig7(with(3, 1), kSmall)));
  EXPECT_NE(csv_of(ruby_fig7(with(1, 1), kSmall)), csv_of(ruby_fig7(with(1, 2), kSmall)));
}

TEST_F(RubyFig7, NamesTheLowestOfEachRow) {
  const Figure figure = ruby_fig7({}, kSmall);
  for (const std::vector<std::string>& row : figure.rows) {
    std::size_t lowest = 2;
    for (std::size_t k = 3; k < 6; ++k) lowest = number(row[k]) < number(row[lowest]) ? k : lowest;
    EXPECT_EQ(row[6], figure.headings[lowest]);
  }
}

TEST_F(RubyFig7, ShowsWholeSpacesWhereTheyAreSmall) {
  const Figure figure = ruby_fig7({}, {.runs = 1, .mappings = 1, .exhaustive = 150'000});
  const auto all = std::find_if(figure.rows.begin(), figure.rows.end(),
                                [](const auto& row) { return row[1] == "all"; });
  ASSERT_NE(all, figure.rows.end());
  EXPECT_EQ((*all)[0], "(a) matmul, 5 PEs");
  EXPECT_LE(number((*all)[2]), number(figure.rows.front()[2]));
  EXPECT_EQ((*all)[5], "");
}

TEST(RubyFig8, PaddingHelpsPrimesAndCostsWhatItAdds) {
  const Figure figure = ruby_fig8({}, 112, 113);
  expect_sound(figure);
  EXPECT_THAT(column(figure, "PFM EDP"), ElementsAre("1.0000", "14.1250"));
  EXPECT_THAT(column(figure, "padded EDP"), ElementsAre("1.0000", "1.1327"));  // 128 / 113
  EXPECT_THAT(column(figure, "paper padded EDP"), ElementsAre("", "1.20"));
}

TEST(RubyFig8, APrimeLeavesPerfectFactorsOneElement) {
  const Figure figure = ruby_fig8({}, 127, 127);
  EXPECT_THAT(column(figure, "Ruby-S cycles"), ElementsAre("8"));
  EXPECT_THAT(column(figure, "PFM cycles"), ElementsAre("127"));
  EXPECT_THAT(column(figure, "padded cycles"), ElementsAre("8"));
}

TEST(RubyFig9, MakesStripMiningAndBothSearches) {
  const Figure figure = ruby_fig9({}, 2000);
  expect_sound(figure);
  const std::vector<std::string> mappings = {"by hand", "pfm", "pfm, best", "ruby-s",
                                             "ruby-s, best"};
  EXPECT_EQ(column(figure, "mapping"), mappings);
  const std::vector<std::string> edp = column(figure, "EDP %");
  EXPECT_LE(number(edp[2]), number(edp[1]));
  EXPECT_LE(number(edp[4]), number(edp[3]));
  EXPECT_LE(number(edp[4]), number(edp[2]));
  const std::vector<std::string> in_use = column(figure, "PEs in use %");
  EXPECT_EQ(in_use[0], "80.4");  // 27 x 5 of 14 x 12
  // The 5 rows of a filter fit twice on the 12 rows.
  for (const std::string& cell : in_use) EXPECT_LE(number(cell), 83.4);
  EXPECT_EQ(column(figure, "cycles")[0], "622080");  // 83 980 800 MACs on 135 PEs
  EXPECT_LE(number(in_use[1]), 71.5);                // 12 columns at most
}

TEST(RubyFigures, SayThatTheyAreIncompleteWhenInterrupted) {
  const std::atomic<bool> cancelled = true;
  Options options;
  options.cancelled = &cancelled;
  for (const Figure& figure :
       {ruby_fig5(options), ruby_fig7(options), ruby_fig8(options), ruby_fig9(options)}) {
    EXPECT_THAT(figure.notes, Contains(HasSubstr("interrupted")));
    EXPECT_THAT(figure.rows.size(), Le(1U));
  }
}

TEST(RubyFigures, TellHowFarTheyAre) {
  std::vector<double> told;
  Options options;
  options.on_progress = [&](const std::string& what, double fraction) {
    EXPECT_FALSE(what.empty());
    told.push_back(fraction);
  };
  ruby_fig5(options);
  ruby_fig8(options, 20, 22);
  EXPECT_GE(told.size(), 7U);
  EXPECT_THAT(told, Each(AllOf(::testing::Ge(0), Le(1))));
}

}  // namespace
}  // namespace tilewright::reproduce
