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
using ::testing::StartsWith;
using Json = nlohmann::json;

TEST(CliWorkloadShow, ShowsAFile) {
  const Outcome outcome = run_tool({"workload", "show", "examples/workloads/resnet50_conv1.yaml"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("resnet50_conv1\n  O[N,M,P,Q] += I[N,C,2*P+R,2*Q+S]*W[M,C,R,S]\n"),
                    HasSubstr("118,013,952 MACs"), HasSubstr("1 x 3 x 229 x 229")));
}

TEST(CliWorkloadShow, ShowsWorkloadsOnOneLine) {
  struct Row {
    const char* line;
    const char* name;
    const char* einsum;
    std::int64_t macs;
  };
  const Row table[] = {
      {"gemm: m=64 n=32 k=16", "gemm_64x32x16", "O[M,N] += W[M,K]*I[K,N]", 64 * 32 * 16},
      {"matmul: batch=2 m=3 n=4 k=5", "matmul_2x3x4x5", "O[B,M,N] += W[B,M,K]*I[B,K,N]", 120},
      {"O[m,n] += A[m,k]*B[k,n]; m=8 n=4 k=2", "O", "O[m,n] += A[m,k]*B[k,n]", 64}};
  for (const Row& row : table) {
    const Outcome outcome = run_tool({"workload", "show", row.line, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json.at("schema"), "tilewright.workload.v1");
    EXPECT_EQ(json.at("name"), row.name);
    EXPECT_EQ(json.at("einsum"), row.einsum);
    EXPECT_EQ(json.at("macs"), row.macs);
    EXPECT_THAT(run_tool({"workload", "show", row.line}).out, HasSubstr(row.einsum));
  }
}

TEST(CliWorkloadShow, WritesAFileThatReadsTheSame) {
  const Scratch scratch;
  for (const char* what : {"examples/workloads/mttkrp.yaml", "examples/workloads/transposed.yaml",
                           "examples/workloads/resnext50_grouped.yaml", "gemm: m=4 n=3 k=2"}) {
    const Outcome yaml = run_tool({"workload", "show", what, "--yaml"});
    ASSERT_EQ(yaml.exit_code, 0) << yaml.err;
    const std::string path = scratch.write("workload.yaml", yaml.out);
    const Outcome again = run_tool({"workload", "show", path, "--json"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.out, run_tool({"workload", "show", what, "--json"}).out);
  }
}

TEST(CliWorkloadShow, TellsWhatIsWrong) {
  struct Row {
    const char* what;
    const char* said;
  };
  const Row table[] = {{"missing.yaml", "missing.yaml: no such file"},
                       {"gemm: m=4 n=3", "k"},
                       {"O[m] += A[m+1]; m=4", "workload:1:"},
                       {"O\xff[m] += A[m]; m=4", "UTF-8"},
                       {"examples", "folder"}};
  for (const Row& row : table) {
    const Outcome outcome = run_tool({"workload", "show", row.what});
    EXPECT_EQ(outcome.exit_code, 2) << row.what;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(row.said));
  }
}

}  // namespace
}  // namespace tilewright::cli
