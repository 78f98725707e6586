#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"
#include "tilewright/workload.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;

Workload read(const std::string& line) {
  const Checked<Workload> workload = io::read_workload_line(line, "line");
  EXPECT_TRUE(workload.ok()) << line;
  return workload.value.value_or(make_gemm("", 1, 1, 1));
}

struct Row {
  const char* line;
  const char* roles;
};

TEST(AssignRoles, FindsTheWeightStepByStep) {
  const Row table[] = {
      // The name of the operand.
      {"O[m,n] += X[m,k]*W[k,n]; m=2 n=2 k=2", "X input, W weight, O output"},
      {"O[m,n] += Weights[k,n]*X[m,k]; m=2 n=2 k=2", "Weights weight, X input, O output"},
      {"O[m,n] += input[m,k]*B[k,n]; m=2 n=2 k=2", "input input, B weight, O output"},
      // The dimension M, in any order and any case.
      {"O[m,n] += A[m,k]*B[k,n]; m=2 n=2 k=2", "A weight, B input, O output"},
      {"O[m,n] += B[k,n]*A[m,k]; m=2 n=2 k=2", "B input, A weight, O output"},
      {"O[M,N] += A[M,K]*B[K,N]; M=2 N=2 K=2", "A weight, B input, O output"},
      {"O[n,m,p] += A[n,c,p]*B[m,c]; n=2 m=2 p=2 c=2", "A input, B weight, O output"},
      {"O[n,m,p] += A[n,c,p+r]*B[m,c,r]; n=2 m=2 p=2 c=2 r=2", "A input, B weight, O output"},
      // The fewest dimensions of the output.
      {"Y[b,t,o] += X[b,t,i]*F[o,i]; b=2 t=2 o=2 i=2", "X input, F weight, Y output"},
      {"Y[b,f,y] += F[f,c,r]*X[b,c,y+r]; b=2 f=2 y=2 c=2 r=2", "F weight, X input, Y output"},
      // The first dimension of the output that some lack.
      {"S[h,i,j] += Q[h,i,d]*K[h,j,d]; h=2 i=2 j=2 d=2", "Q weight, K input, S output"},
      {"S[h,i,j] += K[h,j,d]*Q[h,i,d]; h=2 i=2 j=2 d=2", "K input, Q weight, S output"},
      // Nothing tells them apart.
      {"O[x] += A[x]*B[x]*C[x]; x=2", "A input, B weight, C input, O output"},
      {"O[x] += A[x,y]; x=2 y=2", "A input, O output"},
      {"O[x] += W[x,y]; x=2 y=2", "W input, O output"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(roles_text(read(row.line)), row.roles) << row.line;
  }
}

TEST(AssignRoles, LeavesRolesThatAreGiven) {
  const Row table[] = {
      {"O[m,n] += A[m,k]*B:weight[k,n]; m=2 n=2 k=2", "A input, B weight, O output"},
      {"O[m,n] += A:input[m,k]*B[k,n]; m=2 n=2 k=2", "A input, B weight, O output"},
      {"O:output[m,n] += A:weight[m,k]*B:weight[k,n]; m=2 n=2 k=2", "A weight, B weight, O output"},
      {"O[m,n] += A : input [m,k]*B:input[k,n]; m=2 n=2 k=2", "A input, B input, O output"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(roles_text(read(row.line)), row.roles) << row.line;
  }
}

TEST(AssignRoles, KnowsWhichRolesItChose) {
  const auto chosen = [](const std::string& line) {
    std::vector<bool> by_rule;
    for (const Tensor& tensor : read(line).tensors) by_rule.push_back(tensor.role_by_rule);
    return by_rule;
  };
  EXPECT_THAT(chosen("O[m,n] += A[m,k]*B[k,n]; m=2 n=2 k=2"), ElementsAre(true, true, false));
  EXPECT_THAT(chosen("O[m,n] += A[m,k]*B:weight[k,n]; m=2 n=2 k=2"),
              ElementsAre(true, false, false));
  EXPECT_THAT(chosen("gemm: m=2 n=2 k=2"), ElementsAre(false, false, false));
}

// What the short forms say by definition is what the rule would say.
TEST(AssignRoles, AgreesWithEveryShippedLayerAndShortForm) {
  std::vector<Workload> all = {make_gemm("", 2, 3, 4), make_batched_matmul("", 2, 3, 4, 5),
                               make_conv2d("", {.groups = 1, .transposed = true})};
  for (const io::BuiltinFile& builtin : io::builtin_networks()) {
    const Network network = io::load_network(builtin.name).value.value();
    for (const Layer& layer : network.layers) all.push_back(layer.workload);
  }
  EXPECT_GT(all.size(), 300U);
  for (const Workload& defined : all) {
    Workload workload = defined;
    for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
      workload.tensors[t].role_by_rule = true;
      workload.tensors[t].name = t == 0 ? "A" : "B";  // a name says nothing here
    }
    assign_roles(workload);
    for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
      EXPECT_EQ(workload.tensors[t].role, defined.tensors[t].role) << workload.name;
    }
  }
}

TEST(RoleAssignments, DealsTheSameRolesOutInEveryWay) {
  std::vector<std::string> texts;
  for (const Workload& workload : role_assignments(read("O[x] += A[x]*B[x]*C[x]; x=2"))) {
    texts.push_back(roles_text(workload));
  }
  EXPECT_THAT(texts, ElementsAre("A input, B weight, C input, O output",
                                 "A input, B input, C weight, O output",
                                 "A weight, B input, C input, O output"));
  EXPECT_EQ(role_assignments(read("O[x] += A[x]; x=2")).size(), 1U);
}

}  // namespace
}  // namespace tilewright
