// Memories that share the room and the ports of another one, from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "support/checkout.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

constexpr const char* kArch = "examples/unified_buffer/architecture.yaml";
std::string arch_path() { return (std::filesystem::path(checkout_folder()) / kArch).string(); }
constexpr const char* kWorkload = "gemm: m=64 n=64 k=64";

TEST(CliSharedRoom, TheBestMappingIsFoundProvenAndReadAgain) {
  const Scratch scratch;
  const std::string path = scratch.path("mapping.yaml");
  const Outcome mapped =
      run_tool({"map", "-a", kArch, "-w", kWorkload, "-o", "energy", "--json", "--out", path});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  const Json json = Json::parse(mapped.out);
  EXPECT_EQ(json.at("search").at("proof").at("gap"), 0);
  EXPECT_THAT(testing::contents(path), AllOf(HasSubstr("Outputs:"), Not(HasSubstr("Buffer("))));
  const Outcome evaluated = run_tool({"eval", "-a", kArch, "-w", kWorkload, "-m", path, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(Json::parse(evaluated.out).at("energy_pj"), json.at("result").at("energy_pj"));
  const Outcome text = run_tool({"eval", "-a", kArch, "-w", kWorkload, "-m", path});
  EXPECT_THAT(text.out, AllOf(HasSubstr("Buffer keeps W\n"), HasSubstr("Inputs keeps I\n"),
                              HasSubstr("Outputs keeps O\n")));
}

// 64 x 64 words of each tensor take three quarters of the room; with less room they do not fit.
TEST(CliSharedRoom, TheTilesOfAllPartsFitTogether) {
  const Scratch scratch;
  const std::string mapping =
      scratch.write("mapping.yaml", "levels:\n  Outputs: [M 64, N 64, K 64]\n");
  const auto fits = [&](const char* words) {
    return run_tool({"eval", "-a", kArch, "-w", kWorkload, "-m", mapping, "--set",
                     std::string("Buffer.capacity=") + words, "--set",
                     "Registers.capacity=3 words"});
  };
  EXPECT_EQ(fits("12288 words").exit_code, 0) << fits("12288 words").err;
  const Outcome refused = fits("12287 words");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("Buffer"));
}

TEST(CliSharedRoom, FilesAreWrittenAsTheyAreRead) {
  const Checked<Architecture> arch = io::load_architecture(arch_path());
  ASSERT_TRUE(arch.ok()) << to_string(arch.problems.front());
  const std::string text = io::write_architecture(*arch.value);
  EXPECT_THAT(text, HasSubstr("shares: Buffer"));
  const Checked<Architecture> again = io::read_architecture(text, "again");
  ASSERT_TRUE(again.ok()) << to_string(again.problems.front());
  EXPECT_EQ(*again.value, *arch.value);
  EXPECT_THAT(run_tool({"arch", "show", kArch}).out, HasSubstr("of Buffer"));
}

TEST(CliSharedRoom, CertificatesAreVerified) {
  const Scratch scratch;
  const std::string path = scratch.path("best.json");
  const Outcome mapped =
      run_tool({"map", "-a", kArch, "-w", "gemm: m=16 n=16 k=8", "--certificate", path});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  const Outcome checked = run_tool({"check", path});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("is optimal"));
}

TEST(CliSharedRoom, SaysWhatDoesNotGoTogetherWithIt) {
  const Outcome uneven = run_tool({"map", "-a", kArch, "-w", kWorkload, "--uneven"});
  EXPECT_EQ(uneven.exit_code, 2);
  EXPECT_THAT(uneven.err, HasSubstr("uneven mappings with memories that share room"));
  const Scratch scratch;
  std::string text = testing::contents(arch_path());
  text.replace(text.find("keep: [input]"), 13, "keep: [weight]");
  const Outcome twice = run_tool({"map", "-a", scratch.write("arch.yaml", text), "-w", kWorkload});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err,
              HasSubstr("Inputs shares the room of Buffer, and another part of it may keep W"));
}

}  // namespace
}  // namespace tilewright::cli
