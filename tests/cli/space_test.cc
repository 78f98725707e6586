// Fronts and sizes of map-spaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::json_of;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

// --- pareto -------------------------------------------------------------------

// The ends of the front are the optima of the two objectives.
TEST(CliPareto, RunsFromTheFastestToTheThriftiestMapping) {
  const Scratch scratch;
  const std::vector<std::string> input = {"-a", "eyeriss", "--model", "quickflow", "-l", "V"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), input.begin(), input.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json front = json_of(with({"pareto"}, {"--out", scratch.path("front")}));
  EXPECT_EQ(front.at("schema"), "tilewright.pareto.v1");
  EXPECT_EQ(front.at("complete"), true);
  EXPECT_EQ(front.at("among"), "even mappings");
  const Json& points = front.at("points");
  ASSERT_GE(points.size(), 2U);
  EXPECT_EQ(points.front().at("cycles"),
            json_of(with({"map"}, {"-o", "latency"})).at("result").at("cycles"));
  EXPECT_EQ(points.back().at("energy_pj"),
            json_of(with({"map"}, {"-o", "energy"})).at("result").at("energy_pj"));
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LT(points[i - 1].at("cycles"), points[i].at("cycles"));
    EXPECT_GT(points[i - 1].at("energy_pj"), points[i].at("energy_pj"));
  }
  const Json again = json_of(with({"eval"}, {"-m", scratch.path("front/01.yaml")}));
  EXPECT_EQ(again.at("energy_pj"), points.front().at("energy_pj"));
  EXPECT_THAT(run_tool(with({"pareto"}, {})).out,
              HasSubstr("proven: among even mappings, none beats"));
}

TEST(CliPareto, SaysWhatDoesNotFit) {
  const Outcome outcome = run_tool(
      {"pareto", "-a", "toy_array", "-w", "gemm: m=16 n=16 k=16", "-c", "Registers: M=8, N=8"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("Registers: the tiles need 80 B"));
  EXPECT_EQ(run_tool({"pareto", "-a", "toy_array", "-w", "gemm: m=24 n=10 k=12", "--time", "2x"})
                .exit_code,
            2);
}

// --- space --------------------------------------------------------------------

TEST(CliSpace, CountsPartByPart) {
  const Json json = json_of({"space", "-a", "toy_linear", "-w", "O[x] += I[x]; x=100"});
  EXPECT_EQ(json.at("schema"), "tilewright.space.v1");
  // With 1, 2, 4, 5 in space, the divisors of 100, 50, 25, 20 in the buffer.
  EXPECT_EQ(json.at("mappings"), "24");
  EXPECT_EQ(json.at("chains").at("x"), "24");
  EXPECT_EQ(json.at("bypasses"), "1");
  const Outcome text = run_tool({"space", "-a", "toy_linear", "-w", "O[x] += I[x]; x=100"});
  EXPECT_THAT(text.out, HasSubstr("exactly 24\n"));
}

TEST(CliSpace, LargeSizesAreReadableAndExact) {
  const Outcome outcome = run_tool(
      {"space", "-a", "eyeriss", "--model", "resnet50", "-l", "conv2_1b", "--mapspace", "ruby"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("(16 digits)"), HasSubstr("exactly 6050551755658940")));
}

// 15 of 16 places are the most that factors of 15 can take; 16 takes all of them.
TEST(CliSpace, FullLeavesMappingsThatUseEveryInstance) {
  const auto with = [](const char* command, const char* workload) {
    return std::vector<std::string>{command, "-a", "toy_array", "-w", workload, "--full"};
  };
  constexpr const char* kFills = "gemm: m=16 n=16 k=16";
  EXPECT_EQ(json_of(with("map", kFills)).at("result").at("utilisation"), 1.0);
  const Json all = json_of({"space", "-a", "toy_array", "-w", kFills});
  const Json full = json_of(with("space", kFills));
  EXPECT_LT(std::stoull(full.at("mappings").get<std::string>()),
            std::stoull(all.at("mappings").get<std::string>()));
  const Outcome none = run_tool(with("map", "gemm: m=15 n=15 k=15"));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("use >= 1 (--full)"));
}

TEST(CliSpace, AnEmptySpaceIsInfeasible) {
  const Outcome outcome =
      run_tool({"space", "-a", "toy_linear", "-w", "O[x] += I[x]; x=100", "-c", "GLB: x = 7"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no chain of pfm factors makes up x = 100"));
}

}  // namespace
}  // namespace tilewright::cli
