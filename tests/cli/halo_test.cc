// Shared halos from the command line.
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

constexpr const char* kRow = R"(architecture: row
levels:
  - {memory: Buffer, capacity: unlimited, read: 8 pJ, read_bandwidth: 4 words/cycle}
  - {fanout: Row, x: {size: 8, dims: [P]}}
  - {memory: Register, capacity: 8 words, read: 1 pJ}
  - {compute: MAC}
)";
constexpr const char* kConv = "O[P] += I[P+R] * W[R]; P=8 R=3";

std::vector<std::string> shared(std::vector<std::string> words) {
  words.insert(words.end(), {"--set", "Row.halo=shared"});
  return words;
}

std::int64_t reads_of_input(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  for (const Json& tensor : json.at("memories").at(0).at("tensors")) {
    if (tensor.at("tensor") == "I") return tensor.at("total").at("reads");
  }
  return -1;
}

// QuickFlow's example, section III-C.
TEST(CliHalo, EightNeighboursReadTenWordsNotTwentyFour) {
  const Scratch scratch;
  const std::string arch = scratch.write("row.yaml", kRow);
  const std::string mapping = scratch.write("mapping.yaml", R"(levels:
  Row: {x: [P 8]}
  Register: [R 3]
)");
  const std::vector<std::string> words = {"eval", "-a", arch, "-w", kConv, "-m", mapping, "--json"};
  EXPECT_EQ(reads_of_input(run_tool(words)), 24);
  EXPECT_EQ(reads_of_input(run_tool(shared(words))), 10);
}

TEST(CliHalo, ProofsAndCertificatesKnowIt) {
  const Scratch scratch;
  const std::string arch = scratch.write("row.yaml", kRow);
  const std::string path = scratch.path("best.json");
  for (const char* space : {"pfm", "ruby"}) {
    const Outcome made = run_tool(
        shared({"map", "-a", arch, "-w", kConv, "--mapspace", space, "--certificate", path}));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(run_tool({"check", path}).exit_code, 0);
    std::string text = testing::contents(path);
    const std::size_t place = text.find("halo: shared");
    ASSERT_NE(place, std::string::npos);
    const std::string forged = scratch.write("forged.json", text.replace(place, 12, "halo: apart"));
    EXPECT_EQ(run_tool({"check", forged}).exit_code, 1);
  }
}

TEST(CliHalo, UnevenMappingsAreSearchedToo) {
  const Scratch scratch;
  const std::string arch = scratch.write("row.yaml", kRow);
  const Outcome uneven = run_tool(shared({"map", "-a", arch, "-w", kConv, "--uneven"}));
  EXPECT_EQ(uneven.exit_code, 0) << uneven.err;
  EXPECT_THAT(uneven.out, HasSubstr("among all mappings, even and uneven"));
}

}  // namespace
}  // namespace tilewright::cli
