// Certificates of networks: written by `fuse --model`, and checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "tilewright/certificate.h"

namespace tilewright::cli {
namespace {

using certificate::NetworkCertificate;
using certificate::PartCertificate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

constexpr const char* kArch = R"(architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, read: 128 pJ}
  - {memory: Buffer, capacity: 512 words, read: 3.25 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";

// A part that is fused and is there three times, one of a single product, and two that are the
// same.
constexpr const char* kProducts = R"(network: products
tensors: {x: [8, 16], z: [4, 16]}
operators:
  - {operator: up, gemm: {m: 32, n: 16, k: 8}, uses: {I: x}, count: 3}
  - {operator: act, elementwise: gelu, reads: [up], count: 3}
  - {operator: down, gemm: {m: 8, n: 16, k: 32}, uses: {I: act}, count: 3}
  - {operator: alone, gemm: {m: 6, n: 16, k: 4}, uses: {I: z}}
  - {operator: again, gemm: {m: 6, n: 16, k: 4}, uses: {I: z}}
)";

// Windows: plans that fuse them have flat groups.
constexpr const char* kConvolutions = R"(network: convolutions
tensors: {x: [1, 4, 8, 8]}
operators:
  - {operator: a, conv2d: {in_channels: 4, out_channels: 8, p: 8, q: 8, r: 1, s: 1}, uses: {I: x}}
  - {operator: b, conv2d: {in_channels: 8, out_channels: 4, p: 8, q: 8, r: 3, s: 3}, uses: {I: a}}
  - {operator: pool, other: pool, reads: [b], shape: [1, 4, 4, 4]}
  - {operator: c, conv2d: {in_channels: 4, out_channels: 4, p: 4, q: 4, r: 1, s: 1}, uses: {I: pool}}
)";

// There are no proofs yet of flat groups with norms.
constexpr const char* kNormalised = R"(network: normalised
tensors: {x: [1, 4, 8, 8]}
operators:
  - {operator: a, conv2d: {in_channels: 4, out_channels: 8, p: 8, q: 8, r: 1, s: 1}, uses: {I: x}}
  - {operator: norm, normalize: layer_norm, axes: [1], reads: [a]}
  - {operator: b, conv2d: {in_channels: 8, out_channels: 4, p: 8, q: 8, r: 3, s: 3}, uses: {I: norm}}
  - {operator: pool, other: pool, reads: [b], shape: [1, 4, 4, 4]}
  - {operator: c, conv2d: {in_channels: 4, out_channels: 4, p: 4, q: 4, r: 1, s: 1}, uses: {I: pool}}
)";

const std::vector<std::string> kPassing = {"--set", "Buffer.bypass=[weight]"};

struct Written {
  Outcome fused, checked;
  std::string text;
};

Written written(const char* network, const std::vector<std::string>& more = {}) {
  const Scratch scratch;
  const std::string file = scratch.path("c.json");
  std::vector<std::string> words = {"fuse",
                                    "-a",
                                    scratch.write("arch.yaml", kArch),
                                    "--model",
                                    scratch.write("network.yaml", network),
                                    "--certificate",
                                    file,
                                    "-q"};
  words.insert(words.end(), more.begin(), more.end());
  Written made;
  made.fused = run_tool(words);
  made.checked = run_tool({"check", file});
  made.text = testing::contents(file);
  return made;
}

NetworkCertificate read_back(const std::string& text) {
  return *certificate::read_network_certificate(text, "c.json").value;
}

std::string reason(const NetworkCertificate& one) {
  const certificate::NetworkOutcome outcome = certificate::check(one, 2);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

struct Change {
  const char* why;
  std::function<void(NetworkCertificate&)> make;
};

void expect_refusals(const std::string& text, const std::vector<Change>& changes) {
  ASSERT_EQ(reason(read_back(text)), "verified");
  for (const Change& change : changes) {
    NetworkCertificate changed = read_back(text);
    change.make(changed);
    EXPECT_THAT(reason(changed), HasSubstr(change.why));
  }
}

// Two heads of an attention between two projections, whose dimensions are cut.
constexpr const char* kHeads = R"(network: heads
tensors: {x: [8, 4], keys: [2, 6, 4], values: [2, 4, 6], z: [4, 16]}
operators:
  - {operator: q, gemm: {m: 8, n: 4, k: 8}, uses: {I: x}}
  - {operator: q_heads, reshape: [2, 4, 4], reads: [q]}
  - operator: score
    einsum: "scores[H,M,N] += keys:weight[H,M,K] * q_heads:input[H,K,N]"
    sizes: {H: 2, M: 6, N: 4, K: 4}
    each: [H]
  - {operator: softmax, normalize: softmax, axes: [1], reads: [scores], writes: shares}
  - operator: context
    einsum: "mixed[H,M,N] += values:weight[H,M,K] * shares:input[H,K,N]"
    sizes: {H: 2, M: 4, N: 4, K: 6}
    each: [H]
  - {operator: joined, reshape: [8, 4], reads: [mixed]}
  - {operator: output, gemm: {m: 10, n: 4, k: 8}, uses: {I: joined}}
  - {operator: alone, gemm: {m: 6, n: 16, k: 4}, uses: {I: z}}
)";

TEST(CliNetworkCertificate, ProvesPartsWithDimensionsThatAreCut) {
  const Written made = written(kHeads, {"--json"});
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(made.checked.out, AllOf(HasSubstr("no plans of them take less"),
                                      HasSubstr("1 x q+score+context+output: ")));
  const NetworkCertificate one = read_back(made.text);
  using Names = std::vector<std::string>;
  const std::vector<certificate::CutContraction> cuts = {{"q", {{"M", Names{"H", "K2"}}}, {}},
                                                         {"score", {}, {"H"}},
                                                         {"context", {}, {"H"}},
                                                         {"output", {{"K", Names{"H", "M2"}}}, {}}};
  EXPECT_TRUE(one.parts[0].cuts == cuts) << made.text;
  EXPECT_TRUE(one.parts[1].cuts.empty());
  EXPECT_TRUE(read_back(certificate::write_certificate(one)) == one);
  EXPECT_NEAR(std::stod(one.energy_pj), Json::parse(made.fused.out)["energy_pj"].get<double>(),
              1e-9 * std::stod(one.energy_pj));
}

// A text of the part whose dimensions are cut, with something else in place of what it has once or
// more.
void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  ASSERT_NE(found, std::string::npos) << from << " in " << text;
  text.replace(found, from.size(), to);
}

Change other_cascade(const char* why, const char* from, const char* to) {
  return {why, [from, to](NetworkCertificate& c) { replace(c.parts[0].plan->cascade, from, to); }};
}

TEST(CliNetworkCertificate, OtherCutsAreRefused) {
  using Certificate = NetworkCertificate;
  const auto factors = [](std::vector<std::string> names) {
    return [names](Certificate& c) { c.parts[0].cuts[0].factors["M"] = names; };
  };
  const auto together = [](std::vector<std::string> names) {
    return [names](Certificate& c) { c.parts[0].cuts[1].together = names; };
  };
  expect_refusals(
      written(kHeads).text,
      {{"the parts have it 0 times", [](Certificate& c) { c.parts[0].cuts.clear(); }},
       {"part 1: q has two dimensions that architectures know as M",
        [](Certificate& c) { c.parts[0].cuts[0].factors.clear(); }},
       {"part 1: M of q is cut into one piece", factors({"H"})},
       {"part 1: q has no dimension Z", factors({"H", "Z"})},
       {"part 1: N of q is no factor of M", factors({"H", "N"})},
       {"part 1: K2 of q stands twice", factors({"H", "K2", "K2"})},
       {"the network has 2 times the contraction", together({})},
       {"part 1: the network has no contraction that score is, with M taken together",
        together({"M"})},
       {"part 1: the network has no contraction that score is, with H, H taken together",
        together({"H", "H"})},
       {"part 1: its cascade has no contraction p to cut",
        [](Certificate& c) { c.parts[0].cuts[0].contraction = "p"; }},
       {"part 1: its cascade has no contraction q to cut, or it is cut twice",
        [](Certificate& c) { c.parts[0].cuts.push_back(c.parts[0].cuts[0]); }},
       {"part 2: mappings have contractions as they are",
        [](Certificate& c) { c.parts[1].cuts = c.parts[0].cuts; }},
       {"part 1: dimensions are cut, and the architecture has rules", [](Certificate& c) {
          replace(c.architecture, "capacity: unlimited", "capacity: unlimited\n    dims: [M]");
          c.parts[0].plan->architecture = c.architecture;
        }}});
}

TEST(CliNetworkCertificate, CascadesWithOtherCutsAreRefused) {
  expect_refusals(
      written(kHeads).text,
      {other_cascade("contraction", "K2: 4", "K2: 8"),
       other_cascade("the network has no contraction that score is, with H taken together", "H: 2",
                     "H: 4"),
       other_cascade("the network has no contraction that score is, with H taken together",
                     "keys:weight[H,", "keys:weight["),
       other_cascade("q_W of q has some of the factors of M, and not the others",
                     "q_W:weight[H,K2,", "q_W:weight[H,"),
       other_cascade("K2 is cut, and q_W has it in a window or twice", "q_W:weight[H,K2,K]",
                     "q_W:weight[H,K2+K]")});
}

// Contractions that were to be fused, and are not: as the network has them.
TEST(CliNetworkCertificate, MappingsOfPartsThatAreCutAreOfWholeContractions) {
  const Written made = written(kHeads, {"--set", "Buffer.leakage=0.25 pJ/cycle"});
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(made.checked.out,
              HasSubstr("mapped one by one: as mappings these are the best\n    1 x q: "));
  EXPECT_THAT(made.checked.out, HasSubstr("    2 x score: "));
  const NetworkCertificate one = read_back(made.text);
  ASSERT_EQ(one.parts.size(), 5U);
  EXPECT_EQ(one.bound, one.parts[4].mappings.front().bound);
}

TEST(CliNetworkCertificate, ProvesEveryPartAndTheSum) {
  const Written made = written(kProducts, {"--json"});
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  const Json fused = Json::parse(made.fused.out);
  ASSERT_TRUE(fused["proven"]);
  EXPECT_LT(fused["energy_pj"], fused["unfused_pj"]);
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(made.checked.out,
              AllOf(HasSubstr("no plans of them take less"), HasSubstr("3 x up+down: "),
                    HasSubstr("2 x alone: "), Not(HasSubstr("not proven")),
                    HasSubstr("how it is cut into parts is a rule")));
  const NetworkCertificate one = read_back(made.text);
  EXPECT_EQ(one.energy_pj, one.bound);
  EXPECT_NEAR(std::stod(one.energy_pj), fused["energy_pj"].get<double>(),
              1e-9 * std::stod(one.energy_pj));
  ASSERT_EQ(one.parts.size(), 2U);
  EXPECT_TRUE(one.parts[0].plan);
  EXPECT_EQ(one.parts[1].mappings.size(), 1U);
  EXPECT_TRUE(read_back(certificate::write_certificate(one)) == one);
}

TEST(CliNetworkCertificate, ProvesPartsWithWindows) {
  const Written made = written(kConvolutions);
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(made.checked.out,
              AllOf(HasSubstr("no plans of them take less"), HasSubstr("1 x a+b: ")));
  const NetworkCertificate one = read_back(made.text);
  ASSERT_TRUE(one.parts[0].flat);
  EXPECT_EQ(one.energy_pj, one.bound);
  EXPECT_TRUE(read_back(certificate::write_certificate(one)) == one);
  expect_refusals(made.text,
                  {{"part 1: the plan takes",
                    [](NetworkCertificate& c) {
                      c.parts[0].flat->energy_pj = c.parts[0].flat->bound = "1";
                      c.parts[1].mappings.front().energy_pj = c.parts[1].mappings.front().bound =
                          "0";
                      c.energy_pj = c.bound = "1";
                    }},
                   {"part 1: its architecture is another one",
                    [](NetworkCertificate& c) { c.parts[0].flat->architecture += "\n"; }},
                   {"part 1: there is no proof of a nest",
                    [](NetworkCertificate& c) { c.parts[0].flat->nests.clear(); }},
                   {"part 1: it has a proof, and says that it has none",
                    [](NetworkCertificate& c) { c.parts[0].unproven = "no"; }},
                   {"part 2: it has to have a proof or a bound of plans",
                    [](NetworkCertificate& c) { c.parts[1].flat = c.parts[0].flat; }},
                   {"the proven bounds of the parts are",
                    [](NetworkCertificate& c) { c.parts[0].flat->bound = "1"; }}});
}

TEST(CliNetworkCertificate, HasBoundsOfPlansThatItCannotProve) {
  const Written made = written(kNormalised);
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_THAT(made.fused.err, HasSubstr("1 of 2 kinds of parts have no proof"));
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(
      made.checked.out,
      AllOf(HasSubstr("none of their plans go below"), HasSubstr("1 x c: "),
            HasSubstr("proven: a bound; what the plan takes is what the search says, unchecked\n"
                      "    1 x a+b: ")));
  const NetworkCertificate one = read_back(made.text);
  ASSERT_TRUE(one.parts[0].bounded);
  EXPECT_THAT(one.parts[0].unproven, HasSubstr("flat groups"));
  EXPECT_NEAR(
      std::stod(one.bound),
      std::stod(one.parts[0].bounded->bound) + std::stod(one.parts[1].mappings.front().bound),
      1e-6);
  EXPECT_GT(std::stod(one.bound), 0.5 * std::stod(one.energy_pj));
  EXPECT_LE(std::stod(one.bound), std::stod(one.energy_pj));
  expect_refusals(
      made.text,
      {{"part 1: no plan takes less than",
        [](NetworkCertificate& c) {
          c.parts[0].bounded->bound = c.parts[0].bounded->energy_pj;
          c.bound = c.energy_pj;
        }},
       {"part 1: its architecture is another one",
        [](NetworkCertificate& c) { c.parts[0].bounded->architecture += "\n"; }},
       {"part 1: it does not say why", [](NetworkCertificate& c) { c.parts[0].unproven = ""; }}});
}

// Bounds, too, need a shared memory that keeps all tensors.
TEST(CliNetworkCertificate, SaysWhatIsNotProven) {
  const Written made = written(kConvolutions, kPassing);
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(made.checked.out,
              HasSubstr("not proven: what the search says, unchecked\n    1 x a+b: "));
  const NetworkCertificate one = read_back(made.text);
  // Nothing but the part that is proven is in the bound.
  EXPECT_EQ(one.bound, one.parts[1].mappings.front().bound);
  EXPECT_THAT(one.parts[0].unproven,
              AllOf(HasSubstr("no bound"), HasSubstr("Buffer does not keep all tensors")));
}

// Plans are not searched where a memory leaks: contractions of several are mapped one by one.
TEST(CliNetworkCertificate, MappingsOneByOneAreProvenAsMappings) {
  const Written made = written(kProducts, {"--set", "Buffer.leakage=0.25 pJ/cycle"});
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  EXPECT_THAT(made.checked.out,
              HasSubstr("mapped one by one: as mappings these are the best\n    3 x up+down: "));
  NetworkCertificate one = read_back(made.text);
  ASSERT_EQ(one.parts[0].mappings.size(), 2U);
  EXPECT_THAT(one.parts[0].unproven, HasSubstr("leaks"));
  one.parts[0].unproven = "";
  EXPECT_THAT(reason(one), HasSubstr("part 1: it does not say why its plans are not proven"));
}

TEST(CliNetworkCertificate, TamperedOnesAreRefused) {
  using Certificate = NetworkCertificate;
  const auto mapping = [](Certificate& c) -> certificate::Certificate& {
    return c.parts[1].mappings.front();
  };
  expect_refusals(
      written(kProducts).text,
      {{"the parts take", [](Certificate& c) { c.energy_pj += "1"; }},
       {"the proven bounds of the parts are", [](Certificate& c) { c.bound = "1" + c.bound; }},
       {"the parts have it 2 times", [](Certificate& c) { c.parts[0].count = 2; }},
       {"the network has it 0 times", [](Certificate& c) { c.parts[1].count = 0; }},
       {"the network has 3 times the contraction",
        [](Certificate& c) { c.parts.erase(c.parts.begin()); }},
       {"the parts have it 4 times", [](Certificate& c) { c.parts.push_back(c.parts[1]); }},
       {"part 1: the plan takes",
        [](Certificate& c) {
          c.parts[0].plan->energy_pj = c.parts[0].plan->bound = "1";
          c.parts[1].mappings.front().energy_pj = c.parts[1].mappings.front().bound = "0";
          c.energy_pj = c.bound = "3";
        }},
       {"part 1: its architecture is another one",
        [](Certificate& c) { c.parts[0].plan->architecture += "\n"; }},
       {"part 2: its objective is edp",
        [&](Certificate& c) { mapping(c).objective = Objective::Edp; }},
       {"part 2: its mappings are not the even ones",
        [&](Certificate& c) { mapping(c).mapspace = SpaceKind::Ruby; }},
       {"part 2: its mappings are not the even ones",
        [&](Certificate& c) { mapping(c).constraints = "- Buffer: m <= 2\n"; }},
       {"part 2: mapping: the file is empty", [&](Certificate& c) { mapping(c).mapping = ""; }},
       {"part 2: it has to have a proof or a bound of plans, proofs of mappings, or an energy",
        [](Certificate& c) { c.parts[1].plan = c.parts[0].plan; }},
       {"part 1: it has a proof, and says that it has none: no",
        [](Certificate& c) { c.parts[0].unproven = "no"; }},
       {"this is version 2; only 1 is known", [](Certificate& c) { c.version = 2; }},
       {"network", [](Certificate& c) { c.network = "network: [\n"; }},
       {"the network has 1 times the contraction",
        [](Certificate& c) { c.network = kConvolutions; }}});
}

TEST(CliNetworkCertificate, EnergiesThatAreNotProvenMakeNoBound) {
  const std::string text = written(kConvolutions, kPassing).text;
  NetworkCertificate changed = read_back(text);
  changed.parts[0].stated->energy_pj = "0";
  EXPECT_THAT(reason(changed), HasSubstr("the parts take"));
  changed.energy_pj = changed.parts[1].mappings.front().energy_pj;
  EXPECT_EQ(reason(changed), "verified");
  expect_refusals(
      text,
      {{"'-1' is not a decimal",
        [](NetworkCertificate& c) { c.parts[0].stated->energy_pj = "-1"; }},
       {"part 1: plan", [](NetworkCertificate& c) { c.parts[0].stated->plan = "plan: x\n"; }},
       {"part 1: it does not say why", [](NetworkCertificate& c) { c.parts[0].unproven = ""; }},
       {"the proven bounds of the parts are",
        [](NetworkCertificate& c) { c.bound = c.energy_pj; }}});
}

TEST(CliNetworkCertificate, SaysWhereTheFileIsNotUnderstood) {
  const std::string text = written(kProducts).text;
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t found = changed.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    changed.replace(found, from.size(), to);
    const auto again = certificate::read_network_certificate(changed, "c.json");
    return again.ok() ? "read" : to_string(again.problems.front());
  };
  EXPECT_EQ(complaint("\"count\"", "\"counts\""), "c.json:9:7: \"counts\" is not a key of a part");
  EXPECT_THAT(complaint("\"count\": 3", "\"count\": 3, \"count\": 4"), HasSubstr("stands twice"));
  EXPECT_THAT(complaint("\"count\": 3", "\"count\": -3"), HasSubstr("is not a whole number"));
  EXPECT_THAT(complaint("\"least\"", "\"architecture\""),
              HasSubstr("\"architecture\" is not a key of \"plan_proof\""));
  EXPECT_THAT(complaint("\"parts\"", "\"pieces\""),
              HasSubstr("\"pieces\" is not a key of a certificate"));
  EXPECT_THAT(complaint("\"mapping_proofs\": [", "\"mapping_proofs\": [3, "),
              HasSubstr("\"mapping_proofs\" is not an object"));
}

// Without time to prove anything the file says so, and is true.
TEST(CliNetworkCertificate, WhatThereIsNoTimeForIsNotProven) {
  const Written made = written(kProducts, {"--time", "1 ms"});
  ASSERT_EQ(made.fused.exit_code, 0) << made.fused.err;
  EXPECT_EQ(made.checked.exit_code, 0) << made.checked.err;
  const NetworkCertificate one = read_back(made.text);
  EXPECT_LE(std::stod(one.bound), std::stod(one.energy_pj));
}

}  // namespace
}  // namespace tilewright::cli
