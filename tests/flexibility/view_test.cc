// How layers are seen: docs/flexibility.md, "How a layer is seen".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/flexibility.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

std::string names_of(const Workload& workload, const std::vector<DimId>& dims) {
  std::string names;
  for (const DimId dim : dims) names += (names.empty() ? "" : ",") + workload.dim(dim).name;
  return names;
}

// "K:M C:C Y:P X:Q R:R S:S others:N", loops without dimensions left out.
std::string seen(const Workload& workload) {
  const Checked<ConvView> view = ConvView::create(workload);
  if (!view.ok()) return "refused";
  std::string text;
  for (const ConvDim loop : kAllConvDims) {
    const std::string names = names_of(workload, view.value->dims(loop));
    if (!names.empty()) text += std::string{letter_of(loop), ':'} + names + " ";
  }
  return text + "others:" + names_of(workload, view.value->others());
}

std::string unrolled(const Workload& workload, ConvDim loop) {
  return names_of(workload, ConvView::create(workload).value->unrolled_with(loop));
}

Workload line(const std::string& text) { return *io::read_workload_line(text, "line").value; }

TEST(ConvView, OfAConvolution) {
  Conv2d conv{.batch = 2, .in_channels = 3, .out_channels = 5, .p = 7, .q = 11, .r = 3, .s = 2};
  const Workload workload = make_conv2d("conv", conv);
  EXPECT_EQ(seen(workload), "K:M C:C Y:P X:Q R:R S:S others:N");
  const ConvView view = *ConvView::create(workload).value;
  EXPECT_EQ(view.size(ConvDim::K), 5);
  EXPECT_EQ(view.size(ConvDim::C), 3);
  EXPECT_EQ(view.size(ConvDim::Y), 7);
  EXPECT_EQ(view.size(ConvDim::X), 11);
  EXPECT_EQ(view.size(ConvDim::R), 3);
  EXPECT_EQ(view.size(ConvDim::S), 2);
  conv.stride_h = conv.stride_w = 2;
  conv.dilation_h = 3;
  EXPECT_EQ(seen(make_conv2d("strided", conv)), "K:M C:C Y:P X:Q R:R S:S others:N");
  conv.transposed = true;
  EXPECT_EQ(seen(make_conv2d("transposed", conv)), "K:M C:C Y:P X:Q R:R S:S others:N");
}

TEST(ConvView, OfGroupsThatBelongToTheChannels) {
  const Conv2d grouped{.in_channels = 8, .out_channels = 12, .p = 5, .q = 5, .groups = 4};
  const Workload workload = make_conv2d("grouped", grouped);
  EXPECT_EQ(seen(workload), "K:M C:G,C Y:P X:Q R:R S:S others:N");
  const ConvView view = *ConvView::create(workload).value;
  EXPECT_EQ(view.size(ConvDim::K), 3);
  EXPECT_EQ(view.size(ConvDim::C), 8);
  EXPECT_EQ(unrolled(workload, ConvDim::K), "M,G");
  EXPECT_EQ(unrolled(workload, ConvDim::C), "G,C");
  EXPECT_EQ(unrolled(workload, ConvDim::Y), "P");
}

TEST(ConvView, OfADepthwiseLayerHasItsChannelsAsC) {
  const Conv2d depthwise{.in_channels = 6, .out_channels = 6, .p = 5, .q = 5, .groups = 6};
  const ConvView view = *ConvView::create(make_conv2d("depthwise", depthwise)).value;
  EXPECT_EQ(view.size(ConvDim::K), 1);
  EXPECT_EQ(view.size(ConvDim::C), 6);
}

TEST(ConvView, OfMatrixProducts) {
  const Workload gemm = make_gemm("gemm", 5, 7, 3);
  EXPECT_EQ(seen(gemm), "K:M C:K Y:N others:");
  const ConvView view = *ConvView::create(gemm).value;
  EXPECT_EQ(view.size(ConvDim::Y), 7);
  EXPECT_EQ(view.size(ConvDim::X), 1);
  EXPECT_EQ(seen(make_batched_matmul("batched", 2, 5, 7, 3)), "K:M C:B,K Y:N others:");
  EXPECT_EQ(unrolled(make_batched_matmul("batched", 2, 5, 7, 3), ConvDim::K), "M,B");
  EXPECT_EQ(seen(line("O[m] += I[k]*W[m,k]; m=5 k=3")), "K:m C:k others:");
}

// A convolution of 1x1 without its windows.
TEST(ConvView, OfProductsWithSeveralColumns) {
  EXPECT_EQ(seen(line("O[m,p,q] += I[c,p,q]*W[m,c]; m=5 c=3 p=4 q=2")), "K:m C:c Y:p X:q others:");
  EXPECT_EQ(seen(line("O[m,p,q,n] += I[c,p,q,n]*W[m,c]; m=5 c=3 p=4 q=2 n=2")),
            "K:m C:c Y:p X:q others:n");
}

TEST(ConvView, OfAConvolutionInOneDimension) {
  EXPECT_EQ(seen(line("O[n,m,p] += I[n,c,p+r]*W[m,c,r]; n=2 m=5 c=3 p=4 r=3")),
            "K:m C:c Y:p R:r others:n");
}

TEST(ConvView, RefusesWhatIsNoProductOfAWeightAndAnInput) {
  for (const char* text :
       {"O[m,n] += A[m,k]*B[k,l]*C[l,n]; m=2 n=2 k=2 l=2", "O[m] += A[m,k]; m=2 k=2"}) {
    const auto workload = io::read_workload_line(text, "line");
    ASSERT_TRUE(workload.ok()) << to_string(workload.problems.front());
    const Checked<ConvView> view = ConvView::create(*workload.value);
    EXPECT_FALSE(view.ok()) << text;
    ASSERT_EQ(view.problems.size(), 1U);
    EXPECT_THAT(view.problems.front().message,
                HasSubstr("is not the product of one weight and one input"));
  }
}

// --- fixed tiles ----------------------------------------------------------------------

TEST(FixedTile, GivesTheInnermostDimensionsTheirShareFirst) {
  const Workload workload = make_conv2d(
      "grouped",
      {.batch = 2, .in_channels = 12, .out_channels = 8, .p = 5, .q = 5, .r = 3, .groups = 4});
  const ConvView view = *ConvView::create(workload).value;
  Flexibility flexibility;
  EXPECT_TRUE(fixed_tile(workload, view, flexibility).empty()) << "soft";
  flexibility.tile = {TileFreedom::Kind::Fixed, {1, 7, 5, 4, 9, 1}, {}};
  std::string text;
  for (const FixedDim& dim : fixed_tile(workload, view, flexibility)) {
    text += workload.dim(dim.dim).name + std::to_string(dim.extent) + (dim.cuts ? "- " : " ");
  }
  // Seven channels are two whole groups of three, and one channel is left out.
  EXPECT_EQ(text, "M1- C3 G2- P5 Q4- R3 S1 N1- ");
}

}  // namespace
}  // namespace tilewright
