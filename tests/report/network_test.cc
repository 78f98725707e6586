#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tilewright/report.h"

namespace tilewright::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Network example() {
  Conv2d conv;
  conv.in_channels = 3;
  conv.out_channels = 64;
  conv.p = conv.q = 10;
  conv.r = conv.s = 3;
  Conv2d strided = conv;
  strided.stride_h = strided.stride_w = 2;
  Conv2d transposed = conv;
  transposed.transposed = true;
  return {"net",
          "What it is,\nand more.",
          "a paper",
          {{"plain", make_conv2d("plain", conv), 1, "", ""},
           {"strided", make_conv2d("strided", strided), 1, "", ""},
           {"transposed", make_conv2d("transposed", transposed), 1, "", ""},
           {"fc", make_gemm("fc", 1000, 1, 2048), 3, "its table", "a note"},
           {"one", make_gemm("one", 1, 1, 1), 1, "", ""}}};
}

TEST(NetworkText, ShowsShapesAndWindows) {
  EXPECT_THAT(network_text(example()),
              AllOf(HasSubstr("  1  plain       M=64 C=3 P=10 Q=10 R=3 S=3                   "),
                    HasSubstr("  2  strided     M=64 C=3 P=10 Q=10 R=3 S=3; I: 2*P+R, 2*Q+S"),
                    HasSubstr("  3  transposed  M=64 C=3 P=10 Q=10 R=3 S=3; O: P+R, Q+S"),
                    HasSubstr("  4  fc          M=1000 K=2048 "),
                    HasSubstr("  5  one         all sizes 1 ")));
}

TEST(NetworkText, CountsEveryOccurrence) {
  EXPECT_THAT(network_text(example()), AllOf(HasSubstr("  7 layers, 5 distinct; 6,662,401 MACs\n"),
                                             HasSubstr("2,048,000      3         92.2 %\n")));
}

TEST(NetworkText, SaysWhatItIs) {
  EXPECT_THAT(network_text(example()),
              HasSubstr("net\n  What it is,\n  and more.\n  source: a paper\n  7 layers"));
  Network bare = example();
  bare.description = bare.source = "";
  EXPECT_THAT(network_text(bare), HasSubstr("net\n  7 layers"));
}

TEST(NetworkList, HasALineForEach) {
  EXPECT_THAT(network_list({example()}, false),
              AllOf(HasSubstr("  net           7         5  6,662,401  a paper\n"),
                    Not(HasSubstr("What it is"))));
}

TEST(NetworkJson, HasTheSameFigures) {
  const auto json = nlohmann::json::parse(network_json(example()));
  EXPECT_EQ(json.at("schema"), "tilewright.network.v1");
  EXPECT_EQ(json.at("layer_count"), 7);
  EXPECT_EQ(json.at("distinct_layers"), 5);
  EXPECT_EQ(json.at("macs"), 6'662'401);
  const auto& layer = json.at("layers").at(3);
  EXPECT_EQ(layer.at("name"), "fc");
  EXPECT_EQ(layer.at("count"), 3);
  EXPECT_EQ(layer.at("source"), "its table");
  EXPECT_EQ(layer.at("note"), "a note");
  EXPECT_EQ(layer.at("workload").at("macs"), 2'048'000);
  const auto list = nlohmann::json::parse(network_list({example()}, true));
  EXPECT_EQ(list.at("networks").at(0).at("macs"), 6'662'401);
}

}  // namespace
}  // namespace tilewright::report
