// The networks that ship, against figures that others published.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/checkout.h"
#include "tilewright/io.h"

namespace tilewright::io {
namespace {

Network network(const std::string& name) {
  const auto parsed = load_network(name);
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Network{});
}

TEST(BuiltinNetworks, AreTheFilesOfTheFolder) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(checkout_folder() + "/models")) {
    ++files;
    EXPECT_EQ(load_network(entry.path().string()).value, network(entry.path().stem().string()));
  }
  EXPECT_EQ(files, builtin_networks().size());
}

TEST(BuiltinNetworks, SayWhatTheyAre) {
  for (const BuiltinFile& builtin : builtin_networks()) {
    const Network read = network(builtin.name);
    EXPECT_EQ(read.name, builtin.name);
    EXPECT_NE(read.description, "") << builtin.name;
    EXPECT_NE(read.source, "") << builtin.name;
    for (const Layer& layer : read.layers) EXPECT_NE(layer.source, "") << layer.workload.name;
  }
}

TEST(BuiltinNetworks, HaveTheirLayers) {
  struct Row {
    const char* name;
    std::int64_t layers;
    std::size_t distinct;
  };
  const Row table[] = {
      {"alexnet", 5 + 3, 8},                  // convolutions, fully connected layers
      {"vgg16", 13 + 3, 12},                  //
      {"resnet50", 1 + 3 * 16 + 4 + 1, 24},   // 16 blocks, 4 shortcuts with a convolution
      {"resnext50", 1 + 3 * 16 + 4 + 1, 25},  //
      {"mobilenet_v2", 1 + 2 + 3 * 16 + 1 + 1, 31},
      {"resnet50_graph", 1 + 3 * 16 + 4 + 1, 30},
      {"mobilenet_v2_graph", 1 + 2 + 3 * 16 + 1 + 1, 38},
      {"bert_large_graph", 24 * (4 + 2 * 16 + 2), 8},
      {"deepbench", 76, 76},
      {"deepbench_inference", 56 + 84, 140},  // convolutions, matrix products
      {"resnet18", 1 + 2 * 8 + 3 + 1, 12},    // 8 blocks, 3 shortcuts with a convolution
      {"vit_b16", 1 + 12 * (4 + 2 * 12 + 2) + 1, 7},
      {"gpt2_1k", 12 * (4 + 2 * 12 + 2) + 1, 6},
      {"quickflow", 20, 20},
      {"bert_base", 12 * (4 + 2 * 12 + 2), 5},
      {"llama3.2_1b_1k", 16 * (1 + 2 + 2 * 32 + 1 + 2 + 1) + 1, 8}};
  for (const Row& row : table) {
    EXPECT_EQ(layer_count(network(row.name)), row.layers) << row.name;
    EXPECT_EQ(network(row.name).layers.size(), row.distinct) << row.name;
  }
}

// What torchvision states with its pre-trained weights ("_ops", GFLOPS in its
// tables), counting a multiply-accumulate as one operation.
TEST(BuiltinNetworks, HaveThePublishedMultiplyAccumulatesPerImage) {
  struct Row {
    const char* name;
    double giga;
  };
  const Row table[] = {{"alexnet", 0.714},         {"vgg16", 15.470},
                       {"resnet50", 4.089},        {"resnext50", 4.230},
                       {"mobilenet_v2", 0.301},    {"mobilenet_v3", 0.217},
                       {"mnasnet", 0.314},         {"resnet18", 1.814},
                       {"efficientnet_b0", 0.386}, {"convnext_t", 4.456},
                       {"vit_b16", 17.564},        {"swin_t", 4.491},
                       {"resnet50_graph", 4.089},  {"mobilenet_v2_graph", 0.301}};
  for (const Row& row : table) {
    const auto macs = static_cast<double>(multiply_accumulates(network(row.name)));
    EXPECT_NEAR(macs / 1e9, row.giga, 0.0005) << row.name;
  }
}

// Outside attention every weight is used once per token; the vocabulary is not
// among them. Parameters without embeddings: the cards of Qwen3; Llama's total
// less its embeddings.
TEST(BuiltinNetworks, HaveThePublishedNumbersOfParameters) {
  struct Row {
    const char* name;
    std::int64_t tokens;
    double giga, tolerance;
  };
  const Row table[] = {{"qwen3_0.6b_1k", 1024, 0.44, 0.005},
                       {"qwen3_32b_32k", 32768, 31.2, 0.05},
                       {"llama3.2_1b_8k", 8192, 1.236 - 0.263, 0.002},
                       {"llama3.3_70b_128k", 131072, 70.55 - 2 * 1.05, 0.05},
                       {"bert_base", 512, 0.085, 0.0005},
                       {"bert_large", 512, 0.302, 0.001},
                       {"gpt2_1k", 1024, 0.124 - 0.039, 0.0005}};
  for (const Row& row : table) {
    double macs = 0;
    for (const Layer& layer : network(row.name).layers) {
      const bool attention = layer.name == "attn_score" || layer.name == "attn_context";
      if (attention || layer.name == "lm_head") continue;
      macs += static_cast<double>(layer.count * multiply_accumulates(layer.workload));
    }
    EXPECT_NEAR(macs / static_cast<double>(row.tokens) / 1e9, row.giga, row.tolerance) << row.name;
  }
}

// The graphs of the language models compute what the lists do, which follow GOMA's types.
TEST(BuiltinNetworks, HaveTheMultiplyAccumulatesOfTheirListsAsGraphs) {
  struct Row {
    const char* graph;
    std::int64_t tokens;
    const char* list;
  };
  const Row table[] = {{"llama3.2_1b", 1024, "llama3.2_1b_1k"},
                       {"llama3.2_1b", 32768, "llama3.2_1b_32k"},
                       {"llama3.3_70b", 2048, "llama3.3_70b_2k"},
                       {"llama3.3_70b", 131072, "llama3.3_70b_128k"},
                       {"qwen3_0.6b", 8192, "qwen3_0.6b_8k"},
                       {"qwen3_32b", 32768, "qwen3_32b_32k"},
                       {"gpt2", 1024, "gpt2_1k"},
                       {"bert_large_graph", 512, "bert_large"}};
  for (const Row& row : table) {
    const auto graph = load_network(row.graph, {"tokens=" + std::to_string(row.tokens)});
    EXPECT_EQ(multiply_accumulates(graph.value.value()), multiply_accumulates(network(row.list)))
        << row.list;
  }
}

// A weight is what no operator writes, apart from the input.
double giga_parameters(const Network& network) {
  double parameters = 0;
  const Graph& graph = network.graph;
  for (int e = 0; e < std::ssize(graph.edges); ++e) {
    const Edge& edge = graph.edge(EdgeId{e});
    if (writer_of(graph, EdgeId{e}) || edge.name == "x") continue;
    parameters += static_cast<double>(checked_product(edge.shape).value() *
                                      repetitions(graph, edge.block).value());
  }
  return parameters / 1e9;
}

// Mixtral of Experts, section 2: 46.7 billion parameters, of which a token uses 12.9 billion;
// both count an embedding of 32,000 by 4,096, which the network leaves out.
TEST(BuiltinNetworks, HaveTheParametersOfMixtral) {
  const double embedding = 32000.0 * 4096 / 1e9;
  EXPECT_NEAR(giga_parameters(network("mixtral_8x7b")) + embedding, 46.7, 0.05);
  const auto decode = load_network("mixtral_8x7b", {"tokens=1"});
  EXPECT_NEAR(giga_parameters(decode.value.value()) + embedding, 12.9, 0.05);
  EXPECT_EQ(pick_layer(*decode.value, "expert_up").value->count, 2 * 32);
}

// The checkpoint has 129,135,360 parameters. The network leaves out, in each of 24 layers, A (1536
// x 16), D, two biases (1536 each) and a norm (768), and the last norm; the vocabulary is shared.
TEST(BuiltinNetworks, HaveTheParametersOfMamba) {
  const double left_out = 24 * (1536 * 16 + 3 * 1536 + 768) + 768;
  EXPECT_DOUBLE_EQ(giga_parameters(network("mamba_130m")) * 1e9, 129'135'360 - left_out);
}

// The U-Net of Stable Diffusion 1 put together of blocks as the public configuration has them. The
// weights of the transformers are those of the network that ships; biases, norms and the
// convolutions between the blocks are counted here.
class UNet {
 public:
  static constexpr std::int64_t kTime = 1280;

  static std::int64_t filter(std::int64_t from, std::int64_t to) { return 9 * from * to + to; }

  static std::int64_t residual(std::int64_t from, std::int64_t to) {
    const std::int64_t norms = 2 * from + 2 * to;
    const std::int64_t shortcut = from == to ? 0 : from * to + to;
    return norms + filter(from, to) + kTime * to + to + filter(to, to) + shortcut;
  }

  static std::int64_t transformer(std::int64_t channels) {
    const auto block =
        load_network("stable_diffusion_block", {"channels=" + std::to_string(channels)});
    std::int64_t weights = 0;
    const Graph& graph = block.value.value().graph;
    for (int e = 0; e < std::ssize(graph.edges); ++e) {
      const Edge& edge = graph.edge(EdgeId{e});
      const bool convolves = edge.name.starts_with("conv_") || edge.name.starts_with("time_");
      if (!edge.name.ends_with(".W") || convolves) continue;
      weights += checked_product(edge.shape).value();
    }
    constexpr std::int64_t kNorms = 2 + 3 * 2;  // over groups, three over layers
    constexpr std::int64_t kBiases =
        1 + 1 + 1 + 8 + 1 + 1;  // in, two attentions, feed-forward, out
    return weights + (kNorms + kBiases) * channels;
  }

  static std::int64_t parameters() {
    const auto down = [](std::int64_t from, std::int64_t to) {
      return residual(from, to) + residual(to, to) + 2 * transformer(to) + filter(to, to);
    };
    const auto up = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t to) {
      return residual(a, to) + residual(b, to) + residual(c, to) + 3 * transformer(to);
    };
    const std::int64_t ends = filter(4, 320) + 2 * 320 + filter(320, 4);
    const std::int64_t time = 320 * kTime + kTime + kTime * kTime + kTime;
    const std::int64_t middle = 4 * residual(1280, 1280) + transformer(1280);
    const std::int64_t first_up = 3 * residual(2560, 1280);
    return ends + time + down(320, 320) + down(320, 640) + down(640, 1280) + middle + first_up +
           2 * filter(1280, 1280) + up(2560, 2560, 1920, 1280) + up(1920, 1280, 960, 640) +
           filter(640, 640) + up(960, 640, 640, 320);
  }
};

// What Hugging Face's documentation of diffusers states: 859,520,964 of "num_parameters" for the
// U-Net of version 1.5.
TEST(BuiltinNetworks, HaveTheParametersOfStableDiffusion) {
  EXPECT_EQ(UNet::parameters(), 859'520'964);
}

// QuickFlow, Table I: the kernels XVI and XVII slide over the output.
TEST(BuiltinNetworks, TransposeTwoKernelsOfQuickFlow) {
  std::vector<std::string> transposed;
  for (const Layer& layer : network("quickflow").layers) {
    const Workload& workload = layer.workload;
    if (workload.tensor(workload.output()).ranks.back().size() > 1)
      transposed.push_back(layer.name);
  }
  EXPECT_THAT(transposed, ::testing::ElementsAre("XVI", "XVII"));
}

}  // namespace
}  // namespace tilewright::io
