// Workloads with more multiply-accumulates than 64 bits can count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;

constexpr const char* kMillion = "gemm: m=1000000 n=1000000 k=1000000";
constexpr const char* kLarge = "gemm: m=8589934592 n=8589934592 k=8589934592";  // 2^99

TEST(CliLargeWorkloads, AreMappedProvenAndVerified) {
  const Scratch scratch;
  const std::string proof = scratch.path("proof.json");
  const Outcome mapped = run_tool({"map", "-a", "eyeriss", "-w", kMillion, "--certificate", proof});
  EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
  EXPECT_THAT(mapped.out, HasSubstr("proven optimal"));
  EXPECT_THAT(mapped.out, HasSubstr("10,000,000,000,000,000, limited by the multipliers"));
  const Outcome checked = run_tool({"check", proof});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("verified"));
}

// All digits of whole numbers, in JSON and in tables.
TEST(CliLargeWorkloads, AreCountedExactly) {
  const Scratch scratch;
  const std::string mapping = scratch.path("mapping.yaml");
  const std::string table = scratch.path("table.csv");
  const Outcome mapped = run_tool({"map", "-a", "eyeriss", "-w", kLarge, "--mapper", "quickflow",
                                   "--out", mapping, "--csv", table, "--json"});
  EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
  EXPECT_THAT(mapped.out, HasSubstr("\"macs\": 633825300114114700748351602688,"));
  EXPECT_THAT(contents(table), HasSubstr(",633825300114114700748351602688,"));
  EXPECT_TRUE(nlohmann::json::accept(mapped.out));
  const Outcome evaluated =
      run_tool({"eval", "-a", "eyeriss", "-w", kLarge, "-m", mapping, "--json"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_THAT(evaluated.out, HasSubstr("\"W\": 73786976294838206464,"));
}

TEST(CliLargeWorkloads, HaveFrontsAndMapSpaces) {
  const Outcome front = run_tool({"pareto", "-a", "eyeriss", "-w", kLarge});
  EXPECT_EQ(front.exit_code, 0) << front.err;
  EXPECT_THAT(front.out, HasSubstr("9,903,520,314,283,042,199,192,993,792"));
  const Outcome space = run_tool({"space", "-a", "eyeriss", "-w", kLarge});
  EXPECT_THAT(space.out, HasSubstr("exactly 67016648596872"));
}

TEST(CliLargeWorkloads, AreRefusedBeyondTheLimit) {
  const Outcome refused =
      run_tool({"map", "-a", "eyeriss", "-w", "gemm: m=8589934593 n=8589934592 k=17179869184"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the workload has more than 2^100 multiply-accumulates"));
}

// Plans of several einsums are counted in 64 bits.
TEST(CliLargeWorkloads, AreRefusedInCascades) {
  const Scratch scratch;
  const std::string cascade = scratch.write("large.yaml", R"(cascade: large
sizes: {a: 1000000, b: 1000000, c: 1000000}
einsums:
  - First: Y[a, c] += X[a, b] * U[b, c]
  - Second: Z[a, b] += Y[a, c] * V[c, b]
)");
  const Outcome refused = run_tool({"fuse", "-a", "toy_array", "--cascade", cascade});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("counts could pass 2^60, which plans of several einsums"));
}

}  // namespace
}  // namespace tilewright::cli
