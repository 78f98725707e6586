// Widths, colours, standard input and output in place of files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_tool.h"
#include "support/checkout.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_on_terminal;
using testing::run_tool;
using testing::run_tool_in;
using testing::Scratch;
using ::testing::StartsWith;
using Json = nlohmann::json;

using Words = std::vector<std::string>;

constexpr const char* kGemm = "gemm: m=24 n=10 k=12";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : lines_of(text)) longest = std::max(longest, line.size());
  return longest;
}

// --- widths -------------------------------------------------------------------

const Words kTables[] = {{"archs"},
                         {"models"},
                         {"models", "resnet50"},
                         {"arch", "show", "toy_linear"},
                         {"flex", "classify", "flex_1024"},
                         {"flex", "isolate", "--model", "mnasnet", "-l", "Conv2d-16"},
                         {"map", "-a", "toy_array", "--model", "ncf"},
                         {"map", "-a", "toy_array", "-w", kGemm},
                         {"pareto", "-a", "toy_array", "-w", kGemm}};

// The rule below the headings is as wide as its table.
bool is_rule(const std::string& line) {
  return line.starts_with("  -") && line.find_first_not_of("- ") == std::string::npos;
}

TEST(CliWidth, TablesFitIntoTheColumnsAskedFor) {
  for (Words words : kTables) {
    const Outcome narrow = run_tool_in({.environment = {"COLUMNS=80"}}, words);
    EXPECT_EQ(narrow.exit_code, 0) << narrow.err;
    int tables = 0;
    for (const std::string& line : lines_of(narrow.out)) {
      if (!is_rule(line)) continue;
      ++tables;
      EXPECT_LE(line.size(), 80U) << words[0];
    }
    EXPECT_GE(tables, 1) << words[0];
    words.emplace_back("--wide");
    const Outcome wide = run_tool_in({.environment = {"COLUMNS=40"}}, words);
    EXPECT_THAT(wide.out, Not(HasSubstr("left out to fit"))) << words[0];
  }
}

TEST(CliWidth, ColumnsThatDoNotFitAreNamed) {
  const Words words = {"archs"};
  const std::string left_out =
      "\n  (left out to fit: limited memories (words of one instance);\n   --wide prints all)\n";
  EXPECT_THAT(run_tool_in({.environment = {"COLUMNS=70"}}, words).out,
              AllOf(HasSubstr(left_out), HasSubstr(" nm"), Not(HasSubstr("Buffer"))));
  EXPECT_THAT(run_on_terminal(words, 70).out, HasSubstr(left_out));
  // No limit for a file, and what is no number is none.
  EXPECT_THAT(run_tool(words).out, HasSubstr("Buffer"));
  EXPECT_THAT(run_tool_in({.environment = {"COLUMNS=many"}}, words).out, HasSubstr("Buffer"));
}

TEST(CliWidth, HelpIsWrapped) {
  for (const char* command : {"map", "flex", "eval"}) {
    EXPECT_LE(longest_line(run_tool({command, "--help"}).out), 100U) << command;
    const Outcome narrow = run_tool_in({.environment = {"COLUMNS=84"}}, {command, "--help"});
    EXPECT_LE(longest_line(narrow.out), 84U) << command;
  }
}

// --- colours --------------------------------------------------------------------

TEST(CliColours, AreForTerminalsAlone) {
  const Words words = {"map", "-a", "toy_array", "-w", kGemm};
  constexpr const char* kEscape = "\x1b[";
  const Outcome seen = run_on_terminal(words, 100);
  EXPECT_THAT(seen.out, AllOf(HasSubstr("\x1b[1mTotals\x1b[0m"),
                              HasSubstr("optimal, \x1b[32mproven\x1b[0m optimal")));
  EXPECT_THAT(run_on_terminal(words, 100, {"NO_COLOR=1"}).out, Not(HasSubstr(kEscape)));
  EXPECT_THAT(run_on_terminal(words, 100, {"TERM=dumb"}).out, Not(HasSubstr(kEscape)));
  EXPECT_THAT(run_tool(words).out, Not(HasSubstr(kEscape)));
  Words json = words;
  json.emplace_back("--json");
  EXPECT_THAT(run_on_terminal(json, 100).out, Not(HasSubstr(kEscape)));
  EXPECT_THAT(run_tool({"arch", "show", "nowhere"}).err, Not(HasSubstr(kEscape)));
}

// --- standard output in place of the table ----------------------------------------

TEST(CliCsv, HasARowPerLayer) {
  const Scratch scratch;
  const std::string path = scratch.path("layers.csv");
  const Words words = {"map", "-a", "toy_array", "--model", "ncf"};
  Words to_file = words;
  to_file.insert(to_file.end(), {"--csv", path, "--json"});
  const Outcome outcome = run_tool(to_file);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json layers = Json::parse(outcome.out).at("layers");
  const std::vector<std::string> rows = lines_of(contents(path));
  ASSERT_EQ(rows.size(), layers.size() + 1);
  EXPECT_EQ(rows[0],
            "layer,count,macs,status,energy_pj,cycles,edp_pj_cycles,utilisation,limited_by,"
            "found_by,proven,gap,seconds");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Json& result = layers[i].at("result");
    EXPECT_THAT(rows[i + 1], StartsWith(layers[i].at("name").get<std::string>() + "," +
                                        layers[i].at("count").dump() + "," +
                                        layers[i].at("macs").dump() + ",found,"));
    EXPECT_THAT(rows[i + 1], AllOf(HasSubstr("," + result.at("cycles").dump() + ","),
                                   HasSubstr(",optimal,true,0,")));
  }
  Words to_output = words;
  to_output.insert(to_output.end(), {"--csv", "-"});
  const std::vector<std::string> printed = lines_of(run_tool(to_output).out);
  ASSERT_EQ(printed.size(), rows.size());
  EXPECT_EQ(printed[0], rows[0]);
}

TEST(CliCsv, HasARowForAWorkloadAndForEachPoint) {
  const Outcome one = run_tool({"map", "-a", "toy_array", "-w", kGemm, "--csv", "-"});
  EXPECT_EQ(lines_of(one.out).size(), 2U);
  EXPECT_THAT(one.out, HasSubstr("\ngemm_24x10x12,1,2880,found,"));
  const Words pareto = {"pareto", "-a", "eyeriss", "--model", "quickflow", "-l", "V"};
  Words as_json = pareto, as_csv = pareto;
  as_json.emplace_back("--json");
  as_csv.insert(as_csv.end(), {"--csv", "-"});
  const Json points = Json::parse(run_tool(as_json).out).at("points");
  const std::vector<std::string> rows = lines_of(run_tool(as_csv).out);
  ASSERT_EQ(rows.size(), points.size() + 1);
  EXPECT_EQ(rows[0], "number,cycles,energy_pj,edp_pj_cycles,utilisation,limited_by");
  EXPECT_THAT(rows[1], StartsWith("1," + points[0].at("cycles").dump() + ","));
}

TEST(CliCsv, StandardOutputIsForOneThing) {
  const Words words = {"map", "-a", "toy_array", "-w", kGemm, "--csv", "-"};
  for (const char* other : {"--json", "--explain"}) {
    Words both = words;
    both.emplace_back(other);
    const Outcome outcome = run_tool(both);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(std::string("--csv - and ") + other + " both write to"));
  }
}

// --- standard input ---------------------------------------------------------------

constexpr const char* kWorkload = "examples/toy_array/workload.yaml";
constexpr const char* kMapping = "examples/toy_array/mapping.yaml";

std::string of_checkout(const std::string& path) {
  return contents(checkout_folder() + "/" + path);
}

TEST(CliStandardInput, TakesThePlaceOfAnyFile) {
  const std::string expected =
      run_tool({"eval", "-a", "toy_array", "-w", kWorkload, "-m", kMapping}).out;
  struct Row {
    const char* input;
    Words words;
  };
  const Row table[] = {
      {kWorkload, {"eval", "-a", "toy_array", "-w", "-", "-m", kMapping}},
      {"architectures/toy_array.yaml", {"eval", "-a", "-", "-w", kWorkload, "-m", kMapping}},
      {kMapping, {"eval", "-a", "toy_array", "-w", kWorkload, "-m", "-"}}};
  for (const Row& row : table) {
    const Outcome outcome = run_tool_in({.input = of_checkout(row.input)}, row.words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected);
  }
  const Outcome constrained =
      run_tool_in({.input = "constraints: [{level: DRAM, factors: {M: 5}}]"},
                  {"map", "-a", "toy_array", "-w", kGemm, "--constraints", "-"});
  EXPECT_EQ(constrained.exit_code, 3);
  EXPECT_THAT(constrained.err, HasSubstr("standard input:1:"));
  EXPECT_THAT(run_tool_in({.input = "workload: [\n"}, {"workload", "show", "-"}).err,
              StartsWith("standard input:"));
}

TEST(CliStandardInput, IsReadByCheckAndGolden) {
  const Scratch scratch;
  const std::string path = scratch.path("c.json");
  run_tool({"map", "-a", "toy_array", "-w", kGemm, "--certificate", path});
  EXPECT_THAT(run_tool_in({.input = contents(path)}, {"check", "-"}).out,
              StartsWith("standard input: verified\n"));
  const std::string cases = of_checkout("tests/golden/timeloop_gemm.jsonl");
  const Outcome golden =
      run_tool_in({.input = cases.substr(0, cases.find('\n') + 1)}, {"golden", "-"});
  EXPECT_EQ(golden.out, "standard input: 1 equal, 0 differ\n");
}

TEST(CliStandardInput, IsForOneOfThem) {
  const Words table[] = {{"eval", "-a", "-", "-w", "-", "-m", kMapping},
                         {"eval", "-a", "toy_array", "-w", "-", "-m", "-"},
                         {"map", "-a", "toy_array", "-w", "-", "--constraints", "-"},
                         {"flex", "classify", "-", "-"},
                         {"golden", "-", "-"}};
  for (const Words& words : table) {
    const Outcome outcome = run_tool_in({.input = "{}"}, words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("are both read from standard input (\"-\")"));
  }
}

// --- messages -----------------------------------------------------------------------

TEST(CliMessages, NumbersAreShortAndSizesOfOneUnit) {
  const std::string digits(309, '9');
  const Words table[] = {
      {"map", "-a", "toy_array", "-w", kGemm, "--mapper", "random", "--target", "-1"},
      {"workload", "show", "gemm: m=" + digits + " n=1 k=1"}};
  for (const Words& words : table) {
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_LE(longest_line(outcome.err), 200U) << outcome.err;
  }
  const Outcome sizes = run_tool({"map", "-a", "toy_array", "-w", "gemm: m=97 n=96 k=96", "-c",
                                  "Buffer: M = 97, N = 96, K = 96"});
  EXPECT_EQ(sizes.exit_code, 3);
  EXPECT_THAT(sizes.err, AllOf(HasSubstr(" B"), Not(HasSubstr("KiB"))));
}

}  // namespace
}  // namespace tilewright::cli
