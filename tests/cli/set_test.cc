// --set, --bits and a clock, as users type them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::json_of;
using testing::Outcome;
using testing::run_tool;
using Json = nlohmann::json;

TEST(CliSet, ChangesTheArchitectureOfEveryCommand) {
  const Json shown = json_of(
      {"arch", "show", "toy_array", "--set", "Buffer.capacity=8KiB", "--set", "clock=1GHz"});
  EXPECT_EQ(shown["levels"][1]["capacity"]["bits"], 8 * 1024 * 8);
  EXPECT_EQ(shown["clock_hz"], 1'000'000'000);
  const std::vector<std::vector<std::string>> commands = {
      {"map", "-a", "toy_array", "-w", "gemm: m=8 n=8 k=8"},
      {"space", "-a", "toy_array", "-w", "gemm: m=8 n=8 k=8"},
      {"pareto", "-a", "toy_array", "-w", "gemm: m=8 n=8 k=8"},
      {"eval", "-a", "toy_array", "-w", "examples/toy_array/workload.yaml", "-m",
       "examples/toy_array/mapping.yaml"},
      {"arch", "show", "toy_array"},
      {"flex", "classify", "flex_1024"},
      {"flex", "measure", "-a", "flex_1024", "-w", "gemm: m=8 n=8 k=8"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--set", "Bufer.capacity=8KiB"});
    const Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.exit_code, 2) << command[0];
    EXPECT_THAT(outcome.err, HasSubstr("did you mean Buffer?")) << command[0];
  }
}

TEST(CliSet, LeavesArgumentsBehindItAlone) {
  const Outcome outcome = run_tool({"arch", "show", "--set", "clock=1GHz", "toy_array"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("clock: 1 GHz\n"));
}

TEST(CliSet, MakesSecondsAndWattsOfANetwork) {
  const Json network =
      json_of({"map", "-a", "toy_array", "--model", "ncf", "--set", "clock=500MHz"});
  const Json& totals = network["totals"];
  EXPECT_DOUBLE_EQ(totals["speed"]["seconds"].get<double>(),
                   totals["cycles"].get<double>() / 500e6);
  EXPECT_DOUBLE_EQ(totals["speed"]["inferences_per_second"].get<double>(),
                   500e6 / totals["cycles"].get<double>());
  const Outcome text =
      run_tool({"map", "-a", "toy_array", "--model", "ncf", "--set", "clock=500MHz"});
  EXPECT_THAT(text.out, AllOf(HasSubstr(" at 500 MHz\n"), HasSubstr(" per second, ")));
}

TEST(CliBits, AreSetByTensorAndByRole) {
  const Json mapped =
      json_of({"map", "-a", "toy_array", "-w", "gemm: m=8 n=8 k=8", "--bits", "I=8,W=4,output=32"});
  std::map<std::string, int> bits;
  for (const Json& tensor : mapped["result"]["workload"]["tensors"]) {
    bits[tensor["name"]] = tensor["bits"];
  }
  EXPECT_EQ(bits["I"], 8);
  EXPECT_EQ(bits["W"], 4);
  EXPECT_EQ(bits["O"], 32);
}

struct WrongBits {
  std::string text, message;
};
class CliWrongBits : public ::testing::TestWithParam<WrongBits> {};

TEST_P(CliWrongBits, AreRefused) {
  const Outcome outcome =
      run_tool({"space", "-a", "toy_array", "-w", "gemm: m=8 n=8 k=8", "--bits", GetParam().text});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, CliWrongBits,
    ::testing::Values(WrongBits{"0", "--bits: '0' is no width; write a whole number from 1"},
                      WrongBits{"65537", "'65537' is no width"},
                      WrongBits{"I=8,W", "'W' is no width"}, WrongBits{"I=x", "'I=x' is no width"},
                      WrongBits{"I=8,Wt=4", "there is no tensor 'Wt'"},
                      WrongBits{"wieght=4", "did you mean weight?"}));

TEST(CliUnits, ThatCannotBeConvertedEndWithTwo) {
  const testing::Scratch scratch;
  const std::string path = scratch.write("bad.yaml",
                                         "architecture: a\n"
                                         "levels:\n"
                                         "  - {memory: M, capacity: 1 B, bandwidth: 1 GB/s}\n"
                                         "  - compute: C\n");
  const Outcome outcome = run_tool({"arch", "show", path});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(path + ":3:43: \"1 GB/s\" is said of bits"));
}

}  // namespace
}  // namespace tilewright::cli
