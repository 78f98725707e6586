#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tilewright/io.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Workload workload(const std::string& line) {
  return io::read_workload_line(line, "line").value.value();
}

Architecture arch(const std::string& name) { return io::load_architecture(name).value.value(); }

MapOptions any_roles() {
  MapOptions options;
  options.any_roles = true;
  return options;
}

// The best of what each assignment has on its own, and what is proven of each.
TEST(AnyRoles, IsTheBestOfAllAssignments) {
  const char* lines[] = {"O[m,n] += A[m,k]*B[k,n]; m=48 n=12 k=20",
                         "O[m,n] += A:input[m,k]*B:weight[k,n]; m=48 n=12 k=20",
                         "S[M,P] += Q[M,C]*K[P,C]; M=12 P=30 C=8"};
  for (const char* name : {"gemmini", "tpu_v1", "eyeriss"}) {
    for (const char* line : lines) {
      const MapOutcome any = map_workload(workload(line), arch(name), any_roles());
      ASSERT_TRUE(any.found());
      ASSERT_EQ(any.roles.size(), 2U);
      const std::vector<Workload> assignments = role_assignments(workload(line));
      double best = INFINITY;
      std::string winner;
      for (std::size_t i = 0; i < 2; ++i) {
        const MapOutcome one = map_workload(assignments[i], arch(name), {});
        const double value = value_of(Objective::Edp, one.search.score);
        EXPECT_EQ(any.roles[i].roles, roles_text(assignments[i]));
        EXPECT_EQ(any.roles[i].value, value);
        EXPECT_TRUE(any.roles[i].proven);
        if (value < best) {
          best = value;
          winner = roles_text(assignments[i]);
        }
      }
      EXPECT_EQ(value_of(Objective::Edp, any.search.score), best) << name << ": " << line;
      EXPECT_EQ(roles_text(any.problem->workload()), winner);
      ASSERT_TRUE(any.proof);
      EXPECT_EQ(any.proof->status, Proof::Status::Proven);
      EXPECT_EQ(any.proof->bound, best);
    }
  }
}

TEST(AnyRoles, KeepsTheRolesAsGivenAmongEquals) {
  const MapOutcome outcome = map_workload(workload("O[i,j] += A[i,k]*B[k,j]; i=8 j=8 k=8"),
                                          arch("toy_linear"), any_roles());
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.roles[0].value, outcome.roles[1].value);
  EXPECT_EQ(roles_text(outcome.problem->workload()), outcome.roles[0].roles);
}

TEST(AnyRoles, OfANetworkAreChosenLayerByLayer) {
  Network network;
  network.name = "two";
  // M and N have changed places.
  network.layers = {
      {"a", make_gemm("a", 256, 16, 64), 1, "", ""},
      {"b", workload("O[m,n] += A:input[m,k]*B:weight[k,n]; m=256 n=16 k=64"), 1, "", ""}};
  const NetworkOutcome outcome = map_network(network, arch("gemmini"), any_roles());
  EXPECT_EQ(roles_text(outcome.of(0).problem->workload()), "W weight, I input, O output");
  EXPECT_EQ(roles_text(outcome.of(1).problem->workload()), "A weight, B input, O output");
  EXPECT_EQ(outcome.of(0).search.score.energy_pj, outcome.of(1).search.score.energy_pj);
  EXPECT_THAT(
      remarks_on(outcome, any_roles()),
      ElementsAre("Layer #1: Of 2 ways to deal out the roles, W weight, I input, O output is the "
                  "best.",
                  "Layer #2: Of 2 ways to deal out the roles, A weight, B input, O output is the "
                  "best."));
}

MapOptions with_remarks(Objective objective = Objective::Edp) {
  MapOptions options;
  options.remarks = true;
  options.objective = objective;
  return options;
}

TEST(Remainders, AreSuggestedWhereFactorsLeaveInstancesIdle) {
  // 100 on 14 columns: 10 with factors, 13 with remainders.
  const Workload odd = make_gemm("odd", 127, 100, 113);
  const MapOptions options = with_remarks(Objective::Latency);
  const MapOutcome outcome = map_workload(odd, arch("gemmini"), options);
  ASSERT_TRUE(outcome.remainders);
  const std::vector<std::string> remarks = remarks_on(outcome, options);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(remarks[0], HasSubstr("of 256 compute instances idle; with --mapspace ruby-s"));
  EXPECT_THAT(remarks[0], HasSubstr("% fewer cycles."));
  // What is said can be had.
  MapOptions ruby = options;
  ruby.space = SpaceKind::RubyS;
  const MapOutcome better = map_workload(odd, arch("gemmini"), ruby);
  EXPECT_LE(
      static_cast<double>(better.search.score.cycles),
      (1 - outcome.remainders->share) * static_cast<double>(outcome.search.score.cycles) + 0.5);
  EXPECT_FALSE(better.remainders);
}

TEST(Remainders, AreNotSuggestedInVain) {
  EXPECT_THAT(
      remarks_on(map_workload(make_gemm("full", 64, 64, 64), arch("gemmini"), with_remarks()),
                 with_remarks()),
      IsEmpty());
  // A single row: there is nothing to fill the others with.
  const MapOutcome row = map_workload(make_gemm("row", 1, 64, 64), arch("gemmini"), with_remarks());
  EXPECT_FALSE(row.remainders);
  EXPECT_THAT(row.remarks,
              ElementsAre("SARows.y (16 instances) cannot be used: the workload has M = 1."));
}

TEST(Remainders, AreTheSameWithAnyNumberOfThreads) {
  MapOptions one = with_remarks();
  MapOptions two = one;
  two.limits.threads = 2;
  const Workload odd = make_gemm("odd", 127, 100, 113);
  EXPECT_EQ(remarks_on(map_workload(odd, arch("eyeriss"), one), one),
            remarks_on(map_workload(odd, arch("eyeriss"), two), two));
}

TEST(NetworkRemarks, SaySentencesOnceWithTheirLayers) {
  Network network;
  network.name = "net";
  for (const std::int64_t m : {1, 1, 64, 1, 127}) {
    const std::string name = "l" + std::to_string(network.layers.size());
    network.layers.push_back({name, make_gemm(name, m, 113, 101), 1, "", ""});
  }
  const NetworkOutcome outcome = map_network(network, arch("gemmini"), with_remarks());
  const std::vector<std::string> remarks = remarks_on(outcome, with_remarks());
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0],
            "Layers #1, #2, #4: SARows.y (16 instances) cannot be used: the workload has M = 1.");
  EXPECT_THAT(remarks[1], HasSubstr("Perfect factors leave compute instances idle in "));
}

}  // namespace
}  // namespace tilewright
