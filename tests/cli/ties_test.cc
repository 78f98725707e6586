// What decides where mappings are equal by the objective, and networks by their EDP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::json_of;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

constexpr const char* kNoEnergies = R"(architecture: plain
levels:
  - memory: DRAM
    capacity: unlimited
  - memory: Buffer
    capacity: 128 KiB
  - fanout: array
    x: {size: 8, dims: [M]}
    y: {size: 8, dims: [N]}
  - compute: MAC
)";

// One of 64 PEs takes 64 times as long for the same energy.
TEST(CliTies, WithoutEnergiesTheFastestMappingIsTheBest) {
  const Scratch scratch;
  const std::string none = scratch.write("none.yaml", kNoEnergies);
  const std::string mac =
      scratch.write("mac.yaml", std::string(kNoEnergies) + "    energy: 1 pJ\n");
  for (const std::string& arch : {none, mac}) {
    for (const char* objective : {"edp", "energy", "latency"}) {
      for (const char* mapper : {"optimal", "quickflow", "genetic", "random"}) {
        const Json result = json_of(
            {"map", "-a", arch, "-w", "gemm: m=64 n=64 k=64", "-o", objective, "--mapper", mapper});
        EXPECT_EQ(result.at("result").at("cycles"), 4096) << objective << " " << mapper;
      }
    }
  }
}

TEST(CliTies, ARunWithoutEnergiesSaysSo) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kNoEnergies);
  EXPECT_THAT(run_tool({"map", "-a", arch, "-w", "gemm: m=8 n=8 k=8"}).out,
              HasSubstr("All energies of plain are 0"));
}

TEST(CliTies, CertificatesCoverThem) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kNoEnergies);
  const std::string path = scratch.path("best.cert.json");
  const Outcome mapped = run_tool(
      {"map", "-a", arch, "-w", "gemm: m=64 n=64 k=64", "-o", "energy", "--certificate", path});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  EXPECT_EQ(run_tool({"check", path}).exit_code, 0);
  Json certificate = Json::parse(testing::contents(path));
  EXPECT_EQ(certificate.at("cycles"), 4096);
  EXPECT_EQ(certificate.at("instances"), 64);
  certificate["instances"] = 63;
  const std::string forged = scratch.write("forged.json", certificate.dump());
  const Outcome checked = run_tool({"check", forged});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.err + checked.out, HasSubstr("uses 64 instances, the certificate says 63"));
}

// 16 of 16 lanes are not needed where 8 take as long.
TEST(CliTies, NoMoreInstancesAreUsedThanHelp) {
  const Scratch scratch;
  const std::string arch = scratch.write("lanes.yaml", R"(architecture: lanes
levels:
  - memory: DRAM
    capacity: unlimited
    read: 1 pJ
    bandwidth: 1 words/cycle
  - fanout: lanes
    x: 16
  - compute: MAC
    energy: 1 pJ
)");
  const Json result = json_of({"map", "-a", arch, "-w", "O[m] += A[m]; m=64", "-o", "latency"});
  // 64 words in, 64 out, one a cycle: one lane keeps up.
  EXPECT_EQ(result.at("result").at("cycles"), 128);
  EXPECT_EQ(result.at("result").at("compute").at("instances"), 1);
}

// AlexNet with 16 bits: some layers have two mappings, of which the one with the higher
// EDP makes the network's lower.
TEST(CliNetworkEdp, IsLowerThanThatOfLayersOnTheirOwn) {
  const std::vector<std::string> command = {
      "map", "-a", "ruby_eyeriss_14x12", "--model", "alexnet", "--bits", "16"};
  const Json whole = json_of(command);
  std::vector<std::string> each = command;
  each.emplace_back("--each-layer");
  const Json apart = json_of(each);
  const double best = whole.at("totals").at("edp_pj_cycles");
  EXPECT_LT(best, apart.at("totals").at("edp_pj_cycles").get<double>() * 0.995);
  EXPECT_EQ(apart.at("network_edp"), nullptr);
  const Json& proof = whole.at("network_edp");
  EXPECT_EQ(proof.at("proven"), true);
  EXPECT_EQ(proof.at("each_layer").at("edp_pj_cycles"), apart.at("totals").at("edp_pj_cycles"));
  EXPECT_EQ(proof.at("makes_small"), "energy + price * cycles");
  EXPECT_THAT(run_tool(command).out,
              HasSubstr("proven: no choice of even mappings has a lower EDP of the network"));
}

TEST(CliNetworkEdp, EachLayerNeedsANetworkAndTheEdp) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"map", "-a", "eyeriss", "--model", "alexnet", "-o", "energy", "--each-layer"},
           {"map", "-a", "eyeriss", "-w", "gemm: m=8 n=8 k=8", "--each-layer"}}) {
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--each-layer: only the EDP of a network"));
  }
}

}  // namespace
}  // namespace tilewright::cli
