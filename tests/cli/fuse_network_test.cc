// Networks fused from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::with;
using testing::Words;
using Json = nlohmann::json;

constexpr const char* kArch = R"(architecture: fusing
levels:
  - {memory: DRAM, capacity: unlimited, read: 128 pJ}
  - {memory: Buffer, capacity: 65536 words, read: 3 pJ}
  - {fanout: PEs, x: {size: 16, dims: [M]}, y: {size: 16, dims: [K]}}
  - {memory: Registers, capacity: 64 words, read: 0.1 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";

constexpr const char* kMlp = R"(network: mlp
tensors: {x: [32, 64]}
operators:
  - {operator: up, gemm: {m: 128, n: 64, k: 32}, uses: {I: x}}
  - {operator: act, elementwise: gelu, reads: [up]}
  - {operator: down, gemm: {m: 32, n: 64, k: 128}, uses: {I: act}}
)";

// A small Llama of two blocks.
std::vector<std::string> llama(std::vector<std::string> words) {
  const std::vector<std::string> model = {"--model", "llama3.2_1b"};
  words.insert(words.end(), model.begin(), model.end());
  for (const char* size : {"tokens=32", "layers=2", "hidden=16", "kv_heads=2", "group=2", "head=4",
                           "inner=32", "vocabulary=64"}) {
    words.insert(words.end(), {"--size", size});
  }
  return words;
}

TEST(CliFuseNetwork, FusesAttentionWithItsProjections) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const Json json = testing::json_of(llama({"fuse", "-a", arch}));
  EXPECT_EQ(json["schema"], "tilewright.fused_network.v1");
  EXPECT_TRUE(json["proven"]);
  EXPECT_LT(json["energy_pj"], json["unfused_pj"]);
  double total = 0;
  int fused = 0;
  for (const Json& part : json["parts"]) {
    total += part["count"].get<double>() * part["energy_pj"].get<double>();
    fused += part["fused"].get<bool>() ? 1 : 0;
  }
  EXPECT_NEAR(total, json["energy_pj"].get<double>(), 1e-9 * total);
  EXPECT_EQ(fused, 1);
  EXPECT_EQ(json["parts"][0]["count"], 2);
  std::size_t contractions = 0;
  for (const Json& group : json["parts"][0]["groups"]) contractions += group.size();
  EXPECT_EQ(contractions, 7U);
  EXPECT_EQ(json["cuts"][0]["operator"], "attn_k_proj");
  // Projections are whole and heads are taken one by one in what a plan is held against.
  const Json alone = testing::json_of(llama({"map", "-a", arch, "--objective", "energy"}));
  EXPECT_NEAR(alone["totals"]["energy_pj"].get<double>(), json["unfused_pj"].get<double>(),
              1e-6 * json["unfused_pj"].get<double>());
}

TEST(CliFuseNetwork, RefusesAMemoryThatThereIsNot) {
  const Scratch scratch;
  const Outcome outcome =
      run_tool(llama({"fuse", "-a", scratch.write("arch.yaml", kArch), "--shared", "Bufer"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no memory \"Bufer\" to be shared; its memories are DRAM, "
                                     "Buffer, Registers"));
}

TEST(CliFuseNetwork, IsAlsoAskedForByMap) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const std::string network = scratch.write("mlp.yaml", kMlp);
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), {"-a", arch, "--model", network});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json mapped = testing::json_of(with({"map", "--fused"}, {}));
  const Json fused = testing::json_of(with({"fuse"}, {}));
  EXPECT_EQ(mapped["schema"], fused["schema"]);
  EXPECT_EQ(mapped["energy_pj"], fused["energy_pj"]);
  const Outcome other = run_tool(with({"map", "--fused"}, {"--mapspace", "ruby"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--fused"), HasSubstr("--mapspace")));
  const Outcome power = run_tool(with({"map", "--fused"}, {"-o", "power"}));
  EXPECT_EQ(power.exit_code, 2);
  EXPECT_THAT(power.err, AllOf(HasSubstr("power"), Not(HasSubstr("cascade"))));
  EXPECT_EQ(run_tool({"map", "--fused", "-a", arch, "-w", "gemm: m=4 n=4 k=4"}).exit_code, 2);
}

TEST(CliFuseNetwork, WritesWhatEvalReads) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const std::string network = scratch.write("mlp.yaml", kMlp);
  const std::string out = scratch.path("plans");
  const Outcome outcome = run_tool({"fuse", "-a", arch, "--model", network, "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("mlp on fusing"), HasSubstr("up+down")));
  const Json found = testing::json_of({"fuse", "-a", arch, "--model", network});
  // Plain cascades of einsums that are M and K of the architecture by turns.
  const Json again = testing::json_of({"eval", "-a", arch, "--cascade", out + "/1.cascade.yaml",
                                       "-m", out + "/1.plan.yaml", "--optimum"});
  EXPECT_EQ(again["energy_pj"], found["energy_pj"]);
  EXPECT_EQ(again["optimum"]["energy_pj"], found["energy_pj"]);
  // Alone they cost what map finds for the network, energy by energy.
  const Json alone =
      testing::json_of({"map", "-a", arch, "--model", network, "--objective", "energy"});
  EXPECT_NEAR(alone["totals"]["energy_pj"].get<double>(), found["unfused_pj"].get<double>(),
              1e-6 * found["unfused_pj"].get<double>());
}

// A block of three convolutions, the second with padding, twice in two sizes.
constexpr const char* kBlocks = R"(network: blocks
tensors: {x: [1, 8, 8, 8]}
operators:
  - {operator: a, conv2d: {in_channels: 8, out_channels: 16, p: 8, q: 8, r: 1, s: 1}, uses: {I: x}}
  - {operator: b, conv2d: {in_channels: 16, out_channels: 16, p: 4, q: 4, r: 3, s: 3, stride: 2}, uses: {I: a}}
  - {operator: c, conv2d: {in_channels: 16, out_channels: 8, p: 4, q: 4, r: 1, s: 1}, uses: {I: b}}
  - {operator: pool, other: pool, reads: [c], shape: [1, 8, 4, 4]}
  - {operator: d, conv2d: {in_channels: 8, out_channels: 16, p: 4, q: 4, r: 1, s: 1}, uses: {I: pool}}
  - {operator: e, conv2d: {in_channels: 16, out_channels: 8, p: 4, q: 4, r: 3, s: 3}, uses: {I: d}}
)";
constexpr const char* kSmall = R"(architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, read: 128 pJ}
  - {memory: Buffer, capacity: 2048 words, read: 3 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";

// Blocks of a network, and an accelerator for them.
class CliFuseBlocks : public ::testing::Test {
 protected:
  Scratch scratch;
  std::string arch = scratch.write("arch.yaml", kSmall);
  std::string network = scratch.write("blocks.yaml", kBlocks);
  Words words = {"fuse", "-a", arch, "--model", network};
};

TEST_F(CliFuseBlocks, FusesConvolutionsWithPadding) {
  const Json one = testing::json_of(with(words, {"--threads", "1"}));
  EXPECT_TRUE(one["proven"]);
  EXPECT_LT(one["energy_pj"].get<double>(), 0.9 * one["unfused_pj"].get<double>());
  ASSERT_EQ(one["parts"].size(), 2U);
  EXPECT_EQ(one["parts"][0]["groups"].size(), 1U);
  const Json two = testing::json_of(with(words, {"--threads", "2"}));
  EXPECT_EQ(one["parts"], two["parts"]);
  // What map counts, padding included.
  const Json alone =
      testing::json_of({"map", "-a", arch, "--model", network, "--objective", "energy"});
  EXPECT_NEAR(alone["totals"]["energy_pj"].get<double>(), one["unfused_pj"].get<double>(),
              1e-6 * one["unfused_pj"].get<double>());
}

// The network is one part: trees of the cascade are searched for the product itself, those of the
// network at one price of a cycle after another.
TEST(CliFuseNetwork, FindsTheLeastProductThatTheCascadeHas) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const std::string network = scratch.write("mlp.yaml", R"(network: mlp
tensors: {x: [32, 64]}
operators:
  - {operator: up, gemm: {m: 128, n: 64, k: 32}, uses: {I: x}}
  - {operator: down, gemm: {m: 32, n: 64, k: 128}, uses: {I: up}}
)");
  const std::vector<std::string> slow = {"--set", "DRAM.bandwidth=2 words/cycle"};
  const auto found_by = [&](const std::vector<std::string>& of, const std::string& objective) {
    return testing::json_of(with(with({"fuse", "-a", arch, "-o", objective}, of), slow));
  };
  const std::string out = scratch.path("plans");
  const std::vector<std::string> model = {"--model", network};
  ASSERT_EQ(run_tool(with({"fuse", "-a", arch, "--out", out}, model)).exit_code, 0);
  for (const char* objective : {"edp", "latency", "ed2p"}) {
    const Json whole = found_by(model, objective);
    const Json part = found_by({"--cascade", out + "/1.cascade.yaml"}, objective);
    EXPECT_TRUE(whole["proven"]) << objective;
    EXPECT_NEAR(whole["value"].get<double>(), part["value"].get<double>(),
                1e-7 * part["value"].get<double>())
        << objective;
    EXPECT_EQ(whole["unfused_cycles"], part["unfused_cycles"]) << objective;
    EXPECT_NEAR(whole["unfused_pj"].get<double>(), part["unfused_pj"].get<double>(),
                1e-7 * part["unfused_pj"].get<double>())
        << objective;
    EXPECT_LE(whole["value"], whole["unfused_value"]);
  }
  const Outcome text = run_tool(with(with({"fuse", "-a", arch, "-o", "edp"}, model), slow));
  EXPECT_THAT(text.out, AllOf(HasSubstr("times less edp"), HasSubstr("has less edp")));
}

TEST_F(CliFuseBlocks, FusesConvolutionsWithPaddingInTime) {
  const Json one = testing::json_of(with(words, {"-o", "edp"}));
  EXPECT_TRUE(one["proven"]);
  EXPECT_LT(one["value"].get<double>(), one["unfused_value"].get<double>());
  // Unfused, what map finds for the product of the network.
  const Json alone = testing::json_of({"map", "-a", arch, "--model", network, "-o", "edp"});
  const double edp =
      alone["totals"]["energy_pj"].get<double>() * alone["totals"]["cycles"].get<double>();
  EXPECT_NEAR(edp, one["unfused_value"].get<double>(), 1e-6 * edp);
  const Outcome proof =
      run_tool(with(words, {"-o", "edp", "--certificate", scratch.path("c.json")}));
  EXPECT_EQ(proof.exit_code, 2);
  EXPECT_THAT(proof.err, HasSubstr("no certificates yet of networks where time counts"));
}

TEST_F(CliFuseBlocks, MayHaveUnevenNests) {
  const Json even = testing::json_of(words), both = testing::json_of(with(words, {"--uneven"}));
  EXPECT_TRUE(both["proven"]);
  EXPECT_TRUE(both["uneven_nests"]);
  EXPECT_LE(both["energy_pj"].get<double>(), even["energy_pj"].get<double>() * (1 + 1e-12));
  EXPECT_NEAR(both["unfused_pj"].get<double>(), even["unfused_pj"].get<double>(), 1e-3);
  EXPECT_THAT(run_tool(with(words, {"--uneven"})).out, HasSubstr("of even and uneven nests"));
  const Outcome proof =
      run_tool(with(words, {"--uneven", "--certificate", scratch.path("c.json")}));
  EXPECT_EQ(proof.exit_code, 2);
  EXPECT_THAT(proof.err, HasSubstr("no certificates yet of networks with uneven nests"));
}

TEST_F(CliFuseBlocks, EndsInTimeWithWhatItHas) {
  const Json json = testing::json_of(with(words, {"--time", "1 ms", "-q"}));
  EXPECT_LE(json["energy_pj"].get<double>(), json["unfused_pj"].get<double>() * (1 + 1e-9));
  for (const Json& part : json["parts"]) EXPECT_TRUE(part["found"]);
}

// Where nothing takes energy, the product of every plan is 0.
TEST_F(CliFuseBlocks, AreTheFastestWhereNothingTakesEnergy) {
  const Words all = with(words, {"--set", "DRAM.read=0pJ", "--set", "Buffer.read=0pJ", "--set",
                                 "MAC.energy=0pJ", "--set", "DRAM.bandwidth=0.15words/cycle"});
  const Json product = testing::json_of(with(all, {"-o", "edp"}));
  const Json latency = testing::json_of(with(all, {"-o", "latency"}));
  EXPECT_EQ(product["cycles"], latency["cycles"]);
  EXPECT_LT(product["cycles"], product["unfused_cycles"]);
  EXPECT_THAT(run_tool(with(all, {"-o", "edp"})).out, HasSubstr("cycles alone tell plans apart"));
  EXPECT_THAT(run_tool(all).out, HasSubstr("1.00 times less"));
}

TEST(CliFuseNetwork, MapsAloneWhatItCannotFuse) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const Outcome list = run_tool({"fuse", "-a", arch, "--model", "ncf"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, AllOf(HasSubstr("mapped alone"), HasSubstr("a list of layers")));
  EXPECT_THAT(run_tool({"fuse", "-a", arch, "--model", "mobilenet_v2", "--time", "1 ms"}).out,
              HasSubstr("mobilenet_v2_graph has"));
  const Outcome both = run_tool({"fuse", "-a", arch, "--model", "ncf", "--cascade", "attention"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(run_tool({"fuse", "-a", arch}).exit_code, 2);
  // Where plans cannot be searched, nothing is proven about them.
  const std::string blocks = scratch.write("blocks.yaml", kBlocks);
  const Json refused =
      testing::json_of({"fuse", "-a", arch, "--model", blocks, "--shared", "Registers"});
  EXPECT_FALSE(refused["proven"]);
  EXPECT_FALSE(refused["parts"][0]["fused"]);
  EXPECT_EQ(refused["bound_pj"], 0);
  const Outcome onnx = run_tool({"fuse", "-a", arch, "--model", "bert.onnx"});
  EXPECT_EQ(onnx.exit_code, 2);
  EXPECT_THAT(onnx.err, HasSubstr("tilewright import onnx bert.onnx"));
  const Outcome none = run_tool({"fuse", "-a", arch, "--model", "nfc"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("did you mean ncf?"));
}

}  // namespace
}  // namespace tilewright::cli
