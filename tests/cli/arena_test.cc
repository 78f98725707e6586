#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using ::testing::StartsWith;

constexpr const char* kNetwork =
    "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\n"
    "small,1,gemm,1,16,8,1,1,1,1,1,1\n"
    "small,2,gemm,1,12,10,1,1,1,1,1,1\n";

TEST(CliArena, HoldsMappersAgainstTheOptimum) {
  const Scratch scratch;
  const std::string network = scratch.write("small.csv", kNetwork);
  const Outcome outcome = run_tool({"arena", "--arch", "toy_array", "--model", network, "--mappers",
                                    "loma,optimal,genetic,loma", "--csv", scratch.path("rows.csv"),
                                    "--convergence", scratch.path("steps.csv")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("2 layers, lowest EDP in pfm; of all the optimum is proven"));
  for (const char* name : {"optimal", "loma", "genetic"}) EXPECT_THAT(outcome.out, HasSubstr(name));
  EXPECT_THAT(contents(scratch.path("rows.csv")),
              StartsWith("architecture,network,layer,mapper,value,ratio,optimum_proven,"));
  const std::string rows = contents(scratch.path("rows.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 2 * 3) << "each mapper counts once";
  EXPECT_THAT(contents(scratch.path("steps.csv")), HasSubstr("toy_array,small,1,loma,"));
}

struct BadCall {
  std::vector<std::string> words;
  std::string message;
};

TEST(CliArena, SaysWhatIsWrong) {
  const Scratch scratch;
  const std::string network = scratch.write("small.csv", kNetwork);
  const std::vector<BadCall> calls = {
      {{"--mappers", "lama"}, "--mappers: there is no mapper lama; choose among optimal, "},
      {{"--time", "soon"}, "--time: "},
      {{"--layer", "#9"}, "#9"},
      {{"--model", network, "--layer", "1"}, "--layer: there are several networks"},
      {{"--csv", "/no/such/folder/rows.csv"}, "/no/such/folder"},
      {{"--convergence", "/no/such/folder/rows.csv"}, "/no/such/folder"},
  };
  for (const BadCall& call : calls) {
    std::vector<std::string> words = {"arena", "--arch", "toy_array", "--model", network};
    words.insert(words.end(), call.words.begin(), call.words.end());
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 2) << call.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(call.message));
  }
}

// No memory holds even the smallest tiles.
TEST(CliArena, SaysWhereNobodyFindsAnything) {
  const Scratch scratch;
  const std::string arch = scratch.write("tiny.yaml",
                                         "architecture: tiny\n"
                                         "levels:\n"
                                         "  - {memory: DRAM, capacity: unlimited, read: 1 pJ}\n"
                                         "  - {memory: Buffer, capacity: 2 words, read: 1 pJ}\n"
                                         "  - {compute: MAC, energy: 1 pJ}\n");
  const Outcome outcome = run_tool({"arena", "--arch", arch, "--model",
                                    scratch.write("small.csv", kNetwork), "--mappers", "salsa"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no mapper found a mapping of 1 of small on tiny"));
}

}  // namespace
}  // namespace tilewright::cli
