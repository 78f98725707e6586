// What holds for every command: help, version, misspelt words, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_tool.h"
#include "support/slow_build.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Outcome;
using testing::run_tool;

using Words = std::vector<std::string>;

TEST(Cli, PrintsItsVersionAndCommit) {
  const Outcome outcome = run_tool({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, MatchesRegex("tilewright " TILEWRIGHT_VERSION
                                        " \\(commit ([0-9a-f]+(-dirty)?|unknown)\\)\n"));
  EXPECT_EQ(outcome.err, "");
}

TEST(Cli, HelpNamesEveryCommandAndTheExitCodes) {
  for (const char* flag : {"--help", "-h"}) {
    const Outcome outcome = run_tool({flag});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* word : {"eval", "arch", "workload", "archs", "models", "golden", "explain",
                             "Exit codes: 0 good"}) {
      EXPECT_THAT(outcome.out, HasSubstr(word));
    }
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Cli, NamesTheCommandsOfThePythonPackage) {
  EXPECT_THAT(run_tool({"--help"}).out, HasSubstr("import"));
  for (const char* command :
       {"import", "export", "report", "plot", "explore", "sweep", "codesign", "results"}) {
    const Outcome outcome = run_tool({command, "timeloop", "file.yaml"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("is a command of the Python package; run ./tilewright " +
                                       std::string(command) + " in a clone"));
  }
}

// Under the sanitizers a program has a hundred times the memory it uses. One thread, so that
// what the C library sets aside for each thread is not part of it; the search needs three times
// as much.
TEST(Cli, OutOfMemoryIsToldApartFromBadInput) {
  if (::tilewright::testing::slow_build()) GTEST_SKIP();
  const Outcome outcome =
      testing::run_with_memory({"map", "--arch", "toy_array", "--mapspace", "ruby", "--memory",
                                "100GiB", "--threads", "1", "--model", "resnet50", "--layer", "#3"},
                               std::size_t{24} << 20U);
  EXPECT_EQ(outcome.exit_code, 70);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "error: the memory is used up; map and pareto keep to --memory\n");
}

TEST(Cli, EveryCommandHasHelp) {
  const std::vector<Words> commands = {{"eval"},   {"arch"},     {"arch", "show"},
                                       {"archs"},  {"workload"}, {"workload", "show"},
                                       {"golden"}, {"explain"},  {"models"}};
  for (Words words : commands) {
    words.push_back("--help");
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 0) << words[0];
    EXPECT_THAT(outcome.out, HasSubstr("Usage: tilewright " + words[0]));
  }
}

// A command line that is wrong, and what is said about it.
struct Mistake {
  const char* name;
  Words words;
  const char* said;
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  for (const std::string& word : mistake.words) out << word << ' ';
  return out;
}

class CliMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(CliMistake, IsBadInput) {
  const Outcome outcome = run_tool(GetParam().words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(GetParam().said), HasSubstr("--help")));
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, CliMistake,
    ::testing::Values(
        Mistake{"Nothing", {}, "A subcommand is required"},
        Mistake{"UnknownCommand", {"frobnicate"}, "tilewright: unknown command frobnicate\n"},
        Mistake{"MisspeltCommand", {"evla"}, "unknown command evla; did you mean eval?"},
        Mistake{"CommandOfArchMissing", {"arch"}, "A subcommand is required"},
        Mistake{"CommandOfArchMisspelt", {"arch", "shwo"}, "tilewright arch: unknown command shwo"},
        Mistake{"ArchitectureMissing", {"arch", "show"}, "architecture is required"},
        Mistake{"WorkloadMissing", {"workload", "show"}, "workload is required"},
        Mistake{"UnknownOption", {"eval", "--frob"}, "tilewright eval: unknown option --frob\n"},
        Mistake{"MisspeltOption",
                {"eval", "-a", "eyeriss", "-w", "x", "--mappings", "y"},
                "unknown option --mappings; did you mean --mapping?"},
        Mistake{"MisspeltFlag", {"archs", "--jsn"}, "unknown option --jsn; did you mean --json?"},
        Mistake{"MisspeltGlobalFlag", {"--verison"}, "did you mean --version?"},
        Mistake{"ExtraArgument", {"archs", "now"}, "tilewright archs: unexpected argument now"},
        Mistake{"MappingMissing", {"eval", "-a", "eyeriss", "-w", "x"}, "--mapping is required"},
        Mistake{"ValueMissing", {"eval", "--arch"}, "--arch: 1 required ARCH missing"},
        Mistake{"UnknownAccounting",
                {"eval", "-a", "a", "-w", "w", "-m", "m", "--accounting", "guess"},
                "guess not in {exact,timeloop}"},
        Mistake{"JsonAndExplain",
                {"eval", "-a", "a", "-w", "w", "-m", "m", "--json", "--explain"},
                "excludes"},
        Mistake{"JsonAndYaml", {"arch", "show", "eyeriss", "--json", "--yaml"}, "excludes"},
        Mistake{"UnknownFormat",
                {"explain", "maping"},
                "{architecture,workload,mapping,network,constraints,cascade,plan}"},
        Mistake{"NoGoldenFile", {"golden"}, "files is required"},
        Mistake{"NegativeShow", {"golden", "x.jsonl", "--show", "-1"}, "-1 not in range 0 to"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Cli, SaysSoWhenItsOutputCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no device that is always full";
  for (const Words& words : {Words{"archs"}, Words{"--help"}}) {
    const Outcome outcome = run_tool(words, "/dev/full");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("the output cannot be written"));
  }
}

}  // namespace
}  // namespace tilewright::cli
