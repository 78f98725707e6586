#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;

TEST(CliExplain, DescribesTheKeysOfEveryFormat) {
  struct Row {
    const char* format;
    std::vector<const char*> keys;
  };
  const Row table[] = {
      {"architecture", {"levels", "memory", "fanout", "compute", "read_bandwidth", "partitions"}},
      {"workload", {"einsum", "sizes", "conv2d", "gemm", "matmul", "bits"}},
      {"mapping", {"padded", "levels", "loops", "last", "keep", "bypass"}},
      {"network", {"model", "dwconv", "stride_h", "# source:"}},
      {"constraints", {"level", "factors", "order", "outermost", "dims", "keep", "least_use"}},
      {"cascade", {"sizes", "einsums", "then", "softmax", "online", "rate"}},
      {"plan", {"shared", "for", "keep", "local", "do", "nests"}}};
  for (const Row& row : table) {
    const Outcome outcome = run_tool({"explain", row.format});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* key : row.keys) EXPECT_THAT(outcome.out, HasSubstr(key)) << row.format;
  }
}

}  // namespace
}  // namespace tilewright::cli
