// Roles, names of dimensions and remarks, as users meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

constexpr const char* kGemm = "gemm: m=512 n=512 k=64";
constexpr const char* kEinsum = "O[m,n] += A[m,k]*B[k,n]; m=512 n=512 k=64";

Json run_json(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
}

// Everything that does not depend on names.
Json figures(const Json& map) {
  const Json& result = map.at("result");
  return {result.at("energy_pj"),   result.at("cycles"),     result.at("edp_pj_cycles"),
          result.at("utilisation"), result.at("bottleneck"), result.at("compute")};
}

TEST(CliRoles, SpellingsOfAProductGiveTheSame) {
  for (const char* arch : {"gemmini", "tpu_v1"}) {
    const Json gemm = figures(run_json({"map", "-a", arch, "-w", kGemm}));
    const char* others[] = {kEinsum, "O[m,n] += B[k,n]*A[m,k]; m=512 n=512 k=64",
                            "O[M,N] += W[M,K]*I[K,N]; M=512 N=512 K=64",
                            "O[m,n] += A:weight[m,k]*B:input[k,n]; m=512 n=512 k=64"};
    for (const char* line : others) {
      EXPECT_EQ(figures(run_json({"map", "-a", arch, "-w", line})), gemm) << arch << ": " << line;
    }
  }
  EXPECT_GT(run_json({"map", "-a", "gemmini", "-w", kEinsum}).at("result").at("utilisation"), 0.9);
  EXPECT_EQ(run_json({"map", "-a", "tpu_v1", "-w", kEinsum}).at("result").at("cycles"), 65536);
}

TEST(CliRoles, StandInEveryResult) {
  const char* const roles = "A weight, B input, O output";
  const Scratch scratch;
  const std::string mapping = scratch.path("best.yaml");
  const char* const line = "O[m,n] += A[m,k]*B[k,n]; m=16 n=8 k=16";
  EXPECT_THAT(run_tool({"map", "-a", "gemmini", "-w", line, "--out", mapping}).out,
              AllOf(HasSubstr(roles), HasSubstr("\nRemarks\n  The workload does not say")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"eval", "-a", "gemmini", "-w", line, "-m", mapping},
        std::vector<std::string>{"pareto", "-a", "gemmini", "-w", line}}) {
    EXPECT_THAT(run_tool(words).out,
                AllOf(HasSubstr(roles), HasSubstr("such as B:weight[k,n]"),
                      HasSubstr("m, n and k are taken for M, N and K of gemmini")));
    EXPECT_EQ(run_json(words).at("remarks").size(), 2U);
  }
  EXPECT_EQ(run_json({"map", "-a", "gemmini", "-w", line}).at("remarks").size(), 2U);
  EXPECT_EQ(run_json({"space", "-a", "gemmini", "-w", line}).at("remarks").size(), 2U);
  EXPECT_THAT(run_tool({"workload", "show", line, "--yaml"}).out,
              HasSubstr("roles: {A: weight, B: input}"));
  EXPECT_THAT(run_tool({"map", "-a", "gemmini", "-w", kGemm}).out, Not(HasSubstr("Remarks")));
}

TEST(CliRoles, AnyTriesAllAndSaysWhichWon) {
  const char* const wrong = "O[m,n] += A:input[m,k]*B:weight[k,n]; m=512 n=512 k=64";
  const Json map = run_json({"map", "-a", "gemmini", "-w", wrong, "--roles", "any"});
  EXPECT_EQ(figures(map), figures(run_json({"map", "-a", "gemmini", "-w", kGemm})));
  const Json& tried = map.at("search").at("roles");
  ASSERT_EQ(tried.size(), 2U);
  EXPECT_EQ(tried[0].at("assignment"), "A input, B weight, O output");
  EXPECT_EQ(tried[1].at("value"), map.at("result").at("edp_pj_cycles"));
  EXPECT_LT(tried[1].at("value"), tried[0].at("value"));
  EXPECT_TRUE(tried[0].at("proven"));
  EXPECT_TRUE(map.at("search").at("proof").at("proven"));
  EXPECT_THAT(
      run_tool({"map", "-a", "gemmini", "-w", wrong, "--roles", "any"}).out,
      HasSubstr("A weight, B input, O output is the best of 2; A input, B weight, O output: "));
  EXPECT_THAT(run_tool({"map", "-a", "gemmini", "--model", "ncf", "--roles", "any"}).out,
              HasSubstr("Of 2 ways to deal out the roles, "));
}

TEST(CliRoles, WritesTheWorkloadBesideAMappingWithOtherRoles) {
  const Scratch scratch;
  const std::string mapping = scratch.path("best.yaml");
  const Json map = run_json({"map", "-a", "gemmini", "-w",
                             "O[m,n] += A:input[m,k]*B:weight[k,n]; m=64 n=64 k=64", "--roles",
                             "any", "--out", mapping});
  const Json again =
      run_json({"eval", "-a", "gemmini", "-w", scratch.path("best.workload.yaml"), "-m", mapping});
  EXPECT_EQ(again.at("energy_pj"), map.at("result").at("energy_pj"));
  const Outcome refused = run_tool({"map", "-a", "gemmini", "-w", kGemm, "--roles", "any",
                                    "--certificate", scratch.path("c.json")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("one way to deal out the roles"));
}

TEST(CliRename, GivesNamesThatTheHardwareKnows) {
  const char* const scores = "S[h,i,j] += Q[h,i,d]*K[h,j,d]; h=4 i=64 j=64 d=32";
  const std::vector<std::string> words = {"map", "-a", "gemmini", "-w", scores};
  const Json idle = run_json(words);
  EXPECT_EQ(idle.at("result").at("compute").at("instances"), 1);
  EXPECT_THAT(run_tool(words).out,
              AllOf(HasSubstr("SARows.y (16 instances) cannot be used: the workload has none of M"),
                    HasSubstr("--rename i=M,d=C,j=P")));
  std::vector<std::string> renamed = words;
  renamed.insert(renamed.end(), {"--rename", "h=N,i=M,j=P,d=C"});
  const Json used = run_json(renamed);
  EXPECT_EQ(used.at("result").at("compute").at("instances"), 256);
  EXPECT_EQ(used.at("remarks").size(), 1U);  // about roles
  // The same as spelt so.
  EXPECT_EQ(figures(used),
            figures(run_json({"map", "-a", "gemmini", "-w",
                              "S[N,M,P] += Q[N,M,C]*K[N,P,C]; N=4 M=64 P=64 C=32"})));
  EXPECT_EQ(run_json({"workload", "show", scores, "--rename", "h=N"}).at("einsum"),
            "S[N,i,j] += Q[N,i,d]*K[N,j,d]");
  EXPECT_EQ(
      run_json({"space", "-a", "gemmini", "-w", kGemm, "--rename", "K=C"}).at("chains").count("C"),
      1U);
}

TEST(CliRename, TellsWhatIsWrong) {
  struct Row {
    const char* names;
    const char* said;
  };
  const Row table[] = {
      {"X=M", "--rename:1:1: gemm_512x512x64 has no dimension X; its dimensions are M, N, K"},
      {"M=Q,N=Q", "--rename:1:5: M and N would both be named Q"},
      {"M", "--rename:1:2: expected \"=\" after M; write old and new names such as h=N,i=M"}};
  for (const Row& row : table) {
    for (const char* command : {"map", "pareto", "space"}) {
      const Outcome outcome =
          run_tool({command, "-a", "gemmini", "-w", kGemm, "--rename", row.names});
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_EQ(outcome.out, "");
      EXPECT_THAT(outcome.err, HasSubstr(row.said));
    }
  }
}

TEST(CliRemarks, NameAnAxisOfNoUse) {
  const Scratch scratch;
  const std::string arch = scratch.write("mine.yaml", R"(
architecture: mine
levels:
  - {memory: DRAM, capacity: unlimited, read: 64 pJ}
  - {memory: Buffer, capacity: 4096 words, read: 1 pJ}
  - {fanout: PEs, x: {size: 4, dims: [M]}, y: {size: 8, dims: [ZZ]}}
  - {compute: MAC, energy: 1 pJ}
)");
  const Json map = run_json({"map", "-a", arch, "-w", "gemm: m=16 n=16 k=16"});
  EXPECT_THAT(map.at("remarks"),
              ElementsAre("PEs.y (8 instances) cannot be used: the workload has none of ZZ.",
                          "To change that, give dimensions the names that mine knows, such as "
                          "--rename N=ZZ, or put those of the workload (M, N, K) into its lists."));
}

}  // namespace
}  // namespace tilewright::cli
