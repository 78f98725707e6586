// Optima of real layers, found by letting the checker refute claims, certified
// and verified.
#include <gtest/gtest.h>

#include <algorithm>

#include "mappers/sampling/sampling.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {
namespace {

struct Layers {
  const char* arch;
  std::vector<const char*> layers;
  SpaceKind kind;
  Objective objective;
  bool uneven = false;
};

Mapping sampled(const Problem& problem, const Layers& what) {
  Checked<Restrictions> rules = Restrictions::create(problem);
  rules.value->exclude_misfits(problem);
  const MadeSpace space = MapSpace::create(problem, what.kind, *rules.value);
  SamplingOptions options;
  options.objective = what.objective;
  options.evaluations = 50'000;
  return *search(testing::make_evaluator(problem), *random_strategy(*space.value, 1), options).best;
}

void certify(const Problem& problem, const Layers& what, const std::string& value = "",
             Proof* proof = nullptr) {
  Claim claim{problem, what.kind, {}, what.objective, sampled(problem, what), {}};
  if (what.uneven) claim.among = Among::All;
  Proven proven = prove(claim);
  while (proven.better) {
    claim.mapping = *proven.better;
    claim.apart = proven.apart;
    proven = prove(claim);
  }
  ASSERT_TRUE(proven.certificate.has_value()) << to_string(proven.problems.front());
  if (!value.empty()) {
    EXPECT_EQ(proven.certificate->value, value);
  }
  const Outcome outcome = check(*proven.certificate);
  ASSERT_TRUE(outcome.problems.empty()) << to_string(outcome.problems.front());
  EXPECT_GE(outcome.statistics.cells(), 1);  // the floor of all mappings may be the optimum
  if (proof != nullptr) *proof = proven.certificate->proof;
}

TEST(ProveLayers, QuickFlowsKernels) {
  const std::vector<Layers> cases = {
      {"eyeriss", {"XII", "VII", "VI"}, SpaceKind::Perfect, Objective::Edp},
      {"simba", {"XII"}, SpaceKind::Perfect, Objective::Energy},
      {"tpu_v1", {"XII", "VII"}, SpaceKind::Perfect, Objective::Latency}};
  const Checked<Network> network = io::load_network("quickflow");
  for (const Layers& what : cases) {
    const Checked<Architecture> arch = io::load_architecture(what.arch);
    for (const char* name : what.layers) {
      SCOPED_TRACE(std::string(what.arch) + " " + name);
      const Checked<Layer> layer = io::pick_layer(*network.value, name);
      certify(*Problem::create(layer.value->workload, *arch.value).value, what);
      if (testing::slow_build()) return;  // the others take ten times as long
    }
  }
}

// The frame takes a tree of more than a thousand nodes where extents are told apart by what they
// leave alone. The solver finds the same optimum.
TEST(ProveLayers, ALayerThatARefinedLatticeCloses) {
  const Checked<Network> network = io::load_network("dlrm");
  const Checked<Layer> layer = io::pick_layer(*network.value, "3");
  const Checked<Architecture> arch = io::load_architecture("simba");
  Proof proof;
  certify(*Problem::create(layer.value->workload, *arch.value).value,
          {"simba", {"3"}, SpaceKind::Ruby, Objective::Energy}, "455205.44", &proof);
  EXPECT_TRUE(std::any_of(proof.begin(), proof.end(),
                          [](const auto& run) { return run.step == ProofStep::Refined; }));
}

// Two prototypes that share no code found this optimum, and AccelForge's evaluator accepts it.
TEST(ProveLayers, AKnownUnevenOptimum) {
  const Checked<Architecture> arch = io::read_architecture(
      "architecture: registers\nlevels:\n"
      "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, write: 64 pJ, update: 66 pJ}\n"
      "  - {memory: Buffer, capacity: 16384 words, read: 2 pJ, write: 2 pJ, update: 2.5 pJ}\n"
      "  - {fanout: Array, x: {size: 8, dims: [n]}, y: {size: 8, dims: [m]}}\n"
      "  - {memory: Regs, capacity: 12 words, read: 0.5 pJ, write: 0.5 pJ, update: 0.5 pJ}\n"
      "  - {compute: MAC, energy: 0.2 pJ}\n",
      "arch");
  const Checked<Workload> workload =
      io::read_workload_line("O[m,n] += W:weight[m,k]*I[k,n]; m=512 n=512 k=512", "workload");
  const Problem problem = *Problem::create(*workload.value, *arch.value).value;
  certify(problem, {"", {}, SpaceKind::Perfect, Objective::Energy, true}, "605395353.6");
}

}  // namespace
}  // namespace tilewright::certificate
