// Networks as graphs: what is read, and what is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/checkout.h"
#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Network read(const std::string& text, const std::vector<std::string>& sizes = {}) {
  auto network = read_network(text, "test.yaml", sizes);
  for (const Diagnostic& problem : network.problems) ADD_FAILURE() << to_string(problem);
  return network.value.value_or(Network{});
}

std::string only_message(const std::string& text, const std::vector<std::string>& sizes = {}) {
  const auto network = read_network(text, "test.yaml", sizes);
  EXPECT_FALSE(network.value);
  EXPECT_EQ(network.problems.size(), 1U);
  return network.problems.empty() ? "" : to_string(network.problems.front());
}

const std::string kChain = R"(network: chain
sizes: {tokens: 4, columns: 2 * tokens}
tensors: {x: [8, columns]}
operators:
  - {operator: up, gemm: {m: 32, n: columns, k: 8}, uses: {I: x}}
  - {operator: act, elementwise: gelu, reads: [up]}
  - {operator: down, gemm: {m: 8, n: columns, k: 32}, uses: {I: act}}
)";

TEST(ReadGraph, HasEdgesFromWritersToReaders) {
  const Graph graph = read(kChain).graph;
  ASSERT_EQ(graph.operators.size(), 3U);
  const EdgeId up = graph.operators[0].writes;
  EXPECT_EQ(graph.edge(up).name, "up");
  EXPECT_THAT(graph.edge(up).shape, ElementsAre(32, 8));
  EXPECT_EQ(writer_of(graph, up), 0U);
  EXPECT_THAT(readers_of(graph, up), ElementsAre(1U));
  EXPECT_EQ(graph.operators[2].reads[1], graph.operators[1].writes);
  EXPECT_FALSE(writer_of(graph, graph.operators[0].reads[1]));
}

TEST(ReadGraph, MakesALayerOfEachContraction) {
  const Network network = read(kChain);
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.layers[0].workload, make_gemm("chain/up", 32, 8, 8));
  EXPECT_EQ(network.layers[1].name, "down");
  EXPECT_EQ(std::get<Contraction>(network.graph.operators[2].what).layer, 1);
}

TEST(ReadGraph, TakesOtherSizes) {
  const Network network = read(kChain, {"tokens=16"});
  EXPECT_EQ(network.layers[0].workload, make_gemm("chain/up", 32, 32, 8));
  EXPECT_EQ(network.sizes, (std::vector<NetworkSize>{{"tokens", 16}, {"columns", 32}}));
  EXPECT_EQ(read(kChain, {"columns=3 * tokens"}).layers[0].workload.dims[1].size, 12);
}

TEST(ReadGraph, SaysWhichSizesThereAre) {
  EXPECT_EQ(only_message(kChain, {"token=3"}),
            "--size token: the network has no size \"token\"; did you mean tokens? (its sizes are "
            "tokens, columns)");
  EXPECT_THAT(only_message(kChain, {"tokens"}), HasSubstr("write a name and a number"));
  EXPECT_THAT(only_message(kChain, {"tokens=0"}), HasSubstr("--size tokens: 0 is too small"));
  EXPECT_THAT(only_message("model,layer,op,N,M,C,P,Q,R,S\nn,a,gemm,1,1,1,1,1,1,1\n", {"a=1"}),
              HasSubstr("no sizes that can be set"));
}

TEST(ReadGraph, CountsRepetitionsAndDimensionsTakenOneByOne) {
  const Network network = read(R"(network: net
sizes: {heads: 12}
tensors: {q: [heads, 64, 10], x: [1]}
operators:
  - block: outer
    repeat: 3
    operators:
      - block: inner
        repeat: 5
        operators:
          - operator: score
            einsum: "s[heads,m,n] += k:weight[heads,m,d] * q[heads,d,n]"
            sizes: {m: 10, n: 10, d: 64}
            each: [heads]
            count: 2
)" + std::string("  - {operator: y, elementwise: relu, reads: [x]}\n"));
  ASSERT_EQ(network.layers.size(), 1U);
  EXPECT_EQ(network.layers[0].count, 2 * 3 * 5 * 12);
  EXPECT_EQ(einsum_text(network.layers[0].workload), "O[m,n] += W[m,d]*I[d,n]");
  EXPECT_EQ(multiply_accumulates(network), 360 * 10 * 10 * 64);
}

TEST(ReadGraph, GivesLayersThatDifferInNamesOnlyTheSameTensors) {
  const Network network = read(R"(network: net
sizes: {m: 4, n: 5, k: 6}
tensors: {x: [k, n], z: [k, n]}
operators:
  - {operator: a, einsum: "y[m,n] += wa:weight[m,k] * x[k,n]"}
  - {operator: b, einsum: "v[m,n] += wb:weight[m,k] * z[k,n]"}
)");
  Workload first = network.layers[0].workload;
  first.name = network.layers[1].workload.name;
  EXPECT_EQ(first, network.layers[1].workload);
}

TEST(ReadGraph, HasWidthsByTensor) {
  const Network network = read(R"(network: net
bits: 16
tensors: {x: {shape: [8, 4], bits: 4}}
operators:
  - {operator: y, gemm: {m: 8, n: 4, k: 8}, uses: {I: x}}
)");
  const Workload& workload = network.layers[0].workload;
  EXPECT_EQ(workload.tensors[0].bits, 16);
  EXPECT_EQ(workload.tensors[1].bits, 4);
}

// A convolution of 3x3 keeps the size of its input if that is padded by one; one of 1x1 with
// stride 2 leaves the last row and column.
TEST(ReadGraph, PadsWindows) {
  const std::string head = "network: net\ntensors: {x: [1, 3, 56, 56]}\noperators:\n";
  const auto with = [&](const std::string& conv) {
    return head + "  - {operator: y, conv2d: {in_channels: 3, out_channels: 8, " + conv +
           "}, uses: {I: x}}\n";
  };
  EXPECT_THAT(read(with("p: 56, q: 56, r: 3, s: 3")).graph.edges.back().shape,
              ElementsAre(1, 8, 56, 56));
  read(with("p: 28, q: 28, r: 1, s: 1, stride: 2"));
  EXPECT_THAT(only_message(with("p: 59, q: 56, r: 3, s: 3")),
              HasSubstr("axis 2 of x has 56 elements, but P+R of I[N,C,P+R,Q+S] needs 57 to 61"));
  EXPECT_THAT(only_message(with("p: 27, q: 28, r: 1, s: 1, stride: 2")), HasSubstr("53 to 54"));
}

TEST(ReadGraph, MayListOperatorsInAnyOrder) {
  const Network network = read(R"(network: net
tensors: {x: [4, 4]}
operators:
  - {operator: b, gemm: {m: 4, n: 4, k: 4}, uses: {I: a}}
  - {operator: a, gemm: {m: 4, n: 4, k: 4}, uses: {I: x}}
)");
  EXPECT_EQ(network.layers[0].name, "b");
  EXPECT_THAT(execution_order(network.graph).operators, ElementsAre(1U, 0U));
}

TEST(ReadGraph, KnowsWhatRepetitionsShare) {
  const Graph graph = read(R"(network: net
tensors: {x: [4, 4], table: [4, 4]}
operators:
  - block: twice
    repeat: 2
    carry: {x: y}
    operators:
      - {operator: y, gemm: {m: 4, n: 4, k: 4}, uses: {I: x}}
      - {operator: z, elementwise: add, reads: [y, table]}
)")
                          .graph;
  std::map<std::string, int> blocks;
  for (const Edge& edge : graph.edges) blocks[edge.name] = edge.block;
  EXPECT_EQ(blocks,
            (std::map<std::string, int>{{"x", 0}, {"table", 0}, {"y", 1}, {"y.W", 1}, {"z", 1}}));
  ASSERT_EQ(graph.blocks[1].carries.size(), 1U);
  EXPECT_EQ(graph.edge(graph.blocks[1].carries[0].from).name, "y");
  EXPECT_EQ(graph.edge(graph.blocks[1].carries[0].to).name, "x");
}

// Frameworks name tensors by paths, and may use any character.
TEST(WriteNetwork, GivesNamesOfTensorsBackAsTheyAre) {
  const Network network = read(R"(network: net
tensors: {"/model/x:0": [4, 5], "null": {shape: [4], bits: 32}}
operators:
  - operator: first
    einsum: "O[M,N] += W:weight[M,K] * I[K,N]"
    sizes: {M: 6, N: 5, K: 4}
    uses: {I: "/model/x:0", W: "layers.0.weight, \"q\"", O: "täten\\ [1]"}
  - {operator: cut, other: split, shape: [4], reads: ["täten\\ [1]", "null"], writes: "1"}
)");
  EXPECT_EQ(network.graph.edges[0].name, "layers.0.weight, \"q\"");
  EXPECT_EQ(network.graph.edges[2].name, "täten\\ [1]");
  EXPECT_EQ(read(write_network(network)), network);
}

TEST(ReadGraph, TakesMoreThanOtherFilesMayHave) {
  std::string text = kChain + "  - {operator: sum, elementwise: add, reads: [up";
  for (int i = 0; i < 100'000; ++i) text += ", up";
  text += "]}\n  # " + std::string(kMaxTextBytes, ' ');
  EXPECT_EQ(read(text).graph.operators.size(), 4U);
  text += std::string(kMaxNetworkBytes, ' ');
  EXPECT_THAT(only_message(text), HasSubstr("bytes are more than the limit of 16 MiB"));
}

TEST(WriteNetwork, GivesEveryShippedNetworkBack) {
  for (const BuiltinFile& builtin : builtin_networks()) {
    const Network network = load_network(builtin.name).value.value();
    EXPECT_EQ(read(write_network(network)), network) << builtin.name;
  }
}

TEST(WriteNetwork, WritesAListOfLayersAsOperators) {
  Network network;
  network.name = "list";
  network.layers.push_back({"a b", make_gemm("list/a b", 4, 5, 6), 3, "here", "so: #1"});
  const Network again = read(write_network(network));
  EXPECT_EQ(again.layers, network.layers);
  EXPECT_EQ(again.graph, unconnected(network.layers));
}

// The page shows a network, and a block that could stand in one.
TEST(ReadGraph, ReadsWhatThePageShows) {
  std::ifstream page(checkout_folder() + "/docs/networks.md");
  std::vector<std::string> shown;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (inside && line != "```") shown.back() += line + "\n";
    if (line == "```yaml") shown.emplace_back();
    inside = line == "```yaml" || (inside && line != "```");
  }
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(multiply_accumulates(read(shown[0])), 2LL * 4 * 768 * 768 * 1024);
  const Network block = read("network: net\ntensors: {x: [64, 4]}\noperators:\n" + shown[1]);
  EXPECT_EQ(block.layers[0].count, 16);
}

TEST(RenameDims, ReachesTheGraph) {
  Network network = read(kChain);
  EXPECT_TRUE(rename_dims(network, {{"K", "c", {}}}).empty());
  EXPECT_EQ(mapped_part(std::get<Contraction>(network.graph.operators[2].what)),
            network.layers[1].workload);
}

}  // namespace
}  // namespace tilewright::io
