#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using ::testing::StartsWith;
using testing::with;
using testing::Words;
using Json = nlohmann::json;

constexpr const char* kWorkload = "examples/toy_array/workload.yaml";
constexpr const char* kMapping = "examples/toy_array/mapping.yaml";

// The example of toy_array, with further words.
Outcome eval_example(const Words& more = {}) {
  return run_tool(
      with({"eval", "--arch", "toy_array", "--workload", kWorkload, "--mapping", kMapping}, more));
}

// A mapping of the workload of toy_array.
Outcome eval_mapping(const std::string& text) {
  const Scratch scratch;
  return run_tool(
      {"eval", "-a", "toy_array", "-w", kWorkload, "-m", scratch.write("mapping.yaml", text)});
}

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// --- what it prints ---------------------------------------------------------

TEST(CliEval, PrintsNestTablesAndTotals) {
  const Outcome outcome = eval_example();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("small_gemm on toy_array\n"), HasSubstr("\nLoop nest\n"),
                    HasSubstr("\nTraffic "), HasSubstr("\nFan-outs "), HasSubstr("\nEnergy\n"),
                    HasSubstr("\nTime\n"), HasSubstr("\nTotals\n"),
                    HasSubstr("  cycles       2,048, limited by the multipliers\n")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("Energy: ")));
}

// DRAM lets weights pass by, so the buffer is their home: it needs room for all 32,
// while its tile, as its own loops cut it, has 8.
TEST(CliEval, TheTileOfAHomeIsNotTheRoomItNeeds) {
  const Scratch scratch;
  const auto eval = [&](const std::string& capacity) {
    const std::string arch =
        scratch.write("arch.yaml",
                      "architecture: home\nlevels:\n"
                      "  - {memory: DRAM, capacity: unlimited, bypass: [weight]}\n"
                      "  - {memory: Buffer, capacity: " +
                          capacity +
                          " words}\n"
                          "  - {compute: MAC}\n");
    const std::string mapping =
        scratch.write("mapping.yaml", "levels: {DRAM: [M 4], Buffer: [M 2, N 2, K 4]}\n");
    return run_tool({"eval", "-a", arch, "-w", "gemm: m=8 n=2 k=4", "-m", mapping, "--json"});
  };
  const Json fits = Json::parse(eval("44").out);
  EXPECT_EQ(fits.at("memories").at(1).at("tensors").at(0).at("tensor"), "W");
  EXPECT_EQ(fits.at("memories").at(1).at("tensors").at(0).at("tile_words"), 8);
  const Outcome too_small = eval("43");
  EXPECT_EQ(too_small.exit_code, 3);
  EXPECT_THAT(too_small.err, HasSubstr("the tiles need 44 words, 1 word more"));
}

TEST(CliEval, ExplainsWhereEnergyAndTimeGo) {
  const Outcome outcome = eval_example({"--explain"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith(eval_example().out));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nEnergy: 319 nJ\n"),
                                 HasSubstr("\nTime: 2,048 cycles, set by the multipliers\n")));
}

TEST(CliEval, PrintsJsonAlone) {
  const Outcome outcome = eval_example({"--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("schema"), "tilewright.evaluation.v1");
  EXPECT_EQ(json.at("cycles"), 2048);
  EXPECT_EQ(json.at("architecture"), "toy_array");
}

TEST(CliEval, TakesShortOptionsAndAWorkloadOnOneLine) {
  const Outcome outcome =
      run_tool({"eval", "-a", "toy_array", "-w", "gemm: m=32 n=32 k=32", "-m", kMapping, "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("cycles"), 2048);
}

TEST(CliEval, CountsWindowsAsAsked) {
  const Scratch scratch;
  const std::string arch = scratch.write("a.yaml",
                                         "architecture: a\n"
                                         "accounting: timeloop\n"
                                         "levels:\n"
                                         "  - {memory: M, capacity: unlimited}\n"
                                         "  - compute: MAC\n");
  const std::string mapping = scratch.write("m.yaml", "levels: {M: [p 4, r 2]}");
  // Windows of 2 at a distance of 3: 8 elements in a box of 11.
  Words words = {"eval", "-a",    arch,    "-w", "O[p] += I[3*p+r]*W[r]; p=4 r=2",
                 "-m",   mapping, "--json"};
  const auto tile = [&] {
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out).at("memories").at(0).at("tensors").at(0).at("tile_words");
  };
  EXPECT_EQ(tile(), 11);  // as the architecture says
  words.insert(words.end(), {"--accounting", "exact"});
  EXPECT_EQ(tile(), 8);
  EXPECT_EQ(Json::parse(run_tool(words).out).at("accounting"), "exact");
  words.back() = "timeloop";
  EXPECT_EQ(tile(), 11);
}

// --- mappings that the hardware cannot run: exit code 3 ----------------------

void expect_infeasible(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("the mapping does not fit "));
}

TEST(CliEval, TellsWhatOverflowsAndByHowMuch) {
  const Outcome outcome = eval_mapping("levels: {Registers: [M 32, N 32, K 32]}");
  expect_infeasible(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("Registers: the tiles need 3072 B, 3040 B more than the 32 B "
                                     "there are; the largest is that of W\n"));
}

TEST(CliEval, TellsWhichPartitionOverflows) {
  const Scratch scratch;
  const std::string arch = scratch.write("a.yaml",
                                         "architecture: a\n"
                                         "levels:\n"
                                         "  - {memory: M, capacity: unlimited}\n"
                                         "  - memory: B\n"
                                         "    capacity: unlimited\n"
                                         "    partitions: {weight: 10 words}\n"
                                         "  - compute: MAC\n");
  const std::string mapping = scratch.write("m.yaml", "levels: {B: [M 4, N 3, K 4]}");
  const Outcome outcome = run_tool({"eval", "-a", arch, "-w", "gemm: m=4 n=3 k=4", "-m", mapping});
  expect_infeasible(outcome);
  EXPECT_THAT(outcome.err,
              HasSubstr("B: tensor W needs 16 words, 6 words more than its partition of 10 words"));
}

TEST(CliEval, TellsWhichFanoutIsTooSmall) {
  const Outcome outcome = eval_mapping("levels: {DRAM: [M 32, N 2, K 32], Array: {x: [N 16]}}");
  expect_infeasible(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("Array.x has 4 instances, the mapping uses N 16 = 16: "
                                     "12 too many\n"));
  EXPECT_EQ(lines_of(outcome.err), 2);  // once, although two checks see it
}

TEST(CliEval, TellsWhichDimensionIsNotAllowed) {
  const Scratch scratch;
  const std::string mapping = scratch.write("m.yaml",
                                            "levels:\n"
                                            "  DRAM: [Q 56, M 64, C 64, P 4, R 3, S 3]\n"
                                            "  SACols: {x: [P 14]}\n");
  const Outcome outcome =
      run_tool({"eval", "-a", "eyeriss", "-w", "examples/eyeriss/workload.yaml", "-m", mapping});
  expect_infeasible(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("SACols.x has bound 14 for P, but it allows only M, Q\n"));
}

TEST(CliEval, TellsEverythingThatDoesNotFit) {
  const Outcome outcome =
      eval_mapping("levels: {Array: {x: [N 8], y: [M 8]}, Registers: [M 4, N 4, K 32]}");
  expect_infeasible(outcome);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("Array.x"), HasSubstr("Array.y"), HasSubstr("Registers: ")));
}

// --- input that cannot be read: exit code 2 ----------------------------------

void expect_bad_input(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
}

TEST(CliEval, SuggestsTheArchitectureThatWasMeant) {
  const Outcome outcome = run_tool({"eval", "-a", "eyerris", "-w", kWorkload, "-m", kMapping});
  expect_bad_input(outcome);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("eyerris: neither a built-in architecture nor a file"),
                                 HasSubstr("did you mean eyeriss?")));
  EXPECT_EQ(lines_of(outcome.err), 1);
}

TEST(CliEval, TellsEveryFileThatIsMissing) {
  const Outcome outcome = run_tool({"eval", "-a", "a.yaml", "-w", "w.yaml", "-m", "m.yaml"});
  expect_bad_input(outcome);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("a.yaml: neither a built-in architecture nor a file"),
                    HasSubstr("w.yaml: no such file"), HasSubstr("m.yaml: no such file")));
  EXPECT_EQ(lines_of(outcome.err), 3);
}

TEST(CliEval, TellsThatTheMappingIsMissing) {
  const Outcome outcome = run_tool({"eval", "-a", "toy_array", "-w", kWorkload, "-m", "m.yaml"});
  expect_bad_input(outcome);
  EXPECT_EQ(outcome.err, "m.yaml: no such file\n");
}

TEST(CliEval, ShowsAllProblemsOfTwoBadFilesTogether) {
  const Scratch scratch;
  const std::string arch = scratch.write("a.yaml",
                                         "architecture: a\n"
                                         "levels:\n"
                                         "  - {memory: M, capacity: 4096}\n"
                                         "  - {compute: MAC, enrgy: 1 pJ}\n");
  const std::string workload = scratch.write("w.yaml",
                                             "workload: w\n"
                                             "einsum: O[m] += A[m,k] * B[k]\n"
                                             "sizes: {m: 4, n: 5}\n");
  const Outcome outcome = run_tool({"eval", "-a", arch, "-w", workload, "-m", kMapping});
  expect_bad_input(outcome);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(arch + ":3:"), HasSubstr(arch + ":4:"),
                                 HasSubstr("energy"), HasSubstr(workload + ":3:"), HasSubstr("n")));
  EXPECT_GE(lines_of(outcome.err), 4);
}

TEST(CliEval, ShowsAllProblemsOfAMapping) {
  const Outcome outcome = eval_mapping("levels: {DRAM: [M 4, N 3], Bufer: [K 32]}");
  expect_bad_input(outcome);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("mapping.yaml:1:"), HasSubstr("did you mean Buffer?")));
}

TEST(CliEval, RefusesWorkloadsTooLargeToCount) {
  const Outcome outcome =
      run_tool({"eval", "-a", "toy_array", "-w", "gemm: m=9000000000 n=9000000000 k=9000000000",
                "-m", kMapping});
  expect_bad_input(outcome);
  EXPECT_NE(outcome.err, "");
}

TEST(CliEval, SaysWhichConstraintAMappingBreaks) {
  const Outcome outcome =
      run_tool({"eval", "-a", "toy_array", "-w", "examples/toy_array/workload.yaml", "-m",
                "examples/toy_array/mapping.yaml", "-c", "DRAM: order N ..., M = 1"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("which breaks DRAM: M = 1 (--constrain:1:"));
}

}  // namespace
}  // namespace tilewright::cli
