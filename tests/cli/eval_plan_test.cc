// Plans by hand from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using testing::with;
using testing::Words;
using Json = nlohmann::json;

constexpr const char* kArch = "examples/flash_attention/arch.yaml";
constexpr const char* kPlan = "examples/flash_attention/plan.yaml";
const Words kShort = {"--size", "heads=1", "--size", "tokens=1024"};

Words command(const char* name, const Words& more) {
  return with({name, "-a", kArch, "--cascade", "attention"}, more);
}

TEST(CliEvalPlan, HoldsFlashAttentionAgainstTheOptimum) {
  const Words words =
      command("eval", {"--size", "heads=1", "--size", "tokens=8192", "-m", kPlan, "--optimum"});
  const Json json = testing::json_of(words);
  EXPECT_EQ(json["schema"], "tilewright.plan.v1");
  EXPECT_THAT(json["found_nests"], ::testing::ElementsAre("QK", "AV"));
  EXPECT_TRUE(json["optimum"]["proven"]);
  EXPECT_GT(json["energy_pj"], json["optimum"]["energy_pj"]);
  EXPECT_LT(json["energy_pj"], json["optimum"]["unfused_pj"]);
  double sum = 0;
  for (const Json& einsum : json["einsums"]) sum += einsum["energy_pj"].get<double>();
  EXPECT_NEAR(sum, json["energy_pj"].get<double>(), 1e-6 * sum);
  // Scores never leave the buffer; keys and values come again for each of the 64 blocks.
  EXPECT_EQ(json["einsums"][0]["tensors"][2]["outer_words"], 0);
  EXPECT_EQ(json["einsums"][1]["tensors"][0]["placement"], "local");  // where QK has them
  EXPECT_EQ(json["einsums"][0]["tensors"][1]["outer_words"], 64 * 8192 * 64);
  const Outcome text = run_tool(words);
  EXPECT_THAT(text.out, AllOf(HasSubstr("no nests of QK, AV"), HasSubstr("The best plan (proven)"),
                              HasSubstr("for m in 64"), HasSubstr("words live in Buffer")));
}

TEST(CliEvalPlan, FindsThePlanOfFuseAsGoodAsFuseDoes) {
  const Scratch scratch;
  const std::string plan = scratch.path("plan.yaml");
  const Json found = testing::json_of(with(command("fuse", kShort), {"--out", plan}));
  const Json whole = testing::json_of(with(command("eval", kShort), {"-m", plan}));
  EXPECT_TRUE(whole["found_nests"].empty());
  EXPECT_TRUE(whole["optimum"].is_null());
  const double pj = found["energy_pj"].get<double>();
  EXPECT_NEAR(whole["energy_pj"].get<double>(), pj, 1e-9 * pj);
  const std::string text = testing::contents(plan);
  const std::string tree = scratch.write("tree.yaml", text.substr(0, text.find("nests:")));
  const Json again = testing::json_of(with(command("eval", kShort), {"-m", tree}));
  EXPECT_EQ(again["found_nests"].size(), 2U);
  EXPECT_NEAR(again["energy_pj"].get<double>(), pj, 1e-9 * pj);
}

// 1000 is 232 and three times 256. All blocks of queries see all keys.
TEST(CliEvalPlan, TakesLoopsThatLeaveARemainder) {
  const Scratch scratch;
  const std::string plan = scratch.write(
      "plan.yaml", "plan:\n  - for: [m by 256]\n    keep: {Q: m}\n    do: [QK, AV]\n");
  const Words sizes = {"--size",      "heads=1", "--size",
                       "tokens=1000", "--set",   "Buffer.capacity=1MiB"};
  const Json json = testing::json_of(with(command("eval", sizes), {"-m", plan}));
  const Json& loop = json["einsums"][0]["shared_loops"][0];
  EXPECT_EQ(loop["count"], 4);
  EXPECT_EQ(loop["tile"], 256);
  EXPECT_EQ(json["einsums"][0]["macs"], 1000 * 1000 * 64);
  EXPECT_EQ(json["einsums"][0]["tensors"][0]["outer_words"], 1000 * 64);
  const Outcome text = run_tool(with(command("eval", sizes), {"-m", plan}));
  EXPECT_THAT(text.out, HasSubstr("for m in 4, by 256"));
}

// Keys and values stay in L2, scores in L1. Each memory has room of its own.
TEST(CliEvalPlan, TakesTensorsThatAreAtHomeInAnotherMemory) {
  const Words words = {"eval",
                       "-a",
                       "examples/two_shared_memories/arch.yaml",
                       "--cascade",
                       "attention",
                       "--size",
                       "heads=1",
                       "--size",
                       "tokens=1024",
                       "-m",
                       "examples/two_shared_memories/plan.yaml",
                       "--optimum"};
  const Json json = testing::json_of(words);
  const Json& first = json["einsums"][0];
  EXPECT_EQ(json["shared"], "L2");
  EXPECT_EQ(first["tensors"][1]["placement"], "kept");
  EXPECT_FALSE(first["tensors"][1].contains("home"));
  EXPECT_EQ(first["tensors"][2]["home"], "L1");
  EXPECT_EQ(json["einsums"][1]["tensors"][0]["home"], "L1");  // where QK has them
  // Keys come once, and scores never see L2.
  EXPECT_EQ(first["tensors"][1]["outer_words"], 1024 * 64);
  for (const Json& memory : first["memories"]) {
    if (memory["name"] != "L2") continue;
    EXPECT_EQ(memory["tensors"][1]["fills"], 1024 * 64);
    EXPECT_EQ(memory["tensors"][2]["updates"], 0);
  }
  ASSERT_EQ(first["live_elsewhere"].size(), 1U);
  const Json& room = first["live_elsewhere"][0];
  EXPECT_EQ(room["memory"], "L1");
  std::int64_t sum = 0;
  for (const Json& live : room["live"]) sum += live["words"].get<std::int64_t>();
  EXPECT_EQ(room["words"], sum);
  EXPECT_GE(sum, 3 * 64 * 64);  // blocks of queries, scores and outputs
  EXPECT_GE(first["live_words"], 2 * 1024 * 64);
  EXPECT_TRUE(json["optimum"]["proven"]);
  EXPECT_LT(json["energy_pj"], json["optimum"]["energy_pj"]);
  EXPECT_THAT(run_tool(words).out,
              AllOf(HasSubstr("intermediates in L2 and L1"), HasSubstr("kept throughout in L2"),
                    HasSubstr("local in L1"), HasSubstr("even nests in one shared memory")));
  const Outcome small = run_tool(with(words, {"--set", "L1.capacity=12287 words"}));
  EXPECT_EQ(small.exit_code, 3);
  EXPECT_THAT(small.err, HasSubstr("12288 words that are live in L1, of 12287 words"));
}

// The best plan that is looked for has equal pieces: 197 has no others than itself.
TEST(CliEvalPlan, SaysOfWhichPlansTheBestIsWhereAnotherIsBetter) {
  const Scratch scratch;
  const std::string plan = scratch.write(
      "plan.yaml",
      "plan:\n  - {for: [p by 66], keep: {Q: 0, O: 0}, local: [K, V], do: [QK, AV]}\n");
  const Words sizes = {"--size", "heads=1", "--size", "tokens=197", "-m", plan, "--optimum"};
  const Json json = testing::json_of(command("eval", sizes));
  EXPECT_TRUE(json["optimum"]["proven"]);
  EXPECT_LT(json["energy_pj"], json["optimum"]["energy_pj"]);
  EXPECT_THAT(run_tool(command("eval", sizes)).out,
              AllOf(HasSubstr("The best plan of equal pieces and even nests"),
                    HasSubstr("this one is none of these and takes")));
}

TEST(CliEvalPlan, SaysWhatDoesNotFit) {
  const Scratch scratch;
  const std::string plan =
      scratch.write("plan.yaml", "plan:\n  - {for: [m 2], keep: {Q: m, O: m}, do: [QK, AV]}\n");
  const Outcome outcome = run_tool(with(command("eval", kShort), {"-m", plan}));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the plan does not fit flash_attention:"),
                                 HasSubstr("QK: no nest of it fits beside")));
}

TEST(CliEvalPlan, PointsAtWhatIsWrong) {
  const Scratch scratch;
  const std::string plan = scratch.write("plan.yaml", "plan:\n  - for: [m 3]\n    do: [QK, AV]\n");
  const Outcome outcome = run_tool(with(command("eval", kShort), {"-m", plan}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("plan.yaml:2:11: the loop m 3 does not divide"));
  const Outcome both = run_tool(
      {"eval", "-a", kArch, "--cascade", "attention", "-w", "gemm: m=2 n=2 k=2", "-m", plan});
  EXPECT_EQ(both.exit_code, 2);
  const Outcome alone = run_tool({"eval", "-a", kArch, "-m", plan, "--optimum"});
  EXPECT_EQ(alone.exit_code, 2);
  const Outcome leaking =
      run_tool(with(command("eval", kShort), {"-m", kPlan, "--set", "Buffer.leakage=1pJ/cycle"}));
  EXPECT_EQ(leaking.exit_code, 2);
  EXPECT_THAT(leaking.err, HasSubstr("write its nests into the plan"));
}

TEST(CliEvalPlan, FindsNestsOfConvolutionsWhoseOverlapStays) {
  const Scratch scratch;
  const std::string plan = scratch.write(
      "rows.yaml", "plan:\n  - for: [p 4]\n    keep: {T: p}\n    do: [Conv1, Conv2]\n");
  const Outcome outcome = run_tool({"eval", "-a", kArch, "--cascade", "two_convolutions", "--size",
                                    "size=8", "--size", "channels=2", "-m", plan, "--optimum"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("kept below the first loop"));
}

TEST(CliEvalPlan, ReadsAPlanFromStandardInput) {
  const Outcome outcome = testing::run_tool_in(
      {.input = "plan: [QK, AV]\n"}, with(command("eval", kShort), {"-m", "-", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["group_pj"].size(), 2U);
}

}  // namespace
}  // namespace tilewright::cli
