#include "reproduce/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::reproduce {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(PrintedTables, AreRectangular) {
  ASSERT_THAT(printed_files(), Not(IsEmpty()));
  for (const io::BuiltinFile& file : printed_files()) {
    const Table table = printed_table(file.name);
    EXPECT_THAT(table.rows, Not(IsEmpty())) << file.name;
    EXPECT_THAT(table.rows, Each(SizeIs(table.headings.size()))) << file.name;
  }
}

TEST(PrintedTables, KeepCommasInQuotesAndLeaveOutComments) {
  EXPECT_THAT(printed_table("ruby_fig5").headings,
              ElementsAre("map-space", "paper cycles", "paper DRAM, GLB, PEs"));
  EXPECT_EQ(printed_table("goma_optima").headings.front(), "accelerator");
}

TEST(PrintedTables, FindRowsByTheirFirstCells) {
  const Table table = printed_table("ruby_table1");
  ASSERT_NE(table.find({"Ruby", "64"}), nullptr);
  EXPECT_EQ(table.find({"Ruby", "64"})->back(), "414");
  EXPECT_EQ(table.find({"Ruby", "65"}), nullptr);
}

TEST(AddPrinted, FillsRowsThatAgree) {
  Figure figure;
  figure.headings = {"size", "ours", "paper padded EDP"};
  figure.rows = {{"112", "1.0", ""}, {"113", "1.1", ""}};
  add_printed(figure, "ruby_fig8");
  EXPECT_THAT(figure.rows,
              ElementsAre(ElementsAre("112", "1.0", ""), ElementsAre("113", "1.1", "1.20")));
}

TEST(AddPrinted, TellsColumnsOfOneHeadingApartByTheirOrder) {
  Figure figure;
  figure.headings = {"accelerator", "paper", "added by the paper", "paper"};
  figure.rows = {{"O-Flex", "", "", ""}};
  add_printed(figure, "flexibility_table3");
  EXPECT_THAT(figure.rows.front(), ElementsAre("O-Flex", "738458", "1615", "0.21"));
}

TEST(AddPrinted, LeavesOutColumnsThatTheFigureDoesNotHave) {
  Figure figure;
  figure.headings = {"accelerator", "bert", "paper bert"};
  figure.rows = {{"X-Opt", "0.5", ""}};
  add_printed(figure, "flexibility_fig13");
  EXPECT_THAT(figure.rows.front(), ElementsAre("X-Opt", "0.5", "0.25"));
}

}  // namespace
}  // namespace tilewright::reproduce
