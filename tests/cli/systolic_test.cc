// Systolic arrays from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

const Words kFill = {"--set", "SARows.fill=diagonal", "--set", "SACols.fill=diagonal"};
const Words kPreload = {"--set", "SACols.preload=x"};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kGemm = {"-w", "gemm: m=64 n=256 k=64"};

Json best_of(const std::string& arch, const Words& changes) {
  const Outcome outcome =
      run_tool(Words{"map", "-a", arch, "-o", "latency", "--json"} + kGemm + changes);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("search").at("proof").at("gap"), 0);
  return json.at("result");
}

// Without the switches shipped architectures are as ever. With them, 16 tiles of weights of
// 16 x 16 take 15 + 15 cycles each, and 16 more if they are shifted in.
TEST(CliSystolic, ShippedArraysFillAndPreloadWhereThatIsAskedFor) {
  const Json plain = best_of("gemmini", {});
  EXPECT_FALSE(plain.contains("systolic"));
  const Json fills = best_of("gemmini", kFill);
  EXPECT_EQ(fills.at("systolic"), (Json{{"stationary", "W"},
                                        {"memory", "Register"},
                                        {"changes", 16},
                                        {"fill_cycles", 16 * 30},
                                        {"preload_cycles", 0}}));
  EXPECT_EQ(fills.at("compute").at("cycles"), 16 * 256);
  const Json loads = best_of("gemmini", kFill + kPreload);
  EXPECT_EQ(loads.at("systolic").at("preload_cycles"), 16 * 16);
  EXPECT_GE(loads.at("cycles"), 16 * (256 + 30 + 16));
  EXPECT_TRUE(best_of("tpu_v1", kFill).contains("systolic"));
}

TEST(CliSystolic, CertificatesHoldTheArray) {
  const Scratch scratch;
  const std::string path = scratch.path("best.json");
  // Ports that are slower than the array would hide a forged one.
  const std::string arch = scratch.write("array.yaml", R"(architecture: array
levels:
  - {memory: DRAM, capacity: unlimited, read: 64 pJ}
  - {fanout: Array, x: 16, y: 8, stationary: weight, fill: diagonal, preload: x}
  - {memory: Register, capacity: 1 words, keep: [weight]}
  - {compute: MAC}
)");
  const Outcome made = run_tool(Words{"map", "-a", arch, "--certificate", path} + kGemm);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(run_tool({"check", path}).exit_code, 0);
  std::string text = testing::contents(path);
  const std::size_t place = text.find("preload: x");
  ASSERT_NE(place, std::string::npos);
  const std::string forged = scratch.write("forged.json", text.replace(place, 10, "preload: y"));
  EXPECT_EQ(run_tool({"check", forged}).exit_code, 1);
}

TEST(CliSystolic, UnevenMappingsAreSearchedToo) {
  const Outcome uneven = run_tool(Words{"map", "-a", "gemmini", "--uneven"} + kGemm + kFill);
  EXPECT_EQ(uneven.exit_code, 0) << uneven.err;
  EXPECT_THAT(uneven.out, HasSubstr("proven optimal among all mappings, even and uneven"));
}

TEST(CliSystolic, WhatIsNotThereYetIsRefused) {
  const Outcome flexible =
      run_tool(Words{"map", "-a", "flex_1024", "-w", "gemm: m=8 n=8 k=8", "--set",
                     "Array.fill=diagonal", "--set", "Array.stationary=weight"});
  EXPECT_EQ(flexible.exit_code, 2) << flexible.out;
}

TEST(CliSystolic, NamesTheTensorThatIsNotThere) {
  const Outcome outcome = run_tool(Words{"map", "-a", "gemmini", "--set", "SARows.stationary=V",
                                         "--set", "SACols.stationary=V"} +
                                   kGemm + kFill);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("SACols holds V still, but there is no such tensor in gemm"));
}

}  // namespace
}  // namespace tilewright::cli
