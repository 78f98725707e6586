#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_tool.h"
#include "golden/small_case.h"
#include "support/slow_build.h"

namespace tilewright::cli {
namespace {

using golden::testing::small_case;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;

// Lines of cases, the first `different` of which expect too many MACs.
std::string cases(int equal, int different) {
  std::string text;
  for (int i = 0; i < equal + different; ++i) {
    nlohmann::json json = small_case();
    json["id"] = "case" + std::to_string(i);
    if (i < different) json["expected"]["macs"] = 73;
    text += json.dump() + "\n";
  }
  return text;
}

TEST(CliGolden, ShippedFilesAgree) {
  if (tilewright::testing::slow_build()) {
    const std::string shortest = "tests/golden/timeloop_conv1d.jsonl";
    EXPECT_EQ(run_tool({"golden", shortest}).out, shortest + ": 300 equal, 0 differ\n");
    return;
  }
  const Outcome outcome =
      run_tool({"golden", "tests/golden/timeloop_conv.jsonl", "tests/golden/timeloop_conv1d.jsonl",
                "tests/golden/timeloop_gemm.jsonl", "references/goma_fidelity.csv"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "tests/golden/timeloop_conv.jsonl: 600 equal, 0 differ\n"
            "tests/golden/timeloop_conv1d.jsonl: 300 equal, 0 differ\n"
            "tests/golden/timeloop_gemm.jsonl: 400 equal, 0 differ\n"
            "references/goma_fidelity.csv: 8064 equal, 0 differ\n"
            "all: 9364 equal, 0 differ\n");
}

TEST(CliGolden, WhatIsNoTextIsNotReadToItsEnd) {
  const Outcome outcome = run_tool({"golden", "/dev/zero"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "/dev/zero:1:1: byte 0x00: this is no text file\n");
}

TEST(CliGolden, PrintsWhatDiffers) {
  const Scratch scratch;
  const std::string path = scratch.write("c.jsonl", cases(2, 1));
  const Outcome outcome = run_tool({"golden", path});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "  case0 differs:\n    MACs: expected 73, got 72\n" + path + ": 2 equal, 1 differ\n");
}

TEST(CliGolden, PrintsTheFirstFiveUnlessAskedForMore) {
  const Scratch scratch;
  const std::string path = scratch.write("c.jsonl", cases(0, 7));
  EXPECT_THAT(run_tool({"golden", path}).out,
              AllOf(HasSubstr("case4 differs"), Not(HasSubstr("case5")),
                    HasSubstr("  ... and 2 more\n"), HasSubstr(": 0 equal, 7 differ\n")));
  EXPECT_THAT(run_tool({"golden", path, "--show", "7"}).out,
              AllOf(HasSubstr("case6 differs"), Not(HasSubstr("more"))));
  EXPECT_EQ(run_tool({"golden", path, "--show", "0"}).out,
            "  ... and 7 more\n" + path + ": 0 equal, 7 differ\n");
}

TEST(CliGolden, AddsUpSeveralFiles) {
  const Scratch scratch;
  const Outcome outcome = run_tool(
      {"golden", scratch.write("a.jsonl", cases(2, 1)), scratch.write("b.jsonl", cases(3, 0))});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\nall: 5 equal, 1 differ\n"));
}

TEST(CliGolden, ComparesTheGoodLinesOfABadFile) {
  const Scratch scratch;
  const std::string path = scratch.write("c.jsonl", cases(1, 0) + "nonsense\n" + cases(1, 0));
  const Outcome outcome = run_tool({"golden", path});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(path + ":2:2: the line is not JSON; docs/golden.md"));
  EXPECT_EQ(outcome.out, path + ": 2 equal, 0 differ\n");
}

TEST(CliGolden, BadInputWeighsMoreThanADifference) {
  const Scratch scratch;
  const std::string path = scratch.write("c.jsonl", cases(0, 1));
  EXPECT_EQ(run_tool({"golden", "missing.jsonl", path}).exit_code, 2);
}

TEST(CliGolden, RefusesWhatHasNoCases) {
  const Scratch scratch;
  const Outcome missing = run_tool({"golden", "missing.jsonl"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err, "missing.jsonl: no such file\n");
  EXPECT_EQ(missing.out, "");
  const std::string path = scratch.write("empty.jsonl", "\n");
  const Outcome empty = run_tool({"golden", path});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_EQ(empty.err, path + ": there is no case in the file\n");
}

}  // namespace
}  // namespace tilewright::cli
