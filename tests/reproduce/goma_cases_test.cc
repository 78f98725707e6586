#include "reproduce/goma_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reproduce/common.h"
#include "reproduce/goma_cases.h"
#include "reproduce/goma_closed_form.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"

namespace tilewright::reproduce {
namespace {

using ::testing::ElementsAre;

TEST(GomaCases, Are24AndEdgeModelsStayOnEdgeAccelerators) {
  std::set<std::string> edge_workloads, edge_accelerators;
  for (const GomaCase& evaluated : goma_cases()) {
    const bool small = evaluated.workload.starts_with("qwen3_0.6b") ||
                       evaluated.workload.starts_with("llama3.2_1b");
    if (!small) continue;
    edge_workloads.insert(evaluated.workload);
    edge_accelerators.insert(evaluated.accelerator);
  }
  EXPECT_EQ(goma_cases().size(), 24U);
  EXPECT_EQ(edge_workloads.size(), 6U);
  EXPECT_THAT(edge_accelerators, ElementsAre("goma_eyeriss_like", "goma_gemmini_like"));
}

TEST(GomaCases, AcceleratorsHaveTheSizesOfTable1) {
  const auto sizes = [](const char* name) {
    const Architecture arch = shipped_architecture(name);
    const auto words = [&](const char* level) {
      return std::get<Memory>(arch.level(arch.find_level(level).value())).capacity.amount;
    };
    return std::array<std::int64_t, 3>{words("SRAM") / 1024,
                                       physical_instances(arch, *arch.find_level("MAC")),
                                       words("RegisterFile")};
  };
  EXPECT_THAT(sizes("goma_eyeriss_like"), ElementsAre(162, 256, 424));
  EXPECT_THAT(sizes("goma_gemmini_like"), ElementsAre(576, 256, 1));
  EXPECT_THAT(sizes("a100_like"), ElementsAre(36864, 65536, 128));
  EXPECT_THAT(sizes("goma_tpu_v1_like"), ElementsAre(30720, 65536, 2));
}

TEST(GomaNetwork, HasHeadsThatShareKeysInOneProduct) {
  const Network shipped = io::load_network("llama3.2_1b_1k").value.value();
  const Network network = goma_network("llama3.2_1b_1k");
  EXPECT_EQ(multiply_accumulates(network), multiply_accumulates(shipped));
  const Layer& score = network.layers[2];
  EXPECT_EQ(score.name, "attn_score");
  EXPECT_EQ(score.count, 128);  // 8 groups of heads in 16 blocks
  EXPECT_EQ(score.workload.dim(score.workload.find_dim("N").value()).size, 4096);
}

TEST(GomaNetwork, EveryProductCanFillTheArray) {
  for (const GomaCase& evaluated : goma_cases()) {
    const Architecture arch = shipped_architecture(evaluated.accelerator);
    for (const Layer& layer : goma_network(evaluated.workload).layers) {
      if (layer.name != "lm_head" && layer.name != "attn_context") continue;  // the narrowest
      const Problem problem = Problem::create(layer.workload, arch).value.value();
      const auto rules = Restrictions::create(problem, full_array(arch)).value.value();
      EXPECT_TRUE(MapSpace::create(problem, SpaceKind::Perfect, rules).ok())
          << evaluated.workload << " " << layer.name << " on " << evaluated.accelerator;
    }
  }
}

TEST(GomaFixedBypass, LeavesNothingFree) {
  for (const GomaCase& evaluated : goma_cases()) {
    const Architecture arch = shipped_architecture(evaluated.accelerator);
    const Workload workload = goma_network(evaluated.workload).layers[0].workload;
    const Problem problem = Problem::create(workload, arch).value.value();
    const auto rules = Restrictions::create(problem, fixed_bypass(arch)).value.value();
    for (const MemoryId memory : {MemoryId{1}, MemoryId{2}}) {
      EXPECT_EQ(rules.keep_always(memory), rules.keep_allowed(memory));
    }
  }
}

// --- what GOMA's authors recorded ---------------------------------------------

TEST(GomaOptima, AreThereForEveryProduct) {
  for (const GomaCase& evaluated : goma_cases()) {
    for (const Layer& layer : goma_network(evaluated.workload).layers) {
      EXPECT_TRUE(goma_optimum(evaluated, layer.name)) << evaluated.workload << " " << layer.name;
    }
  }
  EXPECT_FALSE(goma_optimum({"a100_like", "llama3.2_1b_1k"}, "lm_head"));
}

// The one mapping that the repository records as a whole
// (solver_evidence/practical_case_from_logs.json).
TEST(GomaOptima, RecordedMappingCostsWhatTheRecordSays) {
  const Architecture arch = shipped_architecture("a100_like");
  golden::GemmRow row;
  row.sizes = {131072, 8192, 5120};
  row.bounds = {{{32, 4096, 1, 1}, {2, 1, 64, 64}, {1, 5, 1024, 1}}};
  row.walking = {DimId{0}, DimId{0}};
  row.kept = {2 | 4, 2 | 1};  // B and P in SRAM, B and A in the register files
  const double macs = 131072.0 * 8192 * 5120;
  EXPECT_NEAR(goma_energy_pj(row, arch) / macs, 0.26803315897750857, 1e-15);
  const double optimum = goma_optimum({"a100_like", "qwen3_32b_128k"}, "attn_q_proj").value();
  EXPECT_NEAR(optimum, 0.26803315897750857, 1e-13);
}

double pj_per_mac(const std::string& arch, const std::string& workload, const std::string& levels) {
  const Workload product = io::read_workload_line(workload, "workload").value.value();
  const Problem problem = Problem::create(product, shipped_architecture(arch)).value.value();
  const Mapping mapping = io::read_mapping(levels, "mapping", problem).value.value();
  const Score score = Evaluator::compile(problem).value->score(mapping);
  EXPECT_TRUE(score.verdict.fits()) << to_string(score.verdict, problem);
  return score.energy_pj / static_cast<double>(multiply_accumulates(product));
}

TEST(GomaOptima, SomeRecordedAsProvenAreNotTheBest) {
  const double context = pj_per_mac("a100_like", "gemm: m=128 n=262144 k=32768",
                                    "levels:\n"
                                    "  DRAM: {loops: [K 64]}\n"
                                    "  SRAM: {loops: [N 262144], keep: [O], bypass: [I, W]}\n"
                                    "  PEs: {x: [M 128, K 2], y: [K 256]}\n"
                                    "  RegisterFile: {keep: [W], bypass: [I, O]}\n");
  EXPECT_LT(context,
            0.99 * goma_optimum({"a100_like", "llama3.3_70b_32k"}, "attn_context").value());
  const double head = pj_per_mac("goma_gemmini_like", "gemm: m=128256 n=1 k=2048",
                                 "levels:\n"
                                 "  DRAM: {loops: [K 8]}\n"
                                 "  SRAM: {loops: [M 128256], keep: [O], bypass: [I, W]}\n"
                                 "  PEs: {x: [K 16], y: [K 16]}\n"
                                 "  RegisterFile: {keep: [I], bypass: [W, O]}\n");
  EXPECT_LT(head, goma_optimum({"goma_gemmini_like", "llama3.2_1b_1k"}, "lm_head").value() - 1e-3);
}

}  // namespace
}  // namespace tilewright::reproduce
