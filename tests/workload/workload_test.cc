#include "tilewright/workload.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Workload, FindsDimensionsAndTensorsByName) {
  const Workload gemm = make_gemm("g", 4, 5, 6);
  EXPECT_EQ(gemm.find_dim("K"), DimId{2});
  EXPECT_EQ(gemm.find_dim("k"), std::nullopt);
  EXPECT_EQ(gemm.find_tensor("O"), gemm.output());
  EXPECT_EQ(gemm.find_tensor("X"), std::nullopt);
}

TEST(Workload, MultipliesAllSizesForItsMultiplyAccumulates) {
  EXPECT_EQ(multiply_accumulates(make_gemm("g", 4, 5, 6)), 120);
}

TEST(Workload, KnowsWhichDimensionsATensorCarries) {
  const Workload gemm = make_gemm("g", 4, 5, 6);
  const Tensor& weights = gemm.tensor(TensorId{0});
  EXPECT_TRUE(is_relevant(weights, DimId{0}));
  EXPECT_FALSE(is_relevant(weights, DimId{1}));
}

TEST(BoxExtent, ReachesFromTheFirstToTheLastElement) {
  const Rank window = {{DimId{0}, 2}, {DimId{1}, 1}};
  EXPECT_EQ(box_extent(window, {4, 3}), 1 + 2 * 3 + 2);
  EXPECT_EQ(box_extent(window, {1, 1}), 1);
  const Rank backwards = {{DimId{0}, -2}, {DimId{1}, 1}};
  EXPECT_EQ(box_extent(backwards, {4, 3}), 9);
  EXPECT_EQ(box_extent({}, {4, 3}), 1);
}

TEST(Conv2dForm, SlidesTheWindowOverTheInput) {
  const Workload conv = make_conv2d("c", {.batch = 1,
                                          .in_channels = 3,
                                          .out_channels = 64,
                                          .p = 112,
                                          .q = 110,
                                          .r = 7,
                                          .s = 5,
                                          .stride_h = 2,
                                          .stride_w = 1,
                                          .dilation_h = 1,
                                          .dilation_w = 3});
  EXPECT_EQ(einsum_text(conv), "O[N,M,P,Q] += I[N,C,2*P+R,Q+3*S]*W[M,C,R,S]");
  EXPECT_EQ(conv.dim_count(), 7);
  EXPECT_EQ(conv.dims[0], (Dimension{"N", 1}));
  EXPECT_EQ(conv.dims[3], (Dimension{"P", 112}));
  EXPECT_EQ(conv.tensors[0].role, Role::Input);
  EXPECT_EQ(conv.tensors[1].role, Role::Weight);
  EXPECT_EQ(conv.tensors[2].role, Role::Output);
  EXPECT_TRUE(problems_of(conv).empty());
}

TEST(Conv2dForm, GivesGroupsADimensionOfTheirOwn) {
  const Workload conv = make_conv2d(
      "c", {.in_channels = 8, .out_channels = 16, .p = 2, .q = 2, .r = 3, .s = 3, .groups = 4});
  EXPECT_EQ(einsum_text(conv), "O[N,G,M,P,Q] += I[N,G,C,P+R,Q+S]*W[G,M,C,R,S]");
  EXPECT_EQ(conv.dims[1], (Dimension{"G", 4}));
  EXPECT_EQ(conv.dims[2], (Dimension{"M", 4}));
  EXPECT_EQ(conv.dims[3], (Dimension{"C", 2}));
}

TEST(Conv2dForm, SlidesTheWindowOverTheOutputWhenTransposed) {
  const Workload conv =
      make_conv2d("c", {.in_channels = 8, .out_channels = 4, .stride_h = 2, .transposed = true});
  EXPECT_EQ(einsum_text(conv), "O[N,M,2*P+R,Q+S] += I[N,C,P,Q]*W[M,C,R,S]");
}

TEST(MatrixForms, PutTheWeightFirst) {
  EXPECT_EQ(einsum_text(make_gemm("g", 2, 3, 4)), "O[M,N] += W[M,K]*I[K,N]");
  EXPECT_EQ(einsum_text(make_batched_matmul("b", 5, 2, 3, 4)), "O[B,M,N] += W[B,M,K]*I[B,K,N]");
  EXPECT_EQ(make_gemm("g", 2, 3, 4).tensors[0].role, Role::Weight);
}

TEST(EinsumText, WritesNegativeAndLeadingCoefficients) {
  Workload workload = make_gemm("g", 2, 3, 4);
  workload.tensors[0].ranks = {{{DimId{0}, -1}, {DimId{2}, -3}}, {{DimId{1}, 1}, {DimId{0}, 2}}};
  EXPECT_EQ(einsum_text(workload), "O[M,N] += W[-M-3*K,N+2*M]*I[K,N]");
}

}  // namespace
}  // namespace tilewright
