#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using ::testing::StartsWith;
using Json = nlohmann::json;

class ShippedArchitecture : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedArchitecture, IsShown) {
  const Outcome outcome = run_tool({"arch", "show", GetParam()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(StartsWith(GetParam()), HasSubstr("source: "), HasSubstr("DRAM"),
                                 HasSubstr("compute")));
}

TEST_P(ShippedArchitecture, IsTheFileOfThisName) {
  const Outcome built_in = run_tool({"arch", "show", GetParam(), "--json"});
  const Outcome file =
      run_tool({"arch", "show", "architectures/" + GetParam() + ".yaml", "--json"});
  EXPECT_EQ(built_in.exit_code, 0) << built_in.err;
  EXPECT_EQ(built_in.out, file.out);
  EXPECT_EQ(Json::parse(built_in.out).at("name"), GetParam());
}

TEST_P(ShippedArchitecture, SurvivesBeingWritten) {
  const Outcome yaml = run_tool({"arch", "show", GetParam(), "--yaml"});
  ASSERT_EQ(yaml.exit_code, 0) << yaml.err;
  const Scratch scratch;
  const std::string path = scratch.write("arch.yaml", yaml.out);
  const Outcome again = run_tool({"arch", "show", path, "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, run_tool({"arch", "show", GetParam(), "--json"}).out);
}

TEST(CliArchShow, NamesTheMemoryWhoseTileIsFixed) {
  EXPECT_THAT(run_tool({"arch", "show", "flex_1024_pe_tiles"}).out,
              HasSubstr("a fixed tile is that of Local in each PE"));
}

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& builtin : io::builtin_architectures()) names.push_back(builtin.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(CliArchShow, ShippedArchitecture, ::testing::ValuesIn(shipped()),
                         [](const auto& test) { return test.param; });

TEST(CliArchShow, TellsWhatIsWrongWithAFile) {
  const Scratch scratch;
  const std::string path = scratch.write("bad.yaml",
                                         "architecture: a\n"
                                         "levles: []\n");
  const Outcome outcome = run_tool({"arch", "show", path});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(StartsWith(path + ":2:1: "), HasSubstr("levels")));
}

TEST(CliArchShow, SuggestsTheNameThatWasMeant) {
  const Outcome outcome = run_tool({"arch", "show", "gemini"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("did you mean gemmini?"));
}

}  // namespace
}  // namespace tilewright::cli
