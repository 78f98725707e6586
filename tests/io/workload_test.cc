#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

Workload take(const Checked<Workload>& parsed) {
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Workload{});
}

Workload read(const std::string& text) { return take(read_workload(text, "w.yaml")); }
Workload read_line(const std::string& text) { return take(read_workload_line(text, "line")); }

// Everything but the name.
void expect_same(Workload a, const Workload& b) {
  a.name = b.name;
  EXPECT_EQ(a, b) << write_workload(a) << write_workload(b);
}

TEST(ReadWorkload, BuildsAConvolutionFromItsEinsum) {
  const Workload workload = read(R"(
workload: conv1
einsum: O[N,M,P,Q] += I[N,C,2*P+R,2*Q+S] * W[M,C,R,S]
sizes: {N: 1, M: 64, C: 3, P: 112, Q: 112, R: 7, S: 7}
)");
  EXPECT_EQ(workload.name, "conv1");
  expect_same(workload, make_conv2d("", {.in_channels = 3,
                                         .out_channels = 64,
                                         .p = 112,
                                         .q = 112,
                                         .r = 7,
                                         .s = 7,
                                         .stride_h = 2,
                                         .stride_w = 2}));
}

TEST(ReadWorkload, OrdersDimensionsAsTheSizesDo) {
  const Workload workload = read("workload: w\neinsum: O[m] += A[m,k]\nsizes: {k: 2, m: 3}\n");
  EXPECT_EQ(workload.dims[0].name, "k");
  EXPECT_EQ(workload.dims[1].name, "m");
}

TEST(ReadWorkload, FindsRolesByTheRuleOrInTheEinsum) {
  const std::string sizes = "sizes: {m: 2, n: 3, k: 4}\n";
  EXPECT_EQ(roles_text(read("workload: w\neinsum: O[m,n] += A[m,k] * B[k,n]\n" + sizes)),
            "A weight, B input, O output");
  EXPECT_EQ(roles_text(read("workload: w\neinsum: O[m,n] += A[m,k] * B:weight[k,n]\n" + sizes)),
            "A input, B weight, O output");
  EXPECT_EQ(roles_text(read("workload: w\neinsum: O[m,n] += A[m,k] * B[k,n]\n" + sizes +
                            "roles: {B: weight}\n")),
            "A input, B weight, O output");
}

TEST(ReadWorkload, TakesRolesAndWidthsFromTheFile) {
  const Workload workload = read(R"(
workload: w
einsum: O[m,n] += A[m,k] * B[k,n]
sizes: {m: 2, n: 3, k: 4}
bits: {A: 4, O: 32}
roles: {A: weight, B: input, O: output}
)");
  EXPECT_EQ(workload.tensors[0].role, Role::Weight);
  EXPECT_EQ(workload.tensors[1].role, Role::Input);
  EXPECT_EQ(workload.tensors[0].bits, 4);
  EXPECT_EQ(workload.tensors[1].bits, 8);
  EXPECT_EQ(workload.tensors[2].bits, 32);
  EXPECT_EQ(read("workload: w\ngemm: {m: 1, n: 1, k: 1}\nbits: 16\n").tensors[2].bits, 16);
}

TEST(ReadWorkload, AcceptsEveryWayToWriteAnIndex) {
  const Workload workload = read(
      "workload: w\neinsum: O[] += A[ 2*p + r , -r+p*3, p - 2 * r,p+p+p-r ]\nsizes: {p: 5, r: "
      "3}\n");
  const DimId p{0}, r{1};
  const std::vector<Rank> expected = {
      {{p, 2}, {r, 1}}, {{r, -1}, {p, 3}}, {{p, 1}, {r, -2}}, {{p, 3}, {r, -1}}};
  EXPECT_EQ(workload.tensors[0].ranks, expected);
  EXPECT_TRUE(workload.tensors[1].ranks.empty());
}

TEST(ReadWorkload, ReadsTheShortForms) {
  expect_same(read("workload: w\ngemm: {m: 4, n: 5, k: 6}\n"), make_gemm("", 4, 5, 6));
  expect_same(read("workload: w\nmatmul: {batch: 3, m: 4, n: 5, k: 6}\n"),
              make_batched_matmul("", 3, 4, 5, 6));
  const Conv2d conv{.batch = 2,
                    .in_channels = 8,
                    .out_channels = 4,
                    .p = 5,
                    .q = 6,
                    .r = 3,
                    .s = 2,
                    .stride_h = 2,
                    .stride_w = 1,
                    .dilation_h = 3,
                    .dilation_w = 3,
                    .groups = 2,
                    .transposed = true};
  expect_same(read("workload: w\nconv2d: {batch: 2, in_channels: 8, out_channels: 4, p: 5, q: 6, "
                   "r: 3, s: 2, stride: [2, 1], dilation: 3, groups: 2, transposed: true}\n"),
              make_conv2d("", conv));
}

TEST(ReadWorkload, MakesAGroupOfEachChannelWhenDepthwise) {
  const std::string rest = ", p: 5, q: 5, r: 3, s: 3, depthwise: true}\n";
  expect_same(
      read("workload: w\nconv2d: {in_channels: 8" + rest),
      make_conv2d(
          "", {.in_channels = 8, .out_channels = 8, .p = 5, .q = 5, .r = 3, .s = 3, .groups = 8}));
  expect_same(
      read("workload: w\nconv2d: {in_channels: 8, out_channels: 16" + rest),
      make_conv2d(
          "", {.in_channels = 8, .out_channels = 16, .p = 5, .q = 5, .r = 3, .s = 3, .groups = 8}));
}

TEST(ReadWorkloadLine, ReadsTheSameAsAFile) {
  const Workload gemm = read_line("gemm: m=512 n=1024 k=768");
  EXPECT_EQ(gemm, make_gemm("gemm_512x1024x768", 512, 1024, 768));
  EXPECT_EQ(read_line("  matmul : batch=2, m = 3, n=4 , k=5 "),
            make_batched_matmul("matmul_2x3x4x5", 2, 3, 4, 5));
  const Workload conv =
      read_line("conv2d: in_channels=3 out_channels=64 p=112 q=112 r=7 s=7 stride=[2, 2]");
  EXPECT_EQ(conv.name, "conv2d_1x64x3x112x112x7x7");
  EXPECT_EQ(einsum_text(conv), "O[N,M,P,Q] += I[N,C,2*P+R,2*Q+S]*W[M,C,R,S]");
}

TEST(ReadWorkloadLine, NamesAContractionAfterItsOutput) {
  const Workload workload = read_line("Out[m,n] += A[m,k]*B[k,n]; m=512 n=512 k=64; bits=16");
  EXPECT_EQ(workload.name, "Out");
  EXPECT_EQ(multiply_accumulates(workload), 512 * 512 * 64);
  EXPECT_EQ(workload.tensors[0].bits, 16);
  EXPECT_EQ(read_line("gemm: m=1 n=1 k=1; bits=4").tensors[2].bits, 4);
}

TEST(ReadWorkloadLine, RefusesSeveralLines) {
  EXPECT_FALSE(read_workload_line("gemm: m=1 n=1\nk=1", "line").ok());
}

TEST(WriteWorkload, WritesTheRolesAndWhatDiffersFromTheDefaults) {
  EXPECT_EQ(write_workload(make_conv2d("c", {})),
            "workload: c\n"
            "einsum: O[N,M,P,Q] += I[N,C,P+R,Q+S]*W[M,C,R,S]\n"
            "sizes: {N: 1, M: 1, C: 1, P: 1, Q: 1, R: 1, S: 1}\n"
            "roles: {I: input, W: weight}\n");
  Workload gemm = make_gemm("g", 2, 3, 4);
  gemm.tensors[2].bits = 32;
  EXPECT_EQ(write_workload(gemm),
            "workload: g\n"
            "einsum: O[M,N] += W[M,K]*I[K,N]\n"
            "sizes: {M: 2, N: 3, K: 4}\n"
            "bits: {W: 8, I: 8, O: 32}\n"
            "roles: {W: weight, I: input}\n");
}

TEST(WriteWorkload, QuotesNamesThatYamlTakesForNothing) {
  Workload workload = make_gemm("null", 2, 3, 4);
  workload.dims[0].name = "null";
  workload.tensors[0].name = "Null";
  workload.tensors[0].bits = 3;
  EXPECT_EQ(read(write_workload(workload)), workload);
}

}  // namespace
}  // namespace tilewright::io
