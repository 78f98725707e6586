// `tilewright flex classify`, `isolate` and `futureproof`, as their users run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "support/slow_build.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using ::testing::StartsWith;
using Json = nlohmann::json;

TEST(CliFlexClassify, SaysTheClassAndWhy) {
  const Outcome one = run_tool({"flex", "classify", "flex_1024", "--flex",
                                "T=fixed(K64,C16,Y3,X3,R3,S3),O={KCYXRS,YXKCRS},P=CK,S=any"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("PartFlex-0101"), HasSubstr("2 of 720 loop orders"),
                             HasSubstr("1024 of 1024 shapes"), HasSubstr("one tile is built in")));
  const Outcome several =
      run_tool({"flex", "classify", "flex_1024", "examples/flexibility/maeri.yaml"});
  EXPECT_EQ(several.exit_code, 0) << several.err;
  EXPECT_THAT(several.out, AllOf(HasSubstr("FullFlex-1111"), HasSubstr("flex_1024")));
}

TEST(CliFlexClassify, AsksForADescription) {
  const Outcome outcome = run_tool({"flex", "classify", "eyeriss"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("eyeriss"), HasSubstr("--flex")));
}

TEST(CliFlexIsolate, HoldsEveryAxisAgainstTheFixedAccelerator) {
  const Scratch scratch;
  const Outcome outcome = run_tool(
      {"flex", "isolate", "--model", "mnasnet", "-l", "Conv2d-16", "--csv", scratch.path("i.csv")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("InFlex-0000     1.0000"), HasSubstr("FullFlex-1000"),
                                 HasSubstr("PartFlex-0100"), HasSubstr("FullFlex-1111")));
  EXPECT_THAT(contents(scratch.path("i.csv")), StartsWith("accelerator,flexibility,"));
  const Outcome json =
      run_tool({"flex", "isolate", "--model", "mnasnet", "-l", "Conv2d-16", "--json"});
  const Json study = Json::parse(json.out);
  EXPECT_EQ(study.at("variants").size(), 10U);
  EXPECT_EQ(study.at("variants").at(0).at("results").at(0).at("relative"), 1.0);
  // Freedom never harms.
  for (const Json& variant : study.at("variants")) {
    if (variant.at("name").get<std::string>().starts_with("PartFlex")) continue;
    EXPECT_LE(variant.at("results").at(0).at("relative"), 1.0) << variant.at("name");
  }
  EXPECT_EQ(study.at("variants").at(2).at("hardware_flexion"), 1.0);
}

TEST(CliFlexIsolate, WantsAFixedBaseline) {
  const Outcome outcome =
      run_tool({"flex", "isolate", "--model", "ncf", "--baseline", "T=soft,O=KCYXRS,P=CK"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--baseline"), HasSubstr("tile is not fixed: soft")));
  const Outcome two = run_tool({"flex", "isolate", "--model", "ncf", "-a", "eyeriss"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.err, HasSubstr("several fan-outs"));
}

TEST(CliFlexIsolate, SaysWhichLayerDoesNotFit) {
  const Outcome outcome =
      run_tool({"flex", "isolate", "--model", "mnasnet", "-l", "Conv2d-16", "--baseline",
                "T=fixed(K1024,C1024,Y28,X28,R3,S3),O=KCYXRS,P=CK,S=16x64"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("InFlex-0000"), HasSubstr("Buffer")));
}

// Two networks: those that ship or, since they take a minute under the sanitizers, a
// small one twice.
std::vector<std::string> two_networks(const Scratch& scratch) {
  if (!tilewright::testing::slow_build()) return {"dlrm", "ncf"};
  const std::string path = scratch.write("small.csv",
                                         "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\n"
                                         "small,1,gemm,1,16,8,1,1,1,1,1,1\n");
  return {path, path};
}

TEST(CliFlexFutureproof, RunsOtherNetworksWithAllClasses) {
  const Scratch scratch;
  std::vector<std::string> words = {"flex", "futureproof"};
  for (const std::string& network : two_networks(scratch)) words.push_back(network);
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("InFlex-0000: T=fixed("), HasSubstr("FullFlex-0110"),
                                 HasSubstr("PartFlex-1111"), HasSubstr("geomean")));
  words.emplace_back("--json");
  const Json study = Json::parse(run_tool(words).out);
  EXPECT_EQ(study.at("variants").size(), 17U);
  EXPECT_EQ(study.at("variants").at(0).at("results").size(), 2U);
}

// An array in another shape than the file's runs the mapping that was written for it.
TEST(CliFlexMap, WritesMappingsThatCanBeEvaluated) {
  const Scratch scratch;
  const std::vector<std::string> layer = {"-a",      "flex_1024", "--model",
                                          "mnasnet", "-l",        "Conv2d-16"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), layer.begin(), layer.end());
    return run_tool(words);
  };
  const Outcome mapped = run({"map", "-o", "latency", "--json", "--out", scratch.path("m.yaml")});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  const Json found = Json::parse(mapped.out);
  EXPECT_NE(found.at("search").at("setting").at("rows"), 16);
  const Outcome again = run({"eval", "--json", "-m", scratch.path("m.yaml")});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out).at("cycles"), found.at("result").at("cycles"));
  const Outcome fixed = run({"eval", "--flex", "S=16x64", "-m", scratch.path("m.yaml")});
  EXPECT_EQ(fixed.exit_code, 3);
  EXPECT_THAT(fixed.err, HasSubstr("does not fit flex_1024 with any setting"));
}

}  // namespace
}  // namespace tilewright::cli
