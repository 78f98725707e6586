// Everything under examples/ works as its comments say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_tool.h"
#include "support/checkout.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
namespace fs = std::filesystem;

constexpr const char* kConstraints = "examples/constraints";
constexpr const char* kFlexibility = "examples/flexibility";

struct ExampleRow {
  const char* arch;
  const char* workload;
  const char* mapping;
  std::int64_t cycles;
};

constexpr ExampleRow kExamples[] = {
    {"eyeriss", "examples/eyeriss/workload.yaml", "examples/eyeriss/mapping.yaml", 688128},
    {"toy_linear", "examples/workloads/elements_100.yaml", "examples/toy_linear/perfect.yaml", 20},
    {"toy_linear", "examples/workloads/elements_100.yaml", "examples/toy_linear/imperfect.yaml",
     17},
    {"gemmini", "examples/workloads/bert_large_kqv.yaml", "examples/gemmini/mapping.yaml",
     53477376},
    {"ruby_eyeriss_14x12", "examples/workloads/alexnet_conv2.yaml",
     "examples/ruby_eyeriss_14x12/mapping.yaml", 622080},
    {"toy_array", "examples/toy_array/workload.yaml", "examples/toy_array/mapping.yaml", 2048}};

TEST(Examples, TakeTheCyclesTheyPromise) {
  for (const ExampleRow& row : kExamples) {
    const Outcome outcome = run_tool({"eval", "--arch", row.arch, "--workload", row.workload,
                                      "--mapping", row.mapping, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << row.mapping << "\n" << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("cycles"), row.cycles) << row.mapping;
  }
}

TEST(Examples, SayHowToRunThem) {
  for (const ExampleRow& row : kExamples) {
    const std::string text = contents(fs::path(checkout_folder()) / row.mapping);
    EXPECT_THAT(text, HasSubstr(std::string("--arch ") + row.arch));
    EXPECT_THAT(text, HasSubstr(std::string("--workload ") + row.workload));
    EXPECT_THAT(text, HasSubstr(std::string("--mapping ") + row.mapping));
  }
}

// The figures of AccelForge's regression file; the others have leakage in them, too.
TEST(Examples, TakeTheEnergyOfAccelForge) {
  const auto fused = [](const char* arch, const char* cascade) {
    const Outcome outcome =
        run_tool({"fuse", "--arch", std::string("examples/accelforge/") + arch, "--cascade",
                  std::string("examples/accelforge/") + cascade, "--longest-group", "8", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json.at("proven"), true);
    return std::pair(json.at("unfused_pj").get<double>(), json.at("energy_pj").get<double>());
  };
  const auto tpu = fused("tpu_v4i.yaml", "three_products.yaml");
  EXPECT_NEAR(tpu.first, 13.133e6, 0.0005e6);
  EXPECT_NEAR(tpu.second, 10.558e6, 0.0005e6);
  const auto simba = fused("simba.yaml", "three_products.yaml");
  EXPECT_LT(simba.first, 11.748e6);
  EXPECT_LT(simba.second, 7.273e6);
  const auto eyeriss = fused("eyeriss.yaml", "two_products.yaml");
  EXPECT_LT(eyeriss.first, 3.490e6);
  EXPECT_LT(eyeriss.second, 3.008e6);
  if (tilewright::testing::slow_build()) return;
  const auto gpt3 = fused("tpu_v4i.yaml", "gpt3_175b_block.yaml");
  EXPECT_LT(gpt3.first, 1.3358e12);
  EXPECT_LT(gpt3.second, 1.1751e12);
}

// Constraints are named after the architecture that they are for.
TEST(Examples, ConstrainTheirArchitecture) {
  const fs::path folder = fs::path(checkout_folder()) / kConstraints;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const Checked<Architecture> arch = io::load_architecture(entry.path().stem().string());
    ASSERT_TRUE(arch.ok()) << entry.path();
    const auto constraints = io::load_constraints(entry.path().string(), *arch.value);
    ASSERT_TRUE(constraints.ok()) << to_string(constraints.problems.front());
    EXPECT_FALSE(constraints.value->empty()) << entry.path();
  }
}

// The comments of a flexible accelerator say "Class: ..." and how to ask for it.
TEST(Examples, AreOfTheClassTheyPromise) {
  const fs::path root = checkout_folder();
  bool mapped_one = false;
  for (const auto& entry : fs::directory_iterator(root / kFlexibility)) {
    const std::string path = fs::relative(entry.path(), root).string();
    const Outcome outcome = run_tool({"flex", "classify", path, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    const std::string found = json.at("architectures").at(0).at("class");
    const std::string text = contents(entry.path());
    EXPECT_THAT(text, HasSubstr("# Class: " + found));
    EXPECT_THAT(text, HasSubstr("tilewright flex classify " + path));
    if (tilewright::testing::slow_build() && mapped_one) continue;
    mapped_one = true;
    const Outcome mapped =
        run_tool({"map", "-a", path, "--model", "mnasnet", "-l", "#3", "-o", "latency"});
    EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
  }
}

// A file that nothing above uses must at least be a workload.
TEST(Examples, AreAllTested) {
  std::set<std::string> mappings;
  for (const ExampleRow& row : kExamples) mappings.insert(row.mapping);
  const fs::path root = checkout_folder();
  for (const auto& entry : fs::recursive_directory_iterator(root / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string path = fs::relative(entry.path(), root).string();
    if (mappings.count(path) > 0 || path.starts_with(kConstraints)) continue;
    if (path.starts_with(kFlexibility)) continue;
    if (path.starts_with("examples/studies")) continue;  // for sweeps: python/tests/test_sweeps.py
    if (path.starts_with("examples/accelforge")) continue;           // above
    if (path.starts_with("examples/unified_buffer")) continue;       // shared_room_test.cc
    if (path.starts_with("examples/flash_attention")) continue;      // a plan: eval_plan_test.cc
    if (path.starts_with("examples/two_shared_memories")) continue;  // the same
    const Outcome outcome = run_tool({"workload", "show", path});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
}

}  // namespace
}  // namespace tilewright::cli
