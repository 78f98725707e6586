#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHeading = "model,layer,op,N,M,C,P,Q,R,S";

Network read(const std::string& text) {
  auto network = read_network(text, "test.csv");
  for (const Diagnostic& problem : network.problems) ADD_FAILURE() << to_string(problem);
  return network.value.value_or(Network{});
}

std::string only_message(const std::string& text) {
  const auto network = read_network(text, "test.csv");
  EXPECT_FALSE(network.value);
  EXPECT_EQ(network.problems.size(), 1U);
  return network.problems.empty() ? "" : to_string(network.problems.front());
}

TEST(ReadNetwork, TakesWhatIsLeftOutAsOne) {
  const Network network = read(kHeading + "\nnet,a,conv,2,8,4,6,5,3,1\n");
  Conv2d conv;
  conv.batch = 2;
  conv.out_channels = 8;
  conv.in_channels = 4;
  conv.p = 6;
  conv.q = 5;
  conv.r = 3;
  EXPECT_EQ(network.name, "net");
  ASSERT_EQ(network.layers.size(), 1U);
  EXPECT_EQ(network.layers[0], (Layer{"a", make_conv2d("net/a", conv), 1, "", ""}));
}

TEST(ReadNetwork, ReadsEveryColumnInAnyOrder) {
  const Network network = read(
      "note,source,count,transposed,groups,dilation_w,dilation_h,stride_w,stride_h,S,R,Q,P,C,M,N,"
      "op,layer,model\n"
      "\"a \"\"b\"\", c\",paper,7,true,2,6,5,4,3,1,2,8,9,4,6,1,conv,l,net\n");
  Conv2d conv;
  conv.out_channels = 6;
  conv.in_channels = 4;
  conv.p = 9;
  conv.q = 8;
  conv.r = 2;
  conv.stride_h = 3;
  conv.stride_w = 4;
  conv.dilation_h = 5;
  conv.dilation_w = 6;
  conv.groups = 2;
  conv.transposed = true;
  ASSERT_EQ(network.layers.size(), 1U);
  EXPECT_EQ(network.layers[0], (Layer{"l", make_conv2d("net/l", conv), 7, "paper", "a \"b\", c"}));
}

TEST(ReadNetwork, MakesTheColumnsOfAGemmFromTheBatchAndTheImage) {
  const Network network = read(kHeading + "\nnet,fc,gemm,2,10,20,3,5,1,1\n");
  ASSERT_EQ(network.layers.size(), 1U);
  EXPECT_EQ(network.layers[0].workload, make_gemm("net/fc", 10, 2 * 3 * 5, 20));
}

TEST(ReadNetwork, GivesADepthwiseConvolutionOneChannelPerGroup) {
  const Network network = read(kHeading + ",groups\nnet,dw,dwconv,1,64,32,7,7,3,3,32\n");
  ASSERT_EQ(network.layers.size(), 1U);
  const Workload& workload = network.layers[0].workload;
  EXPECT_EQ(workload.dim(*workload.find_dim("G")).size, 32);
  EXPECT_EQ(workload.dim(*workload.find_dim("M")).size, 2);
  EXPECT_EQ(workload.dim(*workload.find_dim("C")).size, 1);
}

TEST(ReadNetwork, TakesDescriptionAndSourceFromTheCommentsAboveTheHeading) {
  const Network network = read("# One\n#  two \n# source: a paper,\n# its table\n" + kHeading +
                               "\n# no part of it\nnet,a,conv,1,1,1,1,1,1,1\n");
  EXPECT_EQ(network.description, "One\ntwo");
  EXPECT_EQ(network.source, "a paper,\nits table");
  EXPECT_EQ(network.layers.size(), 1U);
}

TEST(ReadNetwork, BearsWhatSpreadsheetsWrite) {
  const std::string marked = "\xEF\xBB\xBF" + kHeading + ",count\r\n";
  const Network network = read(marked + "\"net\" , a ,conv,1,2,1,1,1,1,1,\r\n\r\n");
  ASSERT_EQ(network.layers.size(), 1U);
  EXPECT_EQ(network.name, "net");
  EXPECT_EQ(network.layers[0].name, "a");
  EXPECT_EQ(network.layers[0].count, 1);
}

TEST(ReadNetwork, RefusesMoreMultiplyAccumulatesThanCanBeCounted) {
  const std::string row = ",gemm,1,1073741824,1073741824,1073741824,1,1,1,";  // 2^90
  const std::string fits = kHeading + ",count\nnet,a" + row + "512\nnet,b" + row + "512\n";
  EXPECT_EQ(multiply_accumulates(read(fits)), kMostMacs);
  EXPECT_THAT(only_message(fits + "net,c" + row + "1\nnet,d" + row + "1\n"),
              HasSubstr("test.csv:4:53: with this row the network has more than 2^100"));
}

TEST(ReadNetwork, SaysEverythingThatIsWrongWithTheRows) {
  const auto network = read_network(kHeading +
                                        "\nnet,a,conv,x,1,1,1,1,1,1\n"
                                        "net,b,cnov,1,1,1,0,1,1,1\n",
                                    "test.csv");
  std::vector<std::string> messages;
  for (const Diagnostic& problem : network.problems) messages.push_back(to_string(problem));
  EXPECT_THAT(messages, ElementsAre(HasSubstr("test.csv:2:12: \"x\" is not a whole number"),
                                    HasSubstr("test.csv:3:7: \"cnov\" is not a choice here"),
                                    HasSubstr("test.csv:3:18: 0 is too small")));
}

TEST(LayerCount, CountsEveryOccurrence) {
  const Network network =
      read(kHeading + ",count\nnet,a,conv,1,2,3,1,1,1,1,4\n" + "net,b,gemm,1,5,1,1,1,1,1,6\n");
  EXPECT_EQ(layer_count(network), 10);
  EXPECT_EQ(multiply_accumulates(network), 4 * 6 + 6 * 5);
}

Network three_layers() {
  return read(kHeading +
              "\nnet,0,conv,1,1,1,1,1,1,1\nnet,1,conv,1,2,1,1,1,1,1\nnet,fc,gemm,1,3,1,1,1,1,1\n");
}

TEST(PickLayer, TellsNumbersFromNamesByTheirSign) {
  const Network network = three_layers();
  EXPECT_EQ(pick_layer(network, "fc").value, network.layers[2]);
  EXPECT_EQ(pick_layer(network, "1").value, network.layers[1]);
  EXPECT_EQ(pick_layer(network, "#1").value, network.layers[0]);
  EXPECT_EQ(pick_layer(network, "#2").value, network.layers[1]);
  EXPECT_EQ(pick_layer(network, "#3").value, network.layers[2]);
}

TEST(PickLayer, ANumberThatIsNoNameIsRefusedWithBothWaysToWriteIt) {
  const auto message = [](const char* which) {
    return to_string(pick_layer(three_layers(), which).problems.at(0));
  };
  EXPECT_EQ(message("2"),
            "net: no layer is named \"2\"; write '#2' for the 2nd layer, or its name 1");
  EXPECT_EQ(message("3"),
            "net: no layer is named \"3\"; write '#3' for the 3rd layer, or its name fc");
  EXPECT_EQ(message("#4"),
            "net: there is no layer #4; write the name of a layer, such as 0, or a number from "
            "'#1' to '#3'");
}

TEST(PickLayer, SaysWhatThereIs) {
  const Network network = three_layers();
  for (const char* which :
       {"4", "-1", "+1", "1x", "", "#", "#0", "#-1", "#4", "# 1", "99999999999999999999999"}) {
    const auto layer = pick_layer(network, which);
    EXPECT_FALSE(layer.value) << which;
    ASSERT_EQ(layer.problems.size(), 1U);
    EXPECT_THAT(to_string(layer.problems[0]), HasSubstr("a number from '#1' to '#3'"));
  }
  EXPECT_EQ(
      to_string(pick_layer(network, "fcc").problems.at(0)),
      "net: no layer is named \"fcc\"; did you mean fc? write the name of a layer, such as 0, or a "
      "number from '#1' to '#3'");
}

TEST(ReadNetwork, TakesWidthsOfElementsByRole) {
  const Checked<Network> network = read_network(
      "model,layer,op,N,M,C,P,Q,R,S,input_bits,weight_bits,output_bits\n"
      "n,a,conv,1,4,4,2,2,1,1,16,4,32\n"
      "n,b,gemm,1,4,4,2,2,1,1,,,\n",
      "n.csv");
  ASSERT_TRUE(network.value) << to_string(network.problems.front());
  const auto bits = [&](std::size_t layer) {
    std::map<Role, std::int64_t> found;
    for (const Tensor& tensor : network.value->layers[layer].workload.tensors) {
      found[tensor.role] = tensor.bits;
    }
    return found;
  };
  EXPECT_EQ(bits(0), (std::map<Role, std::int64_t>{
                         {Role::Input, 16}, {Role::Weight, 4}, {Role::Output, 32}}));
  EXPECT_EQ(bits(1),
            (std::map<Role, std::int64_t>{{Role::Input, 8}, {Role::Weight, 8}, {Role::Output, 8}}));
}

}  // namespace
}  // namespace tilewright::io
