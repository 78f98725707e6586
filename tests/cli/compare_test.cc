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
using Json = nlohmann::json;

Json compared(std::vector<std::string> words) {
  words.insert(words.begin(), "compare");
  words.push_back("--json");
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

double sum_of(const Json& pairs, const char* key) {
  double sum = 0;
  for (const Json& pair : pairs) sum += pair[key].get<double>();
  return sum;
}

TEST(CliCompare, PutsTwoDesignsSideBySide) {
  const Json both = compared({"toy_array", "toy_linear", "--model", "ncf"});
  EXPECT_EQ(both["a"], "toy_array");
  EXPECT_EQ(both["b"], "toy_linear");
  for (const char* side : {"a", "b"}) {
    double energy = 0;
    for (const Json& layer : both["layers"]) {
      energy += layer["count"].get<double>() * layer[side]["energy_pj"].get<double>();
    }
    EXPECT_NEAR(both["totals"][side]["energy_pj"].get<double>() / energy, 1, 1e-12);
  }
  // All that energy goes to is there by level, and once more by what it is spent on.
  const double a = both["totals"]["a"]["energy_pj"], b = both["totals"]["b"]["energy_pj"];
  EXPECT_NEAR(sum_of(both["levels"], "a_pj") / a, 1, 1e-9);
  EXPECT_NEAR(sum_of(both["levels"], "b_pj") / b, 1, 1e-9);
  EXPECT_NEAR(sum_of(both["differences"], "difference_pj") / (b - a), 1, 1e-6);
}

TEST(CliCompare, SaysWhatIsTheSame) {
  const Json both = compared({"toy_array", "toy_array", "-w", "gemm: m=32 n=32 k=32"});
  EXPECT_EQ(both["totals"]["a"], both["totals"]["b"]);
  const Outcome text =
      run_tool({"compare", "toy_array", "toy_array", "-w", "gemm: m=32 n=32 k=32"});
  EXPECT_THAT(text.out, HasSubstr("both spend the same energy on the same things\n"));
}

TEST(CliCompare, ChangesOneOfTheDesigns) {
  const std::vector<std::string> words = {
      "compare", "toy_array",     "toy_array", "-w", "gemm: m=64 n=64 k=64",
      "--set-b", "DRAM.read=32pJ"};
  const Outcome text = run_tool(words);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("A: toy_array\n"), HasSubstr("B: toy_array, DRAM.read="),
                              HasSubstr("What makes the difference\n"), HasSubstr("from DRAM (")));
}

TEST(CliCompare, SearchesEachDesignInItsOwnWay) {
  const std::vector<std::string> work = {"toy_array", "toy_array", "-w", "gemm: m=13 n=17 k=11"};
  std::vector<std::string> words = work;
  words.insert(words.end(), {"--mapspace-b", "ruby-s", "--objective-a", "energy"});
  const Json both = compared(words);
  EXPECT_EQ(both["a"], "toy_array, energy");
  EXPECT_EQ(both["b"], "toy_array, ruby-s");
  const Json same = compared(work);
  EXPECT_LE(both["totals"]["a"]["energy_pj"].get<double>(),
            same["totals"]["a"]["energy_pj"].get<double>());
  EXPECT_LT(both["totals"]["b"]["edp_pj_cycles"].get<double>(),
            same["totals"]["b"]["edp_pj_cycles"].get<double>());
  words.back() = "speed";
  words.insert(words.begin(), "compare");
  EXPECT_EQ(run_tool(words).exit_code, 2);
}

TEST(CliCompare, PutsTwoMappingsSideBySide) {
  const Scratch scratch;
  const std::string best = scratch.path("best.yaml");
  const Outcome mapped =
      run_tool({"map", "-a", "toy_array", "-w", "examples/toy_array/workload.yaml", "--out", best});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  const Json both = compared({"examples/toy_array/mapping.yaml", best, "-a", "toy_array", "-w",
                              "examples/toy_array/workload.yaml"});
  EXPECT_LE(both["totals"]["b"]["edp_pj_cycles"].get<double>(),
            both["totals"]["a"]["edp_pj_cycles"].get<double>());
  EXPECT_EQ(both["a"], "examples/toy_array/mapping.yaml");
}

TEST(CliCompare, RefusesWhatItCannotCompare) {
  const Outcome network =
      run_tool({"compare", "one.yaml", "other.yaml", "-a", "toy_array", "--model", "ncf"});
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_THAT(network.err, HasSubstr("two mappings are of one workload"));
  const Outcome nothing = run_tool({"compare", "toy_array", "toy_linear"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing to map is named"));
  const Outcome unknown = run_tool({"compare", "toy_array", "toy_arry", "--model", "ncf"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean toy_array?"));
}

}  // namespace
}  // namespace tilewright::cli
