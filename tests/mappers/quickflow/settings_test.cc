// What a user may choose about the search.
#include <gtest/gtest.h>

#include <algorithm>

#include "mappers/sampling/small_search.h"
#include "support/asked.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using testing::make_evaluator;

class QuickflowSettingsTest : public ::testing::Test {
 protected:
  SearchResult found(const QuickflowSettings& settings) const {
    return search_locally(evaluator_, SpaceKind::Perfect, restrictions_, {}, settings);
  }
  MapperResult run(const Mapper& row, const OptionValues& values) const {
    const Asked asked;
    return row.run(asked.task(evaluator_, SpaceKind::Perfect, restrictions_), asked, values);
  }

 private:
  Problem problem_ = testing::make_problem(
      io::pick_layer(*io::load_network("quickflow").value, "XIII").value->workload,
      *io::load_architecture("eyeriss").value);
  Evaluator evaluator_ = make_evaluator(problem_);
  Restrictions restrictions_ = *Restrictions::create(problem_).value;
};

// With no hop in any round, the start is all that is seen.
TEST_F(QuickflowSettingsTest, RoundsWithoutHopsAreLeftOut) {
  QuickflowSettings settings;
  for (QuickflowSettings::Round* round : {&settings.parallelism, &settings.tiling, &settings.both,
                                          &settings.both_uneven, &settings.best}) {
    round->hops = 0;
  }
  settings.starts = 1;
  EXPECT_EQ(found(settings).seen, 1U);
}

TEST_F(QuickflowSettingsTest, MoreStartsSeeMore) {
  std::vector<std::uint64_t> seen;
  for (int starts = 1; starts <= 4; ++starts) {
    QuickflowSettings settings;
    settings.starts = starts;
    settings.best.hops = 0;
    seen.push_back(found(settings).seen);
  }
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_LT(seen.front(), seen.back());
}

// Far hops in wide beams find at least as good a mapping, from one start.
TEST_F(QuickflowSettingsTest, ThePapersSearchLooksFurther) {
  const SearchResult fast = found({});
  const SearchResult paper = found(QuickflowSettings::of_paper());
  EXPECT_LE(paper.score.edp(), fast.score.edp());
  EXPECT_GT(paper.seen, 10 * fast.seen);
}

// The same as the rows of options say: what is not given stays as the preset has it.
TEST_F(QuickflowSettingsTest, OptionsChangeThePreset) {
  const Mapper& row = quickflow_mapper();
  const auto seen = [&](std::initializer_list<std::pair<const char*, std::int64_t>> given) {
    OptionValues values;
    for (const auto& [name, value] : given) {
      EXPECT_NE(row.find(name), nullptr) << name;
      values.set(name, value);
    }
    return run(row, values).search.seen;
  };
  const QuickflowSettings paper = QuickflowSettings::of_paper();
  QuickflowSettings shorter = paper;
  shorter.parallelism.hops = shorter.tiling.hops = shorter.both.hops = 2;
  for (QuickflowSettings::Round* round : {&shorter.parallelism, &shorter.tiling, &shorter.both}) {
    round->beam = 4;
  }
  EXPECT_EQ(seen({}), found({}).seen);
  EXPECT_EQ(seen({{"quickflow", 1},
                  {"parallelism-hops", 2},
                  {"tiling-hops", 2},
                  {"both-hops", 2},
                  {"beam", 4}}),
            found(shorter).seen);
  QuickflowSettings plain;
  plain.tie_by_depth = false;
  EXPECT_EQ(seen({{"tie-break", 1}}), found(plain).seen);
  EXPECT_NE(found(plain).seen, found({}).seen);
}

}  // namespace
}  // namespace tilewright
