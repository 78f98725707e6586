#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"
#include "tilewright/mapping.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Workload workload(const std::string& line) {
  const Checked<Workload> read = io::read_workload_line(line, "line");
  EXPECT_TRUE(read.ok()) << line;
  return read.value.value_or(make_gemm("", 1, 1, 1));
}

Architecture arch(const std::string& name) { return io::load_architecture(name).value.value(); }

// An array of 8 x 4 with these dims along y, and a memory that keeps these tensors.
Architecture array(const std::string& dims, const std::string& keep = "") {
  const Checked<Architecture> read = io::read_architecture(
      "architecture: mine\nlevels:\n  - {memory: DRAM, capacity: unlimited, read: 2 pJ}\n"
      "  - {memory: Buffer, capacity: 64 words" +
          keep + "}\n  - {fanout: PEs, y: {size: 8, dims: " + dims +
          "}, x: {size: 4}}\n  - compute: MAC\n",
      "mine");
  EXPECT_TRUE(read.ok());
  return read.value.value();
}

TEST(Remarks, AreNoneWhereNothingIsOdd) {
  EXPECT_THAT(remarks_on(make_gemm("g", 8, 8, 8), arch("gemmini")), IsEmpty());
  EXPECT_THAT(remarks_on(make_conv2d("c", {.in_channels = 4, .out_channels = 4, .p = 4, .q = 4}),
                         arch("eyeriss")),
              IsEmpty());
}

TEST(Remarks, TellRolesWhereTheArchitectureTellsThemApart) {
  const Workload open = workload("O[M,N] += A[M,K]*B[K,N]; M=8 N=8 K=8");
  EXPECT_THAT(remarks_on(open, array("[M]")), IsEmpty());
  EXPECT_THAT(remarks_on(open, array("[M]", ", keep: [input, weight]")), IsEmpty());
  for (const char* keep : {", keep: [weight]", ", bypass: [input]", ", free: [input, output]",
                           ", partitions: {weight: 8 words}"}) {
    EXPECT_THAT(remarks_on(open, array("[M]", keep)),
                ElementsAre("The workload does not say which roles its inputs have, and mine tells "
                            "inputs and weights apart: A is taken as weight, B as input "
                            "(docs/semantics.md). Write a role behind a name to choose, such as "
                            "B:weight[K,N]; map tries all of them with --roles any."))
        << keep;
  }
  const Architecture plain = array("[M]");
  const auto rule = io::read_constraint_line("Buffer: bypass input", "line", plain);
  EXPECT_EQ(remarks_on(open, plain, *rule.value).size(), 1U);
  // Named as itself, a tensor has no need of a role.
  EXPECT_THAT(remarks_on(open, array("[M]", ", keep: [A]")), IsEmpty());
  const Workload given = workload("O[M,N] += A:weight[M,K]*B:input[K,N]; M=8 N=8 K=8");
  EXPECT_THAT(remarks_on(given, array("[M]", ", keep: [weight]")), IsEmpty());
}

TEST(Remarks, TellNamesThatDifferInCase) {
  EXPECT_THAT(
      remarks_on(workload("O[m,n] += A:weight[m,k]*B:input[k,n]; m=8 n=8 k=8"), arch("gemmini")),
      ElementsAre("m, n and k are taken for M, N and K of gemmini: names of dimensions "
                  "that differ in case alone mean the same."));
  EXPECT_THAT(remarks_on(workload("O[m] += A[m]; m=8"), array("[M]")),
              ElementsAre(HasSubstr("m is taken for M of mine")));
}

TEST(Remarks, TellAxesThatCannotBeUsed) {
  const Workload gemm = make_gemm("g", 8, 8, 8);
  EXPECT_THAT(remarks_on(gemm, array("[ZZ, Q]")),
              ElementsAre("PEs.y (8 instances) cannot be used: the workload has none of ZZ, Q.",
                          AllOf(HasSubstr("mine"), HasSubstr("M, N, K"), HasSubstr("--rename"))));
  // Nothing that suits it goes by another name.
  EXPECT_THAT(remarks_on(workload("O[b] += A[b]; b=8"), array("[ZZ]")),
              ElementsAre("PEs.y (8 instances) cannot be used: the workload has none of ZZ.",
                          "To change that, put dimensions of the workload (b) into the lists of "
                          "mine, or rename some with --rename."));
  EXPECT_THAT(remarks_on(gemm, array("[]")),
              ElementsAre("PEs.y (8 instances) cannot be used: it allows no dimension."));
  EXPECT_THAT(remarks_on(make_gemm("g", 1, 8, 8), array("[M]")),
              ElementsAre("PEs.y (8 instances) cannot be used: the workload has M = 1."));
  EXPECT_THAT(remarks_on(make_gemm("g", 1, 8, 8), array("[M, K]")), IsEmpty());
}

TEST(Remarks, SuggestNamesForDimensions) {
  const Workload scores =
      workload("S[h,i,j] += Q:input[h,i,d]*K:weight[h,j,d]; h=8 i=64 j=64 d=32");
  EXPECT_THAT(
      remarks_on(scores, arch("gemmini")),
      ElementsAre("SARows.y (16 instances) cannot be used: the workload has none of M.",
                  "Accumulator can have no loop: the workload has none of C, K, P, Q, N, G, B.",
                  "SACols.x (16 instances) cannot be used: the workload has none of C, K.",
                  "Register can have no loop: the workload has none of P, N.",
                  "To change that, give dimensions the names that gemmini knows, such as --rename "
                  "i=M,d=C,j=P, or put those of the workload (h, i, j, d) into its lists."));
}

// Shipped accelerators and networks agree on the names.
TEST(Remarks, FindNoForeignNamesInShippedNetworks) {
  const Network network = io::load_network("resnet50").value.value();
  for (const char* name : {"eyeriss", "gemmini", "tpu_v1", "simba", "nvdla"}) {
    const Architecture shipped = arch(name);
    for (const Layer& layer : network.layers) {
      for (const std::string& remark : remarks_on(layer.workload, shipped)) {
        EXPECT_THAT(remark, HasSubstr(" = 1.")) << name << " " << layer.name;
      }
    }
  }
}

TEST(Remarks, SayThatAllEnergiesAreZero) {
  Architecture plain = array("[M]");
  EXPECT_THAT(remarks_on(workload("gemm: m=8 n=8 k=8"), plain), IsEmpty());
  auto& dram = std::get<Memory>(plain.levels.front());
  dram.read_pj = dram.write_pj = dram.update_pj = 0;
  EXPECT_THAT(remarks_on(workload("gemm: m=8 n=8 k=8"), plain),
              ElementsAre(HasSubstr("All energies of mine are 0")));
  std::get<Compute>(plain.levels.back()).mac_pj = 0.5;
  EXPECT_THAT(remarks_on(workload("gemm: m=8 n=8 k=8"), plain), IsEmpty());
}

}  // namespace
}  // namespace tilewright
