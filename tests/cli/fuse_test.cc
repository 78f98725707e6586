// Fused mapping from the command line.
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
using testing::with;
using testing::Words;
using Json = nlohmann::json;

constexpr const char* kArch = R"(architecture: fusing
levels:
  - {memory: DRAM, capacity: unlimited, read: 128 pJ}
  - {memory: Buffer, capacity: 524288 words, read: 3 pJ}
  - {fanout: PEs, x: {size: 16, dims: [p, f]}, y: {size: 16, dims: [m, e, p]}}
  - {memory: Registers, capacity: 64 words, read: 0.1 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";

Outcome fuse_attention(const std::string& arch, const Words& more) {
  return run_tool(with({"fuse", "-a", arch, "--cascade", "attention"}, more));
}

// 6.6895 mJ is what a prototype found with two loops over m; with one it found 7.0298.
TEST(CliFuse, FindsAttentionInTwoLoopsOverItsRows) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const Outcome outcome =
      fuse_attention(arch, {"--size", "heads=1", "--size", "tokens=8192", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "tilewright.fusion.v1");
  EXPECT_TRUE(json["proven"]);
  EXPECT_NEAR(json["energy_pj"].get<double>(), 6.6895e9, 1e5);
  EXPECT_EQ(json["bound_pj"], json["energy_pj"]);
  EXPECT_EQ(json["group_pj"].size(), 1U);
  ASSERT_EQ(json["einsums"].size(), 2U);
  int over_m = 0;
  for (const Json& loop : json["einsums"][0]["shared_loops"]) over_m += loop["dim"] == "m" ? 1 : 0;
  EXPECT_EQ(over_m, 2);
  EXPECT_EQ(json["einsums"][1]["tensors"][0]["outer_words"], 0);  // S stays on the chip
}

TEST(CliFuse, MakesOtherObjectivesSmall) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const auto fused = [&](const std::string& objective) {
    const Outcome outcome =
        fuse_attention(arch, {"--size", "heads=2", "--size", "tokens=64", "--set",
                              "DRAM.bandwidth=4 words/cycle", "--json", "--objective", objective});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json energy = fused("energy"), latency = fused("latency"), edp = fused("edp");
  EXPECT_EQ(edp["objective"], "edp");
  EXPECT_TRUE(energy["unfused_cycles"].is_null());
  EXPECT_EQ(edp["bound"], edp["value"]);
  EXPECT_EQ(latency["value"], latency["cycles"]);
  EXPECT_DOUBLE_EQ(edp["value"].get<double>(),
                   edp["energy_pj"].get<double>() * edp["cycles"].get<double>());
  EXPECT_LE(energy["energy_pj"], edp["energy_pj"]);
  EXPECT_LE(latency["cycles"], edp["cycles"]);
  EXPECT_LE(edp["cycles"], energy["cycles"]);
  const Outcome text = fuse_attention(arch, {"--size", "tokens=64", "-o", "latency"});
  EXPECT_THAT(text.out, HasSubstr("has less latency"));
}

// Scores in L1, keys and values in L2: neither memory alone is as good.
TEST(CliFuse, ChoosesAmongMemories) {
  const Scratch scratch;
  const std::string arch = "examples/two_shared_memories/arch.yaml";
  const std::string plan = scratch.path("plan.yaml");
  const Words sizes = {"--size", "heads=1", "--size", "tokens=128"};
  const auto fused = [&](const Words& more) {
    const Outcome outcome = fuse_attention(arch, with(sizes, with(more, {"--json"})));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json both = fused({"--shared", "L2,L1", "--out", plan});
  const Json outer = fused({}), inner = fused({"--shared", "L1"});
  EXPECT_THAT(both["shared_memories"], ::testing::ElementsAre("L2", "L1"));
  EXPECT_FALSE(outer.contains("shared_memories"));
  EXPECT_FALSE(outer.contains("one_memory_pj"));
  const double before = both["one_memory_pj"].get<double>();
  const double best = std::min(outer["energy_pj"].get<double>(), inner["energy_pj"].get<double>());
  EXPECT_NEAR(before, best, 1e-9 * best);
  EXPECT_LT(both["energy_pj"].get<double>(), before);
  EXPECT_EQ(both["bound_pj"], both["one_memory_pj"]);
  EXPECT_TRUE(both["proven"]);
  const Json again =
      testing::json_of(with({"eval", "-a", arch, "--cascade", "attention", "-m", plan}, sizes));
  EXPECT_NEAR(again["energy_pj"].get<double>(), both["energy_pj"].get<double>(), 1e-9 * before);
  EXPECT_THAT(
      fuse_attention(arch, with(sizes, {"--shared", "L2,L1"})).out,
      AllOf(HasSubstr("where each group has everything in one memory, L2 or L1"),
            HasSubstr("proven: no such plan"), HasSubstr("groups in L1 have all loops around"),
            HasSubstr("moved between memories, one at a time, of which nothing is proven")));
}

TEST(CliFuse, RefusesMemoriesThatItCannotChooseAmong) {
  const std::string arch = "examples/two_shared_memories/arch.yaml";
  const auto refusal = [&](const Words& more) {
    const Outcome outcome = fuse_attention(arch, more);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--shared", "L2,,L1"}), HasSubstr("\"L2,,L1\" is no list of memories"));
  EXPECT_THAT(refusal({"--shared", "L2,L2"}), HasSubstr("L2 is named twice"));
  EXPECT_THAT(refusal({"--shared", "L2,L9"}),
              HasSubstr("no memory \"L9\" to be shared; its memories are DRAM, L2"));
  EXPECT_THAT(refusal({"--shared", "L2,L3"}), HasSubstr("no memory \"L3\""));
  EXPECT_THAT(refusal({"--shared", "L2,Registers"}), HasSubstr("outside the shared memory"));
  EXPECT_THAT(refusal({"--shared", "L2,L1", "--objective", "edp"}),
              HasSubstr("for the least energy alone"));
  EXPECT_THAT(refusal({"--shared", "L2,L1", "--uneven"}), HasSubstr("leave out --uneven"));
  const Outcome network = run_tool({"fuse", "-a", arch, "--model", "gpt2", "--shared", "L2,L1"});
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_THAT(network.err, HasSubstr("groups of networks share one memory"));
}

TEST(CliFuse, ShowsWhatUnevenNestsGainWithoutFusion) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const auto fused = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--size", "heads=2", "--size", "tokens=64"});
    const Outcome outcome = fuse_attention(arch, more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const Json json = Json::parse(fused({"--uneven", "--json"}));
  EXPECT_LE(json["unfused_uneven_pj"], json["unfused_pj"]);
  const Json even = Json::parse(fused({"--json"}));
  EXPECT_TRUE(even["unfused_uneven_pj"].is_null());
  EXPECT_FALSE(even["uneven_nests"]);
  EXPECT_TRUE(json["uneven_nests"]);
  EXPECT_EQ(json["searched"], "trees");
  EXPECT_TRUE(json["proven"]);
  EXPECT_LE(json["energy_pj"], even["energy_pj"]);
  const Json timed = Json::parse(fused({"--uneven", "--json", "--objective", "edp"}));
  EXPECT_TRUE(timed["uneven_nests"]);
  EXPECT_TRUE(timed["unfused_uneven_pj"].is_number());
  EXPECT_THAT(fused({"--uneven"}), HasSubstr("no plan of even and uneven nests"));
  EXPECT_THAT(fused({"--uneven"}), HasSubstr("with uneven nests"));
}

TEST(CliFuse, WritesPlansWithUnevenNestsAndCertificatesOfThem) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const std::string plan = scratch.path("plan.yaml");
  const Words sizes = {"--size", "heads=2", "--size", "tokens=64"};
  const Words uneven = with({"--uneven", "--json", "--out", plan}, sizes);
  const Outcome fused = fuse_attention(arch, uneven);
  ASSERT_EQ(fused.exit_code, 0) << fused.err;
  EXPECT_THAT(testing::contents(plan), HasSubstr("Registers("));
  const Outcome evaluated = run_tool(
      with({"eval", "-a", arch, "--cascade", "attention", "--mapping", plan, "--json"}, sizes));
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_DOUBLE_EQ(Json::parse(evaluated.out)["energy_pj"].get<double>(),
                   Json::parse(fused.out)["energy_pj"].get<double>());
  const std::string proof = scratch.path("proof.json");
  const Outcome certified = fuse_attention(arch, with(uneven, {"--certificate", proof}));
  ASSERT_EQ(certified.exit_code, 0) << certified.err;
  const Outcome checked = run_tool({"check", proof});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("even and uneven nests with perfect factors"),
                                 HasSubstr("which is optimal")));
}

TEST(CliFuse, WritesAPlanAndShowsIt) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const std::string plan = scratch.path("plan.yaml");
  const Outcome outcome =
      fuse_attention(arch, {"--size", "heads=1", "--size", "tokens=256", "--out", plan});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("intermediates in Buffer"), HasSubstr("proven: no plan"),
                                 HasSubstr("words to and from DRAM")));
  EXPECT_THAT(testing::contents(plan), AllOf(HasSubstr("shared: Buffer"), HasSubstr("nests:")));
}

TEST(CliFuse, MapsConvolutionsAsFlatGroups) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const Outcome outcome =
      run_tool({"fuse", "-a", arch, "--cascade", "mobilenet_block", "--size", "size=4", "--size",
                "channels=2", "--set", "Buffer.capacity=256words"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("in 1 group,"), HasSubstr("proven: no plan"),
                    HasSubstr("all loops around all their einsums, one per dimension")));
  const Outcome again = fuse_attention(arch, {"--size", "heads=1", "--size", "tokens=8", "--size",
                                              "head_dim=4", "--recompute", "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("\"searched\": \"trees and flat\""));
}

TEST(CliFuse, FindsPlansWithWindowsForObjectivesWithTime) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const std::string cascade = scratch.write("c.yaml", R"(cascade: small
sizes: {c: 2, y: 9, p: 8, r: 2}
einsums:
  - A: T[c,y] += I[y] * W[c]
  - B: O[p] += T[c,p+r] * V[c,r]
)");
  const Words words = {"fuse", "-a", arch, "--cascade", cascade, "-o", "edp"};
  const Outcome found = run_tool(words);
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("times less edp"), HasSubstr("all loops around")));
  const Outcome none = run_tool(with(words, {"--certificate", scratch.path("p.json")}));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no certificates yet of flat groups where time counts"));
}

TEST(CliFuse, TakesTheFastestPlanWhereNothingTakesEnergy) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", R"(architecture: free
levels:
  - {memory: DRAM, capacity: unlimited, bandwidth: 2 words/cycle}
  - {memory: Buffer, capacity: 64 words}
  - {compute: MAC}
)");
  const std::string cascade = scratch.write("two.yaml", R"(cascade: two
sizes: {y: 10, p: 8, r: 3}
einsums:
  - A: T[y] += I[y] * W[y]
  - B: O[p] += T[p+r] * V[r]
)");
  const Words words = {"fuse", "-a", arch, "--cascade", cascade};
  const Json product = testing::json_of(with(words, {"-o", "edp"}));
  const Json latency = testing::json_of(with(words, {"-o", "latency"}));
  EXPECT_EQ(product["cycles"], latency["cycles"]);
  EXPECT_EQ(product["energy_pj"], 0);
  EXPECT_THAT(run_tool(with(words, {"-o", "edp"})).out,
              AllOf(HasSubstr("1.15 times less latency; 34 cycles"),
                    HasSubstr("all energies of free are 0")));
  EXPECT_THAT(run_tool(words).out, HasSubstr("1.00 times less"));
}

TEST(CliFuse, RefusesWhatItCannotSearch) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", kArch);
  const Outcome sums = fuse_attention(arch, {"--set", "first_sums=read"});
  EXPECT_EQ(sums.exit_code, 2);
  EXPECT_THAT(sums.err, HasSubstr("first sums are read back"));
  const Outcome small = fuse_attention(arch, {"--set", "Buffer.capacity=2words"});
  EXPECT_EQ(small.exit_code, 3);
  EXPECT_THAT(small.err, AllOf(HasSubstr("QK: no nest fits"), HasSubstr("AV: no nest fits")));
  const Outcome name = run_tool({"fuse", "-a", arch, "--cascade", "attentio"});
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_THAT(name.err, HasSubstr("did you mean attention?"));
}

}  // namespace
}  // namespace tilewright::cli
