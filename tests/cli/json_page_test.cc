// What pages say of JSON. docs/json.md is held against the schema by
// python/tests/test_json_schema.py.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/run_tool.h"
#include "support/checkout.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using testing::Outcome;
using testing::run_tool;
using Json = nlohmann::json;
using Keys = std::set<std::string>;

void collect(const Json& value, Keys& keys, bool names_as_keys = false) {
  if (value.is_array()) {
    for (const Json& entry : value) collect(entry, keys);
  } else if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) {
      if (!names_as_keys) keys.insert(key);
      collect(entry, keys);
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
