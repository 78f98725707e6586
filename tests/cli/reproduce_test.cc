#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run_tool.h"
#include "support/checkout.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_and_interrupt;
using testing::run_tool;
using testing::run_tool_in;
using testing::Scratch;
using ::testing::StartsWith;

// What the page says that came out.
std::string result_of_page(const std::string& name) {
  return contents(checkout_folder() + "/reproduce/results/" + name + ".csv");
}

TEST(CliReproduce, PrintsATableAndWritesItAsCsv) {
  const Scratch scratch;
  const Outcome outcome =
      run_tool({"reproduce", "ruby", "table1", "fig5", "--out", scratch.path("csv")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Table I"), HasSubstr("30612")));
  EXPECT_THAT(contents(scratch.path("csv/ruby_table1.csv")), StartsWith("map-space,size,printed"));
  // docs/reproduction.md is made of these.
  for (const std::string name : {"ruby_table1", "ruby_fig5"}) {
    EXPECT_EQ(contents(scratch.path("csv/" + name + ".csv")), result_of_page(name)) << name;
  }
}

TEST(CliReproduce, KnowsMoreThanOnePaper) {
  const Scratch scratch;
  const Outcome outcome =
      run_tool({"reproduce", "goma", "fidelity", "--out", scratch.path("csv"), "-q"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Section IV-G"), HasSubstr("8004    99.26    99.26")));
  EXPECT_THAT(contents(scratch.path("csv/goma_fidelity.csv")), StartsWith("mappings of,formula"));
  EXPECT_EQ(contents(scratch.path("csv/goma_fidelity.csv")), result_of_page("goma_fidelity"));
  EXPECT_EQ(run_tool({"reproduce", "gom"}).exit_code, 2);
}

TEST(CliReproduce, CountsQuickflowsClassesOfOrders) {
  const Scratch scratch;
  const Outcome outcome =
      run_tool({"reproduce", "quickflow", "classes", "--out", scratch.path("csv"), "-q"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Section IV-B"), HasSubstr("no more than 26")));
  EXPECT_THAT(contents(scratch.path("csv/quickflow_classes.csv")),
              AllOf(StartsWith("type,kernel,loops"), HasSubstr("simple,I,6,720,21,26,")));
  EXPECT_EQ(contents(scratch.path("csv/quickflow_classes.csv")),
            result_of_page("quickflow_classes"));
}

TEST(CliReproduce, HelpListsWhatThereIs) {
  const Outcome outcome = run_tool({"reproduce", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("ruby      fig5"), HasSubstr("quickflow orders")));
}

TEST(CliReproduce, HelpIsWrapped) {
  const Outcome outcome = run_tool_in({.environment = {"COLUMNS=84"}}, {"reproduce", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 84U) << line;
}

TEST(CliReproduce, AFolderThatCannotBeMadeIsToldAtOnce) {
  const Scratch scratch;
  const std::string file = scratch.write("file", "");
  const Outcome outcome = run_tool({"reproduce", "ruby", "--out", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, file + ": the folder cannot be made: Not a directory\n");
}

TEST(CliReproduce, UnknownItemsAreRefusedWithTheList) {
  const Outcome outcome = run_tool({"reproduce", "ruby", "fig99"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("there is no fig99"), HasSubstr("table1")));
}

TEST(CliReproduce, CanBeInterrupted) {
  const Scratch scratch;
  const Outcome outcome = run_and_interrupt(
      {"reproduce", "ruby", "fig11", "--threads", "2", "--out", scratch.path("csv")});
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("the table is incomplete, and not written to a file"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("csv/ruby_fig11.csv")));
}

}  // namespace
}  // namespace tilewright::cli
