// `tilewright flex design`, and `pareto` and `space` of flexible architectures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using testing::json_of;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::string small_network(const Scratch& scratch) {
  return scratch.write("small.csv",
                       "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\n"
                       "small,1,gemm,1,16,8,1,1,1,1,1,1\n"
                       "small,2,gemm,1,12,20,1,1,1,1,1,1\n");
}

TEST(CliFlexDesign, FindsTheBestFixedAcceleratorAndProvesIt) {
  const Scratch scratch;
  const std::vector<std::string> words = {
      "flex", "design", "--model", small_network(scratch), "--csv", scratch.path("d.csv")};
  const Outcome outcome = run_tool(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("the fixed design with the lowest latency"), HasSubstr("T=fixed("),
                    HasSubstr("proven: no fixed design has a lower latency")));
  EXPECT_THAT(contents(scratch.path("d.csv")), StartsWith("design,layer,count,cycles"));
  const Json design = json_of({"flex", "design", "--model", small_network(scratch)});
  EXPECT_EQ(design.at("proven"), true);
  EXPECT_EQ(design.at("gap"), 0);
  EXPECT_EQ(design.at("value"), design.at("cycles"));
  EXPECT_EQ(design.at("layers").size(), 2U);
  // The accelerator that it describes takes as long.
  std::int64_t cycles = 0;
  for (const char* layer : {"1", "2"}) {
    cycles += json_of({"map", "-a", "flex_1024", "--model", small_network(scratch), "-l", layer,
                       "-o", "latency", "--flex", design.at("design").get<std::string>()})
                  .at("result")
                  .at("cycles")
                  .get<std::int64_t>();
  }
  EXPECT_EQ(design.at("cycles"), cycles);
}

TEST(CliFlexDesign, KeepsToWhatThereIsToChooseFromAndSaysHowFarItIs) {
  const Scratch scratch;
  const Json design = json_of({"flex", "design", "--model", small_network(scratch), "--flex",
                               "P=CK,S=16x64,O=KCYXRS", "--nodes", "1", "-o", "edp"});
  EXPECT_THAT(design.at("design").get<std::string>(), HasSubstr("O=KCYXRS,P=CK,S=16x64"));
  EXPECT_EQ(design.at("stopped"), design.at("proven") == true ? "complete" : "limit of nodes");
  EXPECT_GE(design.at("gap"), 0);
}

TEST(CliFlexDesign, RefusesWhatIsNoDesign) {
  const Scratch scratch;
  const Outcome hard =
      run_tool({"flex", "design", "--model", small_network(scratch), "--flex", "T=hard(1:1:1)"});
  EXPECT_EQ(hard.exit_code, 2);
  EXPECT_THAT(hard.err, AllOf(HasSubstr("--flex"), HasSubstr("a design has one tile")));
  const Outcome none = run_tool({"flex", "design", "--model", small_network(scratch), "--flex",
                                 "T=fixed(K9999,C9999,Y99,X99,R9,S9)"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("no design"));
}

TEST(CliFlexiblePareto, EndsInTheOptimaOfAllSettings) {
  const Scratch scratch;
  const std::vector<std::string> input = {
      "-a", "flex_1024", "-w", "gemm: m=24 n=6 k=10", "--flex", "P={CK,YK},S=bands(8)"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), input.begin(), input.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json front = json_of(with({"pareto"}, {"--out", scratch.path("front")}));
  EXPECT_EQ(front.at("complete"), true);
  EXPECT_EQ(front.at("mapspace"), "ruby");
  const Json& points = front.at("points");
  ASSERT_GE(points.size(), 1U);
  EXPECT_EQ(front.at("settings").at("of_points").size(), points.size());
  EXPECT_EQ(points.front().at("cycles"),
            json_of(with({"map"}, {"-o", "latency"})).at("result").at("cycles"));
  EXPECT_EQ(points.back().at("energy_pj"),
            json_of(with({"map"}, {"-o", "energy"})).at("result").at("energy_pj"));
  const Json again = json_of(with({"eval"}, {"-m", scratch.path("front/01.yaml")}));
  EXPECT_EQ(again.at("energy_pj"), points.front().at("energy_pj"));
  EXPECT_THAT(run_tool(with({"pareto"}, {})).out, HasSubstr("settings, none beats"));
  const Json uneven = json_of(with({"pareto"}, {"--uneven"}));
  EXPECT_EQ(uneven.at("among"), "all mappings, even and uneven");
  EXPECT_LE(uneven.at("points").back().at("energy_pj"), points.back().at("energy_pj"));
}

TEST(CliFlexibleSpace, CountsEverySettingAndWhatDiffers) {
  const std::vector<std::string> words = {
      "space", "-a", "flex_1024", "-w", "gemm: m=6 n=4 k=5", "--flex", "P={CK,YK},S=bands(16)"};
  const Outcome outcome = run_tool(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("settings"), HasSubstr("different ones")));
  const Json space = json_of(words);
  ASSERT_EQ(space.at("settings").size(), 2U);
  const auto number = [](const Json& text) { return std::stoull(text.get<std::string>()); };
  EXPECT_EQ(number(space.at("sum")), number(space.at("settings")[0].at("mappings")) +
                                         number(space.at("settings")[1].at("mappings")));
  EXPECT_LT(number(space.at("different")), number(space.at("sum")));
  EXPECT_GT(2 * number(space.at("different")), number(space.at("sum")));
}

}  // namespace
}  // namespace tilewright::cli
