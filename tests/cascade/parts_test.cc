// Networks cut into cascades.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/cascade.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Names = std::vector<std::string>;

Network read(const std::string& text) {
  auto network = io::read_network(text, "network");
  EXPECT_TRUE(network.ok()) << to_string(network.problems.front());
  return std::move(*network.value);
}

// The names of the contractions of each part.
std::vector<Names> names_in(const NetworkParts& made) {
  std::vector<Names> parts;
  for (const NetworkPart& part : made.parts) {
    parts.emplace_back();
    for (const CascadeEinsum& einsum : part.cascade.einsums) {
      parts.back().push_back(einsum.workload.name);
    }
  }
  return parts;
}

std::string reason_of(const Network& network, const NetworkParts& made, const std::string& name) {
  for (const NetworkCut& cut : made.cuts) {
    if (network.graph.operators[cut.op].name == name) return cut.reason;
  }
  return "";
}

TEST(NetworkParts, OfLlamaAreItsBlockWithoutTheCache) {
  const Network network = *io::load_network("llama3.2_1b").value;
  const NetworkParts made = parts_of(network);
  EXPECT_THAT(names_in(made),
              ElementsAre(Names{"attn_q_proj", "attn_score", "attn_context", "attn_output",
                                "mlp_gate", "mlp_up", "mlp_down"},
                          Names{"attn_k_proj"}, Names{"attn_v_proj"}, Names{"lm_head"}));
  const NetworkPart& block = made.parts[0];
  EXPECT_EQ(block.count, 16);
  EXPECT_EQ(einsum_text(block.cascade.workload(0)),
            "attn_q_proj[H,G,K2,N] += attn_q_proj_W[H,G,K2,K]*attn_norm[K,N]");
  ASSERT_TRUE(block.cascade.einsums[1].then);
  EXPECT_EQ(block.cascade.einsums[1].then->function, "softmax");
  EXPECT_EQ(block.cascade.einsums[1].then->online_words, 2);
  // What the second calls M, the context, the third calls K; heads are M of the projection.
  const auto known_as = [&](int einsum, const char* dim) {
    const Workload& workload = block.cascade.workload(einsum);
    return workload.dim(*workload.find_dim(dim)).known_as;
  };
  EXPECT_EQ(known_as(2, "M"), "K");
  EXPECT_EQ(known_as(0, "H"), "M");
  EXPECT_EQ(known_as(1, "H"), "");
  EXPECT_EQ(known_as(3, "H"), "K");
  // What the network has: whole projections, and attention group by group.
  ASSERT_EQ(block.layers.size(), 7U);
  EXPECT_EQ(block.layers[0].count, 1);
  EXPECT_EQ(block.layers[0].workload.dim_count(), 3);
  EXPECT_EQ(block.layers[1].count, 8);
  EXPECT_THAT(reason_of(network, made, "attn_k_proj"), HasSubstr("keys (other)"));
  EXPECT_THAT(reason_of(network, made, "attn_output"), HasSubstr("mlp_down"));
  EXPECT_THAT(reason_of(network, made, "mlp_gate"), HasSubstr("mlp_up"));
}

TEST(NetworkParts, OfBertAreItsWholeBlock) {
  const NetworkParts made = parts_of(*io::load_network("bert_large_graph").value);
  ASSERT_THAT(names_in(made),
              ElementsAre(Names{"attn_q_proj", "attn_k_proj", "attn_v_proj", "attn_score",
                                "attn_context", "attn_output", "mlp_up", "mlp_down"}));
  EXPECT_EQ(made.parts[0].count, 24);
  EXPECT_EQ(intermediates_of(made.parts[0].cascade).size(), 7U);
}

// Rules such as "M <= 2" are about whole dimensions.
TEST(NetworkParts, AreNotCutWhereArchitecturesHaveRulesAboutLoops) {
  const Network network = *io::load_network("gpt2").value;
  Architecture arch = *io::load_architecture("toy_array").value;
  const auto with = [&](decltype(Constraint::rule) rule) {
    arch.constraints = {{name_of(arch.levels.front()), {}, std::move(rule), {}}};
    return names_in(parts_of(network, arch));
  };
  const std::vector<Names> whole = {{"attn_q_proj"},
                                    {"attn_k_proj"},
                                    {"attn_v_proj"},
                                    {"attn_score", "attn_context"},
                                    {"attn_output", "mlp_up", "mlp_down"},
                                    {"lm_head"}};
  EXPECT_EQ(with(FactorRule{"M", FactorRule::Relation::AtMost, 2}), whole);
  EXPECT_EQ(with(OrderRule{{"M"}, {}}), whole);
  EXPECT_EQ(with(UseRule{{1, 2}}), names_in(parts_of(network)));
  arch.constraints.clear();
  std::get<Memory>(arch.levels.front()).dims = {"M", "N", "K"};
  EXPECT_EQ(names_in(parts_of(network, arch)), whole);
}

TEST(NetworkParts, CountAllWorkOnce) {
  for (const char* name :
       {"llama3.2_1b", "gpt2", "mixtral_8x7b", "mamba_130m", "stable_diffusion_block", "alexnet",
        "qwen3_0.6b", "mobilenet_v2_graph", "resnet50_graph", "bert_large_graph"}) {
    const Network network = *io::load_network(name).value;
    std::int64_t macs = 0;
    for (const NetworkPart& part : parts_of(network).parts) {
      EXPECT_TRUE(problems_of(part.cascade).empty()) << name;
      for (const CascadeEinsum& einsum : part.cascade.einsums) {
        macs += part.count * multiply_accumulates(einsum.workload);
      }
      for (std::size_t e = 0; e < part.layers.size(); ++e) {
        const Layer& layer = part.layers[e];
        EXPECT_EQ(layer.count * multiply_accumulates(layer.workload),
                  multiply_accumulates(part.cascade.einsums[e].workload))
            << name << " " << layer.name;
      }
    }
    EXPECT_EQ(macs, multiply_accumulates(network)) << name;
  }
}

TEST(NetworkParts, AreWrittenAndReadAsCascades) {
  int several = 0;
  for (const char* name : {"gpt2", "mixtral_8x7b", "bert_large_graph"}) {
    for (const NetworkPart& part : parts_of(*io::load_network(name).value).parts) {
      if (part.cascade.einsum_count() < 2) continue;
      ++several;
      const auto again = io::read_cascade(io::write_cascade(part.cascade), "written");
      ASSERT_TRUE(again.ok()) << to_string(again.problems.front());
      EXPECT_EQ(*again.value, part.cascade);
    }
  }
  EXPECT_GE(several, 4);
}

TEST(NetworkParts, KeepTheWidthsOfTheirTensors) {
  const auto network = io::read_network(R"(network: wide
tensors: {x: {shape: [8, 16], bits: 16}}
operators:
  - {operator: up, gemm: {m: 32, n: 16, k: 8}, uses: {I: x}}
  - {operator: down, gemm: {m: 8, n: 16, k: 32}, uses: {I: up}}
)",
                                        "wide.yaml");
  ASSERT_TRUE(network.ok()) << to_string(network.problems.front());
  const NetworkParts parts = parts_of(*network.value);
  ASSERT_EQ(parts.parts.size(), 1U);
  const Cascade& cascade = parts.parts.front().cascade;
  const std::string text = io::write_cascade(cascade);
  EXPECT_NE(text.find("bits: {x: 16}"), std::string::npos) << text;
  const auto again = io::read_cascade(text, "written");
  ASSERT_TRUE(again.ok()) << to_string(again.problems.front());
  EXPECT_EQ(*again.value, cascade);
}

constexpr const char* kHead = "network: small\nsizes: {n: 4}\ntensors: {x: [8, n]}\noperators:\n";

Network small(const std::string& operators) { return read(kHead + operators); }

TEST(NetworkParts, PassTransposesAndAxesOfOneElement) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 6, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: r, reshape: [1, 6, n], reads: [a]}\n"
      "  - {operator: t, transpose: [2, 0, 1], reads: [r]}\n"
      "  - {operator: b, einsum: \"y[p,q] += t[p,z,k] * w:weight[k,q]\",\n"
      "     sizes: {p: n, z: 1, k: 6, q: 5}}\n");
  const NetworkParts made = parts_of(network);
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b"}));
  const Workload& reader = made.parts[0].cascade.workload(1);
  EXPECT_EQ(einsum_text(reader), "y[N,q] += a[M,N]*w[M,q]");
  EXPECT_FALSE(reader.find_dim("z"));
}

std::vector<std::string> texts_of(const NetworkPart& part) {
  std::vector<std::string> texts;
  for (const CascadeEinsum& einsum : part.cascade.einsums) {
    texts.push_back(einsum_text(einsum.workload));
  }
  return texts;
}

TEST(NetworkParts, SplitAndJoinDimensionsAsReshapesDo) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 6, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: r, reshape: [2, 3, n], reads: [a]}\n"
      "  - {operator: b, einsum: \"b[h,q,p] += r[h,e,p] * w:weight[h,e,q]\",\n"
      "     sizes: {h: 2, e: 3, p: n, q: 5}, each: [h]}\n"
      "  - {operator: t, transpose: [2, 0, 1], reads: [b]}\n"
      "  - {operator: j, reshape: [n, 10], reads: [t]}\n"
      "  - {operator: c, einsum: \"c[p,o] += j[p,k] * v:weight[k,o]\", sizes: {p: n, k: 10, o: "
      "7}}\n");
  const NetworkParts made = parts_of(network);
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b", "c"}));
  EXPECT_THAT(texts_of(made.parts[0]),
              ElementsAre("a[h,e,N] += a_W[h,e,K]*x[K,N]", "b[h,q,N] += a[h,e,N]*w[h,e,q]",
                          "c[N,o] += b[h,q,N]*v[h,q,o]"));
  ASSERT_EQ(made.parts[0].layers.size(), 3U);
  EXPECT_EQ(made.parts[0].layers[1].count, 2);
}

// 6 x 4 elements as 4 x 6: rows of what is read are no rows of what is written.
TEST(NetworkParts, CutWhereReshapesCutAcrossRows) {
  const NetworkParts made =
      parts_of(small("  - {operator: a, gemm: {m: 6, n: n, k: 8}, uses: {I: x}}\n"
                     "  - {operator: r, reshape: [4, 6], reads: [a]}\n"
                     "  - {operator: b, einsum: \"b[p,q] += r[p,k] * w:weight[k,q]\", sizes: {p: "
                     "4, k: 6, q: 5}}\n"));
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a"}, Names{"b"}));
}

// What is split and joined again on the way is whole.
TEST(NetworkParts, StayWholeWhereReshapesUndoEachOther) {
  const NetworkParts made =
      parts_of(small("  - {operator: a, gemm: {m: 6, n: n, k: 8}, uses: {I: x}}\n"
                     "  - {operator: r, reshape: [2, 3, n], reads: [a]}\n"
                     "  - {operator: s, elementwise: relu, reads: [r]}\n"
                     "  - {operator: j, reshape: [6, n], reads: [s]}\n"
                     "  - {operator: b, gemm: {m: 5, n: n, k: 6}, uses: {I: j}}\n"));
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b"}));
  EXPECT_THAT(texts_of(made.parts[0]),
              ElementsAre("a[M,N] += a_W[M,K]*x[K,N]", "b[M2,N] += b_W[M2,M]*a[M,N]"));
  EXPECT_TRUE(made.parts[0].layers.empty());
}

// A dimension that one link cuts is cut for all whom other links tie to it.
TEST(NetworkParts, SplitWhatIsTiedToASplitDimension) {
  const NetworkParts made =
      parts_of(small("  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
                     "  - {operator: b, gemm: {m: 5, n: n, k: 8}, uses: {I: a}}\n"
                     "  - {operator: r, reshape: [5, 2, 2], reads: [b]}\n"
                     "  - {operator: c, einsum: \"c[u,v,q] += r[k,u,v] * w:weight[k,q]\",\n"
                     "     sizes: {u: 2, v: 2, k: 5, q: 3}}\n"));
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b", "c"}));
  EXPECT_THAT(texts_of(made.parts[0]),
              ElementsAre("a[M,u,v] += a_W[M,K]*x[K,u,v]", "b[M2,u,v] += b_W[M2,M]*a[M,u,v]",
                          "c[u,v,q] += b[M2,u,v]*w[M2,q]"));
}

// Rows that a window goes over cannot be cut.
TEST(NetworkParts, CutWhereAWindowReadsWhatAReshapeSplits) {
  const NetworkParts made = parts_of(
      read("network: rows\ntensors: {x: [1, 3, 10, 10]}\noperators:\n"
           "  - {operator: a, conv2d: {in_channels: 3, out_channels: 4, p: 8, q: 8, r: 3, s: 3}, "
           "uses: {I: x}}\n"
           "  - {operator: r, reshape: [4, 2, 4, 8], reads: [a]}\n"
           "  - {operator: b, einsum: \"b[u,v,q,o] += r[k,u,v,q] * w:weight[k,o]\",\n"
           "     sizes: {u: 2, v: 4, q: 8, k: 4, o: 3}}\n"));
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a"}, Names{"b"}));
}

// What the next block adds is normalised; whoever is made out of it has waited for all of it.
TEST(NetworkParts, GoOnBehindShortcutsThatAreNormalised) {
  const NetworkParts made =
      parts_of(small("  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
                     "  - {operator: norm, normalize: layer_norm, axes: [0], reads: [a]}\n"
                     "  - {operator: b, gemm: {m: 6, n: n, k: 8}, uses: {I: norm}}\n"
                     "  - {operator: c, gemm: {m: 8, n: n, k: 6}, uses: {I: b}}\n"
                     "  - {operator: sum, elementwise: add, reads: [norm, c]}\n"
                     "  - {operator: d, gemm: {m: 4, n: n, k: 8}, uses: {I: sum}}\n"));
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a", "b", "c", "d"}));
}

// Which einsums of a part write what also leaves.
std::vector<bool> leaving(const NetworkPart& part) {
  std::vector<bool> all;
  for (const CascadeEinsum& einsum : part.cascade.einsums) all.push_back(einsum.leaves);
  return all;
}

TEST(NetworkParts, HandOnWhatASkipConnectionReadsToo) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: b, gemm: {m: 8, n: n, k: 8}, uses: {I: a}}\n"
      "  - {operator: sum, elementwise: add, reads: [a, b]}\n"
      "  - {operator: c, gemm: {m: 8, n: n, k: 8}, uses: {I: sum}}\n");
  const NetworkParts made = parts_of(network);
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b", "c"}));
  EXPECT_THAT(leaving(made.parts[0]), ElementsAre(true, false, false));
  EXPECT_THAT(reason_of(network, made, "a"), HasSubstr("together with what b writes"));
  EXPECT_TRUE(made.cuts[0].handed_on);
}

// Column j of b needs row j of a alone, and the sum column j of a: a loop over j would not have it.
TEST(NetworkParts, CutWhereASkipConnectionComesBackTooEarly) {
  const Network network = read(
      "network: turned\ntensors: {x: [8, 8]}\noperators:\n"
      "  - {operator: a, einsum: \"a[i,j] += x[i,k] * w:weight[k,j]\", sizes: {i: 8, j: 8, k: 8}}\n"
      "  - {operator: b, einsum: \"b[q,p] += a[p,r] * v:weight[r,q]\", sizes: {p: 8, q: 8, r: 8}}\n"
      "  - {operator: sum, elementwise: add, reads: [a, b]}\n"
      "  - {operator: c, einsum: \"c[s,t] += sum[s,u] * y:weight[u,t]\", sizes: {s: 8, t: 8, u: "
      "8}}\n");
  const NetworkParts made = parts_of(network);
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a", "b"}, Names{"c"}));
  EXPECT_THAT(reason_of(network, made, "b"), HasSubstr("in between"));
}

// d reads what b writes, beside the part, and its output goes back into it.
TEST(NetworkParts, CutWhereASkipConnectionTakesADetour) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: d, other: sort, reads: [a], shape: [8, n]}\n"
      "  - {operator: b, gemm: {m: 8, n: n, k: 8}, uses: {I: a}}\n"
      "  - {operator: sum, elementwise: add, reads: [d, b]}\n"
      "  - {operator: c, gemm: {m: 8, n: n, k: 8}, uses: {I: sum}}\n");
  const NetworkParts made = parts_of(network);
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a", "b"}, Names{"c"}));
  EXPECT_THAT(leaving(made.parts[0]), ElementsAre(true, false));
}

// Two readers in one form, and a third that cannot take it.
TEST(NetworkParts, LeaveReadersOutThatNeedAnotherForm) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: b, gemm: {m: 4, n: n, k: 8}, uses: {I: a}}\n"
      "  - {operator: r, reshape: [4, 8], reads: [a]}\n"
      "  - {operator: c, gemm: {m: 8, n: 8, k: 4}, uses: {I: r}}\n");
  const NetworkParts made = parts_of(network);
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a", "b"}, Names{"c"}));
  EXPECT_THAT(leaving(made.parts[0]), ElementsAre(true, false));
}

// Two contractions beside each other meet; the first of them is there in time.
TEST(NetworkParts, HaveGatesInside) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: gate, gemm: {m: 6, n: n, k: 8}, uses: {I: a}}\n"
      "  - {operator: open, elementwise: silu, reads: [gate]}\n"
      "  - {operator: up, gemm: {m: 6, n: n, k: 8}, uses: {I: a}}\n"
      "  - {operator: both, elementwise: mul, reads: [open, up]}\n"
      "  - {operator: down, gemm: {m: 8, n: n, k: 6}, uses: {I: both}}\n");
  EXPECT_THAT(names_in(parts_of(network)), ElementsAre(Names{"a", "gate", "up", "down"}));
}

TEST(NetworkParts, GoFromOneRepetitionToTheNext) {
  const std::string block =
      "    carry: {x: sum}\n    operators:\n"
      "      - {operator: a, gemm: {m: 4, n: n, k: 8}, uses: {I: x}}\n"
      "      - {operator: b, gemm: {m: 8, n: n, k: 4}, uses: {I: a}}\n"
      "      - {operator: sum, elementwise: add, reads: [x, b]}\n"
      "  - {operator: c, gemm: {m: 4, n: n, k: 8}, uses: {I: sum}}\n";
  const NetworkParts few = parts_of(small("  - block: twice\n    repeat: 2\n" + block));
  ASSERT_THAT(names_in(few), ElementsAre(Names{"a", "b", "a_2", "b_2", "c"}));
  EXPECT_THAT(leaving(few.parts[0]), ElementsAre(false, true, false, false, false));
  // Many repetitions are one part each.
  const NetworkParts many = parts_of(small("  - block: often\n    repeat: 20\n" + block));
  ASSERT_THAT(names_in(many), ElementsAre(Names{"a", "b"}, Names{"c"}));
  EXPECT_EQ(many.parts[0].count, 20);
}

// Repetitions with something between them that is not fused are the same part.
TEST(NetworkParts, OfRepetitionsThatAreAlikeAreOne) {
  const NetworkParts made =
      parts_of(small("  - block: blocks\n    repeat: 3\n    carry: {x: sorted}\n    operators:\n"
                     "      - {operator: a, gemm: {m: 4, n: n, k: 8}, uses: {I: x}}\n"
                     "      - {operator: b, gemm: {m: 8, n: n, k: 4}, uses: {I: a}}\n"
                     "      - {operator: sorted, other: sort, reads: [b], shape: [8, n]}\n"));
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b"}));
  EXPECT_EQ(made.parts[0].count, 3);
  EXPECT_EQ(made.cuts.size(), 1U);
}

TEST(NetworkParts, HandOnToSeveralReaders) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: norm, normalize: rms_norm, axes: [0], reads: [a]}\n"
      "  - {operator: b, gemm: {m: 4, n: n, k: 8}, uses: {I: norm}}\n"
      "  - {operator: c, gemm: {m: 6, n: n, k: 8}, uses: {I: norm}}\n");
  const NetworkParts made = parts_of(network);
  ASSERT_THAT(names_in(made), ElementsAre(Names{"a", "b", "c"}));
  EXPECT_EQ(made.parts[0].cascade.einsums[0].then->reduces, "M");
  EXPECT_EQ(intermediates_of(made.parts[0].cascade)[0].readers.size(), 2U);
}

// b and c read what a writes; c reads d, too, which needs all of b.
TEST(NetworkParts, CutWhereSomethingOutsideComesInBetween) {
  const Network network = small(
      "  - {operator: a, gemm: {m: 8, n: n, k: 8}, uses: {I: x}}\n"
      "  - {operator: b, gemm: {m: 8, n: 8, k: 4}, uses: {W: a}}\n"
      "  - {operator: d, other: sort, reads: [b], shape: [8, 8]}\n"
      "  - {operator: c, einsum: \"y[m,q] += d:weight[m,k] * a[k,q]\", sizes: {m: 8, k: 8, q: "
      "n}}\n");
  const NetworkParts made = parts_of(network);
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a"}, Names{"b"}, Names{"c"}));
  EXPECT_THAT(reason_of(network, made, "a"), HasSubstr("in between"));
}

TEST(NetworkParts, HandOnWhatIsReadWithPadding) {
  const Network network = read(
      "network: convolutions\ntensors: {x: [1, 3, 10, 10]}\noperators:\n"
      "  - {operator: a, conv2d: {in_channels: 3, out_channels: 4, p: 8, q: 8, r: 3, s: 3}, "
      "uses: {I: x}}\n"
      "  - {operator: b, conv2d: {in_channels: 4, out_channels: 4, p: 6, q: 6, r: 3, s: 3}, "
      "uses: {I: a}}\n"
      "  - {operator: c, conv2d: {in_channels: 4, out_channels: 4, p: 6, q: 6, r: 3, s: 3}, "
      "uses: {I: b}}\n"
      "  - {operator: d, conv2d: {in_channels: 4, out_channels: 4, p: 3, q: 3, r: 1, s: 1, "
      "stride: 2}, uses: {I: c}}\n");
  const NetworkParts made = parts_of(network);
  EXPECT_THAT(names_in(made), ElementsAre(Names{"a", "b", "c"}, Names{"d"}));
  EXPECT_THAT(reason_of(network, made, "c"), HasSubstr("the window of d reaches 5 values of 6"));
}

TEST(NetworkParts, OfConvolutionalNetworksGoOnBehindShortcuts) {
  const NetworkParts mobile = parts_of(*io::load_network("mobilenet_v2_graph").value);
  // Behind shortcuts parts go on until they have twelve contractions.
  std::vector<int> sizes, shortcuts;
  for (const NetworkPart& part : mobile.parts) {
    const std::vector<bool> leaves = leaving(part);
    sizes.push_back(part.cascade.einsum_count());
    shortcuts.push_back(static_cast<int>(std::count(leaves.begin(), leaves.end(), true)));
  }
  EXPECT_THAT(sizes, ElementsAre(12, 12, 12, 16, 1));
  EXPECT_THAT(shortcuts, ElementsAre(1, 2, 2, 2, 0));
  // What a projection reads comes back with what it writes.
  const NetworkParts residual = parts_of(*io::load_network("resnet50_graph").value);
  const Names expected = {"conv2_1_a",   "conv2_1_b", "conv2_1_c",   "conv2_2_a",
                          "conv2_2_b",   "conv2_2_c", "conv2_2_a_2", "conv2_2_b_2",
                          "conv2_2_c_2", "conv3_1_a", "conv3_1_b",   "conv3_1_c"};
  EXPECT_EQ(names_in(residual)[2], expected);
  std::vector<bool> behind(expected.size(), false);
  behind[2] = behind[5] = behind[8] = true;
  EXPECT_EQ(leaving(residual.parts[2]), behind);
}

}  // namespace
}  // namespace tilewright
