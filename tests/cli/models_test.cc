#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

TEST(CliModels, ListsTheBuiltinNetworks) {
  const Outcome outcome = run_tool({"models"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(run_tool({"models", "--json"}).out);
  EXPECT_EQ(json.at("schema"), "tilewright.networks.v1");
  ASSERT_EQ(json.at("networks").size(), io::builtin_networks().size());
  for (const Json& network : json.at("networks")) {
    EXPECT_THAT(outcome.out, HasSubstr("\n  " + network.at("name").get<std::string>() + " "));
  }
}

TEST(CliModels, ShowsTheLayersOfANetwork) {
  const Outcome text = run_tool({"models", "ResNet-50"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("54 layers, 24 distinct; 4,089,184,256 MACs"));
  const Json json = Json::parse(run_tool({"models", "resnet50", "--json"}).out);
  EXPECT_EQ(json.at("schema"), "tilewright.network.v1");
  EXPECT_EQ(json.at("layers").size(), 24U);
}

TEST(CliModels, ShowsOneLayerAsAWorkload) {
  EXPECT_THAT(run_tool({"models", "alexnet", "--layer", "0"}).out, HasSubstr("alexnet/0\n"));
  EXPECT_THAT(run_tool({"models", "alexnet", "--layer", "#8"}).out, HasSubstr("alexnet/7\n"));
  const Json json = Json::parse(run_tool({"models", "alexnet", "-l", "7", "--json"}).out);
  EXPECT_EQ(json.at("macs"), 4'096'000);
}

TEST(CliModels, WritesALayerAsAFileThatReadsBack) {
  const Scratch scratch;
  const Outcome yaml = run_tool({"models", "quickflow", "-l", "XVI", "--yaml"});
  const std::string path = scratch.write("layer.yaml", yaml.out);
  EXPECT_EQ(run_tool({"workload", "show", path}).out,
            run_tool({"models", "quickflow", "-l", "XVI"}).out);
}

TEST(CliModels, TakesSizesAndWritesTheGraphBack) {
  const Scratch scratch;
  const Outcome text = run_tool({"models", "gpt2", "--size", "tokens=1", "--size", "context=512"});
  EXPECT_THAT(text.out, HasSubstr("sizes: tokens=1 context=512 batch=1 columns=1"));
  EXPECT_THAT(text.out, HasSubstr("softmax (12), add (24), gelu (12)"));
  const Outcome yaml = run_tool({"models", "gpt2", "--size", "tokens=7", "--yaml"});
  const std::string path = scratch.write("gpt2.yaml", yaml.out);
  EXPECT_EQ(run_tool({"models", path, "--yaml"}).out, yaml.out);
  const Json json = Json::parse(run_tool({"models", path, "--json"}).out);
  EXPECT_EQ(json.at("graph").at("blocks").at(1).at("repeat"), 12);
}

TEST(CliModels, SaysWhichSizesThereAre) {
  const Outcome wrong = run_tool({"models", "gpt2", "--size", "token=1"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--size token: the network has no size \"token\"; did you mean "
                                   "tokens? (its sizes are tokens, context, batch"));
  EXPECT_EQ(run_tool({"models", "--size", "tokens=1"}).exit_code, 2);
}

TEST(CliModels, MapsAGraphWithOtherSizes) {
  const Scratch scratch;
  const std::string path = scratch.write("mlp.yaml", R"(network: mlp
sizes: {tokens: 4}
tensors: {x: [8, tokens]}
operators:
  - {operator: up, gemm: {m: 16, n: tokens, k: 8}, uses: {I: x}}
  - {operator: act, elementwise: gelu, reads: [up]}
  - {operator: gate, einsum: "gate[M,N] += w2:weight[M,K] * x[K,N]", sizes: {M: 16, N: tokens, K: 8}}
)");
  const Outcome mapped =
      run_tool({"map", "--model", path, "--size", "tokens=32", "-a", "toy_array", "--json"});
  EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
  const Json json = Json::parse(mapped.out);
  EXPECT_EQ(json.at("layers").at(0).at("macs"), 16 * 32 * 8);
  EXPECT_EQ(json.at("layers").at(1).at("same_as"), 1);
  EXPECT_EQ(
      run_tool({"map", "-w", "gemm: m=1 n=1 k=1", "--size", "a=1", "-a", "toy_array"}).exit_code,
      2);
}

TEST(CliModels, ReadsAFileOfOnesOwn) {
  const Scratch scratch;
  const std::string path =
      scratch.write("mine.csv", "model,layer,op,N,M,C,P,Q,R,S\nmine,a,gemm,1,4,5,6,1,1,1\n");
  EXPECT_THAT(run_tool({"models", path}).out, HasSubstr("  1 layer, 1 distinct; 120 MACs"));
}

TEST(CliModels, SaysWhatIsWrong) {
  struct Row {
    std::vector<std::string> words;
    const char* said;
  };
  const Row table[] = {
      {{"models", "resnet5"},
       "resnet5: neither a built-in network nor a file; did you mean resnet50"},
      {{"models", "alexnet", "-l", "9"}, "alexnet: no layer is named \"9\""},
      {{"models", "alexnet", "-l", "8"},
       "alexnet: no layer is named \"8\"; write '#8' for the 8th layer, or its name 7"},
      {{"models", "--layer", "9"}, "--layer requires network"},
      {{"models", "--yaml"}, "--yaml requires network"}};
  for (const Row& row : table) {
    const Outcome outcome = run_tool(row.words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(row.said));
  }
}

}  // namespace
}  // namespace tilewright::cli
