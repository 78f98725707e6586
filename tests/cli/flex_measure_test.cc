// `tilewright flex measure`, as its users run it.
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

constexpr const char* kLayer16 = "conv2d: in_channels=40 out_channels=120 p=28 q=28 r=1 s=1";

TEST(CliFlexMeasure, CountsALayer) {
  const Scratch scratch;
  const Outcome outcome =
      run_tool({"flex", "measure", "-a", "flex_1024", "--flex",
                "O={YXKCRS,CYXKRS,KCRSYX},P=CK,S=blocks(16x16)", "-w", kLayer16, "--csv",
                scratch.path("f.csv"), "--venn", scratch.path("f.svg")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("PartFlex-1101"), HasSubstr("0.1250"),
                                 HasSubstr("0.0750"), HasSubstr("0.0039")));
  EXPECT_THAT(contents(scratch.path("f.csv")),
              AllOf(StartsWith("layer,count,axis,class_space,"),
                    HasSubstr(",1,order,720,3,24,24,3,0.004166666666666667,0.125,,\n"),
                    HasSubstr("mean,1,shape,1024,4,40,40,3,0.00390625,0.075,,\n")));
  EXPECT_THAT(contents(scratch.path("f.svg")),
              AllOf(StartsWith("<svg "), HasSubstr("A = 4 shapes"), HasSubstr("</svg>\n")));
}

TEST(CliFlexMeasure, MeansOverANetwork) {
  const std::vector<std::string> words = {
      "flex",   "measure",    "-a",      "flex_1024",
      "--flex", "P=CK,S=any", "--model", "references/gamma_mnasnet.csv"};
  if (!tilewright::testing::slow_build()) {  // the same search as for JSON
    const Outcome text = run_tool(words);
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("W-F = A^w/W by layer"), HasSubstr("  mean      52  ")));
  }
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const Json json = Json::parse(run_tool(as_json).out);
  EXPECT_EQ(json.at("layers").size(), 52U);
  EXPECT_NEAR(json.at("mean")[3].at("workload_flexion").get<double>(), 0.9829, 0.00005);
  EXPECT_EQ(json.at("layers")[14].at("axes")[3].at("workload_space"), "72");
}

TEST(CliFlexMeasure, SaysWhatIsMissing) {
  const Outcome rigid = run_tool({"flex", "measure", "-a", "toy_array", "-w", kLayer16});
  EXPECT_EQ(rigid.exit_code, 2);
  EXPECT_EQ(rigid.out, "");
  EXPECT_THAT(rigid.err, HasSubstr("does not say what it can be set to"));
  const Outcome nothing = run_tool({"flex", "measure", "-a", "flex_1024"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("add --workload or --model"));
  const Outcome nowhere = run_tool(
      {"flex", "measure", "-a", "flex_1024", "-w", kLayer16, "--csv", "/nowhere/at/all.csv"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace tilewright::cli
