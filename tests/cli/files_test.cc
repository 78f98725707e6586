// Files that commands write: tried first, written whole or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::run_tool_in;
using testing::Scratch;
using ::testing::StartsWith;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr const char* kGemm = "gemm: m=24 n=10 k=12";

// Searches that come to no end: only a command that looks at its paths first
// comes back at all.
const Words kForEver = {"map",       "-a",     "toy_array",  "-w", kGemm,
                        "--mapper",  "random", "--patience", "0",  "--evaluations",
                        "2000000000"};
const Words kLong = {"flex", "isolate", "--model", "resnet50", "--mapper", "random"};

TEST(CliFiles, PathsThatCannotBeWrittenAreToldBeforeTheSearch) {
  const Scratch scratch;
  const std::string file = scratch.write("file", "");
  const std::string nowhere = scratch.path("no/such/folder.x");
  struct Row {
    Words words;
    Words more;
    std::string said;
  };
  const std::string missing = nowhere + ": the file cannot be written: No such file or directory\n";
  const Words measure = {"flex", "measure", "-a", "flex_1024", "--model", "resnet50"};
  const std::string folder = fs::path(file).parent_path().string();
  const Row table[] = {
      {kForEver, {"--out", nowhere}, missing},
      {kForEver, {"--out", folder}, folder + ": this is a folder, not a file\n"},
      {kForEver,
       {"--out", file + "/x"},
       file + "/x: the file cannot be written: Not a directory\n"},
      {{"map", "-a", "eyeriss", "--model", "resnet50", "--mapper", "random", "--patience", "0"},
       {"--out", file},
       file + ": the folder cannot be made: Not a directory\n"},
      {{"map", "-a", "eyeriss", "--model", "vgg16", "-l", "01", "--mapspace", "ruby"},
       {"--certificate", nowhere},
       missing},
      {{"pareto", "-a", "eyeriss", "--model", "vgg16", "-l", "01", "--mapspace", "ruby"},
       {"--out", file},
       file + ": the folder cannot be made: Not a directory\n"},
      {measure, {"--csv", nowhere}, missing},
      {measure, {"--venn", nowhere}, missing},
      {kLong, {"--csv", nowhere}, missing},
      {{"flex", "futureproof", "resnet50", "--mapper", "random"}, {"--csv", nowhere}, missing}};
  for (const Row& row : table) {
    Words words = row.words;
    words.insert(words.end(), row.more.begin(), row.more.end());
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 2) << row.said;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, row.said);
  }
  EXPECT_EQ(contents(file), "");
}

TEST(CliFiles, TryingAPathLeavesNothingBehind) {
  const Scratch scratch;
  const Words infeasible = {"map", "-a", "toy_array", "-w", kGemm, "-c", "DRAM: M = 5"};
  Words words = infeasible;
  words.insert(words.end(), {"--out", scratch.path("best.yaml"), "--certificate",
                             scratch.path("best.cert.json")});
  EXPECT_EQ(run_tool(words).exit_code, 3);
  words = {"pareto", "-a", "toy_array", "-w", kGemm, "-c", "DRAM: M = 5"};
  words.insert(words.end(), {"--out", scratch.path("some/points/")});
  EXPECT_EQ(run_tool(words).exit_code, 3);
  EXPECT_TRUE(fs::is_empty(scratch.path("")));
}

TEST(CliFiles, AFullDiskTakesNeitherTheResultNorTheOldFileAway) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no device that is always full";
  const Outcome outcome = run_tool({"map", "-a", "toy_array", "-w", kGemm, "--out", "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("proven optimal"));
  EXPECT_EQ(outcome.err, "/dev/full: the file cannot be written: No space left on device\n");
}

// A limit on the size of files is as good as a disk that fills up on the way.
TEST(CliFiles, AFileThatCannotBeWrittenWholeStaysAsItWas) {
  const Scratch scratch;
  const std::string old = scratch.write("best.cert.json", "old");
  const Outcome outcome = run_tool_in(
      {.out_path = "/dev/null",
       .before = {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""}},
      {"map", "-a", "eyeriss", "--model", "quickflow", "-l", "XII", "--certificate", old});
  EXPECT_EQ(outcome.exit_code, 2);
  // Programs that measure their coverage complain of the limit themselves.
  EXPECT_THAT(outcome.err, StartsWith(old + ": the file cannot be written: File too large\n"));
  EXPECT_EQ(contents(old), "old");
  for (const auto& entry : fs::directory_iterator(scratch.path(""))) {
    EXPECT_EQ(entry.path().filename(), "best.cert.json");
  }
}

TEST(CliFiles, ANewFileTakesThePlaceOfTheOldOneBehindALink) {
  const Scratch scratch;
  scratch.write("best.yaml", "old");
  fs::create_symlink("best.yaml", scratch.path("link.yaml"));
  const Outcome outcome =
      run_tool({"map", "-a", "toy_array", "-w", kGemm, "--out", scratch.path("link.yaml")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::is_symlink(scratch.path("link.yaml")));
  EXPECT_THAT(contents(scratch.path("best.yaml")), HasSubstr("levels:"));
}

TEST(CliFiles, MappingsSayWhereTheyComeFrom) {
  const Scratch scratch;
  const std::string path = scratch.path("best 1.yaml");
  run_tool({"map", "-a", "toy_array", "-w", kGemm, "--out", path});
  const std::string text = contents(path);
  EXPECT_THAT(text, StartsWith("# mapping of: gemm_24x10x12 on toy_array\n"
                               "# workload: O[M,N] += W:weight[M,K]*I:input[K,N]; M=24 N=10 K=12\n"
                               "# energy: "));
  EXPECT_THAT(text, AllOf(HasSubstr(" pJ)\n# cycles: "), HasSubstr("\n# EDP: ")));
  EXPECT_THAT(text, HasSubstr("\n# command: tilewright map -a toy_array -w "
                              "'gemm: m=24 n=10 k=12' --out '" +
                              path + "'\n# version: tilewright " TILEWRIGHT_VERSION "\nlevels:"));
  run_tool({"pareto", "-a", "toy_array", "-w", kGemm, "--out", scratch.path("points")});
  EXPECT_THAT(contents(scratch.path("points/01.yaml")),
              HasSubstr("# command: tilewright pareto -a toy_array"));
}

}  // namespace
}  // namespace tilewright::cli
