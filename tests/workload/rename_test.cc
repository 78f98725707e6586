#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"
#include "tilewright/workload.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Renaming> renamings(const std::string& line) {
  return io::read_rename_line(line, "--rename").value.value();
}

Workload read(const std::string& line) {
  return io::read_workload_line(line, "line").value.value();
}

std::string renamed(Workload workload, const std::string& line) {
  const std::vector<Diagnostic> problems = rename_dims(workload, renamings(line));
  return problems.empty() ? einsum_text(workload) : to_string(problems.front());
}

TEST(RenameDims, RenamesAllAtOnce) {
  const Workload scores = read("S[h,i,j] += Q[h,i,d]*K[h,j,d]; h=2 i=3 j=4 d=5");
  EXPECT_EQ(renamed(scores, "h=N,i=M,j=P,d=C"), "S[N,M,P] += Q[N,M,C]*K[N,P,C]");
  EXPECT_EQ(renamed(scores, " i = j , j=i"), "S[h,j,i] += Q[h,j,d]*K[h,i,d]");
  EXPECT_EQ(renamed(scores, "i=M j=P"), "S[h,M,P] += Q[h,M,d]*K[h,P,d]");
}

TEST(RenameDims, AssignsRolesAnewThatNobodyGave) {
  Workload product = read("O[m,n] += A[m,k]*B[k,n]; m=2 n=3 k=4");
  EXPECT_TRUE(rename_dims(product, renamings("m=n,n=m")).empty());
  EXPECT_EQ(roles_text(product), "A input, B weight, O output");
  Workload given = read("O[m,n] += A:weight[m,k]*B[k,n]; m=2 n=3 k=4");
  EXPECT_TRUE(rename_dims(given, renamings("m=n,n=m")).empty());
  EXPECT_EQ(roles_text(given), "A weight, B input, O output");
}

TEST(RenameDims, ComplainsAboutWhatItCannotDo) {
  const Workload gemm = make_gemm("g", 2, 3, 4);
  EXPECT_EQ(renamed(gemm, "X=M"), "--rename:1:1: g has no dimension X; its dimensions are M, N, K");
  EXPECT_EQ(renamed(gemm, "N=C,K=C"),
            "--rename:1:5: N and K would both be named C; give each of the dimensions M, N, K a "
            "name of its own");
  EXPECT_THAT(renamed(gemm, "M=N"), HasSubstr("--rename:1:1: M and N would both be named N"));
}

TEST(RenameDims, RenamesInTheLayersThatHaveTheDimension) {
  Network network;
  network.name = "net";
  network.layers = {{"a", make_gemm("a", 2, 3, 4), 1, "", ""},
                    {"b", make_conv2d("b", {}), 1, "", ""}};
  EXPECT_TRUE(rename_dims(network, renamings("K=C")).empty());
  EXPECT_TRUE(network.layers[0].workload.find_dim("C"));
  const std::vector<Diagnostic> unknown = rename_dims(network, renamings("ZZ=Y"));
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(to_string(unknown[0]),
            "--rename:1:1: net has no dimension ZZ; its dimensions are M, N, C, P, Q, R, S");
  // The first layer has no Q, the second has.
  const Network before = network;
  EXPECT_EQ(rename_dims(network, renamings("Q=P")).size(), 1U);
  EXPECT_EQ(network, before);
}

}  // namespace
}  // namespace tilewright
