#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "support/checkout.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using Json = nlohmann::json;

TEST(CliArchs, ListsEveryFileOfTheFolder) {
  const Outcome outcome = run_tool({"archs"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  std::size_t files = 0;
  const std::filesystem::path folder = checkout_folder() + "/architectures";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    EXPECT_THAT(outcome.out, HasSubstr("\n  " + entry.path().stem().string() + " "));
  }
  EXPECT_EQ(files, io::builtin_architectures().size());
}

TEST(CliArchs, ListsThemAsJson) {
  const Outcome outcome = run_tool({"archs", "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("schema"), "tilewright.architectures.v1");
  ASSERT_EQ(json.at("architectures").size(), io::builtin_architectures().size());
  for (std::size_t i = 0; i < json.at("architectures").size(); ++i) {
    const Json& arch = json.at("architectures").at(i);
    EXPECT_EQ(arch.at("name"), io::builtin_architectures()[i].name);
    if (arch.at("name") == "eyeriss") {
      EXPECT_EQ(arch.at("compute_instances"), 168);
      EXPECT_EQ(arch.at("technology"), "32 nm");
      EXPECT_EQ(arch.at("levels"), 8);
    }
  }
}

}  // namespace
}  // namespace tilewright::cli
