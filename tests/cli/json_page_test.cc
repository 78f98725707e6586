// docs/json.md names every key that the tool prints, and no other.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "cli/run_tool.h"
#include "support/checkout.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;
using Keys = std::set<std::string>;

// Maps whose keys are names of the user's.
bool has_names_as_keys(const std::string& key, const Json& value) {
  static const Keys maps = {"dims", "words", "tensor_words", "partitions", "chains", "sizes"};
  return value.is_object() && maps.count(key) > 0;
}

void collect(const Json& value, Keys& keys, bool names_as_keys = false) {
  if (value.is_array()) {
    for (const Json& entry : value) collect(entry, keys);
  } else if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) {
      if (!names_as_keys) keys.insert(key);
      collect(entry, keys, has_names_as_keys(key, entry));
    }
  }
}

// An architecture in which everything is given that JSON can hold.
constexpr const char* kEverything = R"(
architecture: everything
technology: 28 nm
clock: 1 GHz
levels:
  - memory: DRAM
    capacity: unlimited
    word: 8 bits
    dram: lpddr4
  - memory: Buffer
    capacity: 4096 words
    partitions: {weight: 1 KiB}
    dims: [M, N]
  - {fanout: array, x: {size: 4, dims: [M]}}
  - compute: MAC
constraints:
  - {level: Buffer, factors: {M: all}, order: {innermost: [N]}, dims: [M], keep: [input]}
  - {level: array, least_use: 0.5}
)";

constexpr const char* kSmallNetwork =
    "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\n"
    "small,1,gemm,1,16,8,1,1,1,1,1,1\n";

std::vector<std::vector<std::string>> runs(const Scratch& scratch) {
  std::vector<std::vector<std::string>> all = {
      {"archs"},
      {"arena", "-a", "toy_array", "--model", scratch.write("arena.csv", kSmallNetwork),
       "--mappers", "loma"},
      {"flex", "classify", "flex_1024"},
      {"flex", "isolate", "--model", scratch.write("small.csv", kSmallNetwork)},
      {"map", "-a", "flex_1024", "-w", "gemm: m=4 n=4 k=4"},
      {"models"},
      {"models", "quickflow"},
      {"models", "gpt2"},
      {"space", "-a", "toy_array", "-w", "gemm: m=4 n=4 k=4"},
      {"map", "-a", "toy_array", "-w", "gemm: m=64 n=64 k=64"},
      {"map", "-a", "toy_array", "-w", "gemm: m=64 n=64 k=64", "--mapper", "random"},
      {"map", "-a", "toy_array", "--model", "ncf"},
      {"map", "-a", "toy_array", "--model", "ncf", "--set", "clock=1GHz"},
      {"map", "-a", "toy_array", "-w", "gemm: m=4 n=4 k=4", "--roles", "any"},
      {"compare", "toy_array", "toy_linear", "-w", "gemm: m=4 n=4 k=4"},
      {"map", "-a", "gemmini", "-w", "gemm: m=4 n=4 k=4", "--set", "SACols.fill=diagonal"},
      {"pareto", "-a", "toy_array", "-w", "gemm: m=12 n=4 k=4"},
      {"flex", "measure", "-a", "flex_1024", "-w", "gemm: m=12 n=4 k=4"},
      {"workload", "show", "examples/workloads/mttkrp.yaml"},
      {"workload", "show", "examples/workloads/dilated.yaml"},
      {"arch", "show", scratch.write("everything.yaml", kEverything)},
      {"eval", "-a", "toy_array", "-w", "examples/toy_array/workload.yaml", "-m",
       "examples/toy_array/mapping.yaml"},
      {"eval", "-a", "ruby_eyeriss_14x12", "-w", "examples/workloads/alexnet_conv2.yaml", "-m",
       "examples/ruby_eyeriss_14x12/mapping.yaml"}};
  // Too many tiles to count, which is found after a minute under the sanitizers.
  if (!tilewright::testing::slow_build()) {
    all.push_back({"flex", "measure", "-a", "flex_1024", "-w",
                   "conv2d: in_channels=1024 out_channels=1024 p=700 q=700 r=7 s=7", "--samples",
                   "100"});
  }
  for (const auto& builtin : io::builtin_architectures()) {
    all.push_back({"arch", "show", builtin.name});
  }
  return all;
}

// Takes out what has a section of its own.
void set_aside_parts(Json& json, std::map<std::string, Keys>& printed) {
  const auto set_aside = [&](const char* key, const char* schema) {
    if (!json.contains(key) || !json[key].is_object()) return;
    set_aside_parts(json[key], printed);
    collect(json[key], printed[schema]);
    json[key] = nullptr;
  };
  set_aside("workload", "tilewright.workload.v1");
  set_aside("result", "tilewright.evaluation.v1");
  if (json.contains("points")) {
    for (Json& point : json["points"]) {
      set_aside_parts(point, printed);
      collect(point, printed["tilewright.evaluation.v1"]);
    }
    json["points"] = nullptr;
  }
  if (!json.contains("layers") || !json["layers"].is_array()) return;
  for (Json& layer : json["layers"]) {
    set_aside_parts(layer, printed);
    if (!layer.contains("search")) continue;
    collect(layer["search"], printed["tilewright.map.v1"]);
    layer["search"] = nullptr;
  }
}

// The keys that were printed, by schema.
std::map<std::string, Keys> printed_keys() {
  const Scratch scratch;
  std::map<std::string, Keys> printed;
  for (std::vector<std::string> words : runs(scratch)) {
    words.push_back("--json");
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Json json = Json::parse(outcome.out);
    Keys& keys = printed[json.at("schema")];
    set_aside_parts(json, printed);
    collect(json, keys);
  }
  return printed;
}

// The keys in the first column of the tables, by the schema of the section.
std::map<std::string, Keys> documented_keys() {
  std::map<std::string, Keys> documented;
  std::istringstream page(contents(checkout_folder() + "/docs/json.md"));
  static const std::regex heading("## (tilewright\\..*)");
  static const std::regex row("\\| `([a-z_0-9]+)` \\|.*");
  std::string schema;
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (std::regex_match(line, match, heading)) schema = match[1];
    if (!schema.empty() && std::regex_match(line, match, row)) documented[schema].insert(match[1]);
  }
  return documented;
}

TEST(JsonPage, NamesExactlyTheKeysThatArePrinted) {
  const auto printed = printed_keys();
  const auto documented = documented_keys();
  EXPECT_EQ(printed.size(), 15U);
  for (const auto& [schema, keys] : printed) {
    const auto page = documented.find(schema);
    ASSERT_NE(page, documented.end()) << schema << " has no section";
    for (const std::string& key : keys) {
      EXPECT_TRUE(page->second.count(key) > 0) << schema << ": " << key << " is not in json.md";
    }
    if (tilewright::testing::slow_build()) continue;  // not every run was made
    for (const std::string& key : page->second) {
      EXPECT_TRUE(keys.count(key) > 0) << schema << ": json.md has " << key << ", no run does";
    }
  }
}

TEST(JsonPage, SchemaIsTheFirstKey) {
  const Outcome outcome = run_tool({"archs", "--json"});
  const auto json = nlohmann::ordered_json::parse(outcome.out);
  EXPECT_EQ(json.begin().key(), "schema");
}

// docs/golden.md names every field of the shipped cases.
TEST(GoldenPage, NamesEveryFieldOfTheShippedCases) {
  const std::string page = contents(checkout_folder() + "/docs/golden.md");
  std::istringstream lines(contents(checkout_folder() + "/tests/golden/timeloop_gemm.jsonl"));
  Keys keys;
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line);
    json["dims"] = nullptr;
    for (Json& level : json["levels_outer_to_inner"]) {
      collect(level["expected"], keys, /*names_as_keys=*/true);
      level["expected"] = nullptr;
    }
    collect(json, keys);
  }
  for (const std::string& key : keys) {
    EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key << " is not in golden.md";
  }
}

}  // namespace
}  // namespace tilewright::cli
