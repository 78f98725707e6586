#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mapspace/constraints.h"
#include "support/naive_space.h"
#include "support/problems.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing::constraints;  // NOLINT(google-build-using-namespace): names of rules

constexpr DimId kM{0}, kN{1}, kK{2};
constexpr MemoryId kOuter{0}, kInner{1};
// Slots of two_level_gemm().
constexpr int kOuterSlot = 0, kX = 2, kInnerSlot = 3;

// --- what the rules set -------------------------------------------------------

TEST(Restrictions, HardwareSetsTheFirstLimits) {
  const Restrictions none = resolved(example(), {});
  EXPECT_EQ(none.limits(kOuterSlot, kM).most, 12);
  EXPECT_EQ(none.limits(kOuterSlot, kM).most_from, "the size of M");
  EXPECT_EQ(none.limits(kX, kM).most, 5);
  EXPECT_EQ(none.limits(kX, kM).most_from, "the 5 instances of Array.x");
  EXPECT_EQ(none.limits(kX, kK).most, 4);
  EXPECT_EQ(none.limits(kInnerSlot, kN).least, 1);
  EXPECT_EQ(none.least_instances(LevelId{1}), 1);
  EXPECT_EQ(none.keep_allowed(kInner), 7U);
}

TEST(Restrictions, FactorRulesLimitOneDimensionAtOnePlace) {
  const Restrictions some = resolved(
      example(),
      {factor("Outer", "M", Relation::AtLeast, 2, 1), factor("Outer", "M", Relation::AtMost, 6, 2),
       factor("Inner", "N", Relation::Equal, 3, 3), factor("Array", "K", Relation::Equal, {}, 4)});
  EXPECT_EQ(some.limits(kOuterSlot, kM).least, 2);
  EXPECT_EQ(some.limits(kOuterSlot, kM).least_from, "Outer: M >= 2 (user.yaml:1:3)");
  EXPECT_EQ(some.limits(kOuterSlot, kM).most, 6);
  EXPECT_EQ(some.limits(kOuterSlot, kM).most_from, "Outer: M <= 6 (user.yaml:2:3)");
  EXPECT_EQ(some.limits(kInnerSlot, kN).least, 3);
  EXPECT_EQ(some.limits(kInnerSlot, kN).most, 3);
  // All of K.
  EXPECT_EQ(some.limits(kX, kK).least, 4);
  EXPECT_EQ(some.limits(kX, kK).most, 4);
  EXPECT_EQ(some.limits(kOuterSlot, kN).most, 6);
  EXPECT_THAT(some.contradictions(), IsEmpty());
}

TEST(Restrictions, TheTighterOfTwoLimitsHolds) {
  const Restrictions some = resolved(example(), {factor("Outer", "M", Relation::AtMost, 4, 1),
                                                 factor("Outer", "M", Relation::AtMost, 6, 2),
                                                 factor("Outer", "M", Relation::AtLeast, 3, 3),
                                                 factor("Outer", "M", Relation::AtLeast, 2, 4)});
  EXPECT_EQ(some.limits(kOuterSlot, kM).most, 4);
  EXPECT_THAT(some.limits(kOuterSlot, kM).most_from, HasSubstr("user.yaml:1:3"));
  EXPECT_EQ(some.limits(kOuterSlot, kM).least, 3);
  EXPECT_THAT(some.limits(kOuterSlot, kM).least_from, HasSubstr("user.yaml:3:3"));
}

TEST(Restrictions, DimsRulesTakeTheLoopsFromAllOthers) {
  const Restrictions some = resolved(example(), {dims("Array", {"M", "K"}), dims("Inner", {})});
  EXPECT_EQ(some.limits(kX, kM).most, 5);
  EXPECT_EQ(some.limits(kX, kN).most, 1);
  for (const DimId dim : {kM, kN, kK}) EXPECT_EQ(some.limits(kInnerSlot, dim).most, 1);
}

TEST(Restrictions, NamesMayDifferInCase) {
  const Restrictions some = resolved(example(), {factor("Outer", "m", Relation::AtMost, 6),
                                                 dims("Array", {"k"}), order({"n"}, {"m"})});
  EXPECT_EQ(some.limits(kOuterSlot, kM).most, 6);
  EXPECT_EQ(some.limits(kX, kK).most, 4);
  EXPECT_EQ(some.limits(kX, kM).most, 1);
  EXPECT_THAT(some.outermost(kOuter), ElementsAre(kN));
  EXPECT_THAT(some.innermost(kOuter), ElementsAre(kM));
}

TEST(Restrictions, ANameThatDiffersInCaseMeansEveryDimensionSpeltLikeIt) {
  Workload workload = make_gemm("two", 4, 4, 4);
  workload.dims[2].name = "m";
  const Problem problem =
      testing::make_problem(workload, testing::make_arch({testing::make_memory("Outer")}));
  const Restrictions exact = resolved(problem, {factor("Outer", "m", Relation::AtMost, 2)});
  EXPECT_EQ(exact.limits(0, kM).most, 4);
  EXPECT_EQ(exact.limits(0, kK).most, 2);
}

TEST(Restrictions, OrdersOfAMemoryAddUp) {
  const Restrictions some =
      resolved(example(), {order({"K"}, {}), order({}, {"N"}), order({"K"}, {"N"})});
  EXPECT_THAT(some.contradictions(), IsEmpty());
  EXPECT_THAT(some.outermost(kOuter), ElementsAre(kK));
  EXPECT_THAT(some.innermost(kOuter), ElementsAre(kN));
  EXPECT_THAT(some.outermost(kInner), IsEmpty());
}

TEST(Restrictions, AnOrderMayContinueAnotherOrBeContinuedByIt) {
  for (const bool longer_first : {true, false}) {
    std::vector<Constraint> outside = {order({"K", "M"}, {}), order({"K"}, {})};
    std::vector<Constraint> inside = {order({}, {"K", "M"}), order({}, {"M"})};
    if (!longer_first) {
      std::swap(outside[0], outside[1]);
      std::swap(inside[0], inside[1]);
    }
    EXPECT_THAT(resolved(example(), outside).outermost(kOuter), ElementsAre(kK, kM));
    EXPECT_THAT(resolved(example(), inside).innermost(kOuter), ElementsAre(kK, kM));
    EXPECT_THAT(contradictions(outside), IsEmpty());
    EXPECT_THAT(contradictions(inside), IsEmpty());
  }
}

TEST(Restrictions, ResidenceRulesSettleWhatIsFree) {
  const Problem problem = testing::make_problem(make_gemm("gemm", 2, 2, 2), [] {
    Memory inner = testing::make_memory("Inner");
    inner.free = {"weight", "input", "output"};
    return testing::make_arch({testing::make_memory("Outer"), inner});
  }());
  const TensorId weight = *problem.workload().find_tensor("W");
  const TensorId input = *problem.workload().find_tensor("I");
  const Restrictions some = resolved(problem, {residence({"weight"}, {"I"})});
  EXPECT_EQ(some.keep_always(kInner), 1U << index_of(weight));
  EXPECT_EQ(some.keep_allowed(kInner), 7U & ~(1U << index_of(input)));
  EXPECT_EQ(some.keep_always(kOuter), 7U);
}

TEST(Restrictions, LeastUseIsRoundedUp) {
  const auto least = [](std::int64_t numerator, std::int64_t denominator) {
    return resolved(example(), {use(numerator, denominator)}).least_instances(LevelId{1});
  };
  EXPECT_EQ(least(0, 1), 1);
  EXPECT_EQ(least(1, 5), 1);
  EXPECT_EQ(least(1, 2), 3);
  EXPECT_EQ(least(601, 1000), 4);
  EXPECT_EQ(least(3, 5), 3);
  EXPECT_EQ(least(1, 1), 5);
  const Restrictions two = resolved(example(), {use(4, 5), use(1, 2)});
  EXPECT_EQ(two.least_instances(LevelId{1}), 4);
}

TEST(Restrictions, LeastUseOfTheLargestFanoutDoesNotOverflow) {
  const Problem problem = testing::make_problem(
      make_gemm("gemm", 2, 2, 2), testing::make_arch({testing::make_memory("Outer"),
                                                      testing::make_fanout("Array", kCountLimit)}));
  const Constraint nearly_all = use(kCountLimit - 1, kCountLimit);
  EXPECT_EQ(resolved(problem, {nearly_all}).least_instances(LevelId{1}), kCountLimit - 1);
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {nearly_all}),
              ElementsAre(HasSubstr("must take part")));
}

// --- names that mean nothing ----------------------------------------------------

TEST(Restrictions, UnknownNamesOfTheUserAreProblemsWithAHint) {
  EXPECT_THAT(problems({factor("Outer", "X", Relation::AtMost, 2, 7)}),
              ElementsAre("user.yaml:7:3: Outer: X <= 2: gemm has no dimension X; its dimensions "
                          "are M, N, K"));
  EXPECT_THAT(problems({dims("Inner", {"M", "X"}, 8)}),
              ElementsAre(HasSubstr("user.yaml:8:3: Inner: dims M X: gemm has no dimension X")));
  EXPECT_THAT(problems({order({"M"}, {"X"}, 8)}),
              ElementsAre(HasSubstr("gemm has no dimension X")));
  EXPECT_THAT(problems({residence({"X"}, {}, 9)}),
              ElementsAre("user.yaml:9:3: Inner: keep X: gemm has no tensor X; write one of input, "
                          "weight, output, W, I, O"));
}

TEST(Restrictions, AMisspeltDimensionIsRecognised) {
  Workload workload = make_gemm("long", 2, 2, 2);
  workload.dims[0].name = "channels";
  const Problem problem =
      testing::make_problem(workload, testing::make_arch({testing::make_memory("Outer")}));
  EXPECT_THAT(
      texts(
          Restrictions::create(problem, {factor("Outer", "chanels", Relation::Equal, 1)}).problems),
      ElementsAre(HasSubstr("did you mean channels?")));
}

TEST(Restrictions, AllProblemsAreToldTogetherAndNameTheConstraint) {
  EXPECT_THAT(problems({factor("Nowhere", "M", Relation::AtMost, 2, 1),
                        {"Array", {}, OrderRule{{"M"}, {}}, {"user.yaml", 2, 3}},
                        factor("Outer", "X", Relation::AtMost, 2, 3)}),
              ElementsAre("user.yaml:1:3: Nowhere: M <= 2: test has no level Nowhere",
                          "user.yaml:2:3: Array: order M ...: only memories have a loop order",
                          HasSubstr("user.yaml:3:3: Outer: X <= 2: gemm has no dimension X")));
}

TEST(Restrictions, UnknownNamesOfTheArchitectureAreIgnored) {
  Architecture arch = example().arch();
  arch.constraints = {factor("Outer", "X", Relation::Equal, 2), order({"X", "N"}, {"Y"}),
                      dims("Array", {"X", "M"}), residence({"psum"}, {"lut"})};
  const Problem problem = testing::make_problem(make_gemm("gemm", 12, 6, 4), arch);
  const Restrictions some = resolved(problem, {});
  EXPECT_THAT(some.contradictions(), IsEmpty());
  EXPECT_THAT(some.outermost(kOuter), ElementsAre(kN));
  EXPECT_THAT(some.innermost(kOuter), IsEmpty());
  EXPECT_EQ(some.limits(kX, kM).most, 5);
  EXPECT_EQ(some.limits(kX, kN).most, 1);
}

// --- mappings that do not keep to them ----------------------------------------------

TEST(BrokenBy, SaysWhichConstraintAMappingBreaks) {
  const Problem problem = example();
  Mapping mapping(problem);
  testing::set_loops(problem, mapping, "Outer", {{"M", 6}, {"N", 3}, {"K", 4}});
  testing::set_loops(problem, mapping, "Array.x", {{"M", 2}, {"N", 2}});
  const auto broken = [&](const std::vector<Constraint>& more) {
    return resolved(problem, more).broken_by(problem, mapping);
  };
  EXPECT_THAT(broken({}), IsEmpty());
  EXPECT_THAT(broken({factor("Outer", "M", Relation::AtMost, 5, 1)}),
              ElementsAre("Outer has bound 6 for M, which breaks Outer: M <= 5 (user.yaml:1:3)"));
  EXPECT_THAT(
      broken({factor("Array", "N", Relation::AtLeast, 3, 1)}),
      ElementsAre("Array.x has bound 2 for N, which breaks Array.x: N >= 3 (user.yaml:1:3)"));
  EXPECT_THAT(broken({dims("Array", {"M"}, 1)}),
              ElementsAre(HasSubstr("which breaks Array.x: dims M (user.yaml:1:3)")));
  EXPECT_THAT(broken({order({"M"}, {"K"})}), IsEmpty());
  EXPECT_THAT(broken({order({"N"}, {"K"})}),
              ElementsAre("Outer has the loops M N K, which must start with N and end with K"));
  EXPECT_THAT(broken({order({}, {"N", "K"})}), IsEmpty());
  EXPECT_THAT(
      broken({order({}, {"K", "N"})}),
      ElementsAre("Outer has the loops M N K, which must start with none and end with K N"));
  EXPECT_THAT(broken({use(4, 5)}), IsEmpty());
  EXPECT_THAT(broken({use(1, 1)}), ElementsAre("Array uses 4 instances; 5 must take part"));
}

TEST(BrokenBy, LoopsOfBoundOneDoNotExist) {
  const Problem problem = example();
  Mapping mapping(problem);
  testing::set_loops(problem, mapping, "Outer", {{"M", 12}, {"K", 4}});
  testing::set_loops(problem, mapping, "Inner", {{"N", 6}});
  EXPECT_THAT(resolved(problem, {order({"N", "M"}, {})}).broken_by(problem, mapping), IsEmpty());
}

TEST(BrokenBy, SaysWhatAMemoryMustKeep) {
  const Problem problem = testing::make_problem(make_gemm("gemm", 2, 2, 2), [] {
    Memory inner = testing::make_memory("Inner");
    inner.free = {"weight", "input"};
    return testing::make_arch({testing::make_memory("Outer"), inner});
  }());
  Mapping mapping(problem);
  testing::set_loops(problem, mapping, "Outer", {{"M", 2}, {"N", 2}, {"K", 2}});
  const std::uint32_t weight = 1U << index_of(*problem.workload().find_tensor("W"));
  mapping.set_kept(kInner, 7U & ~weight);
  EXPECT_THAT(resolved(problem, {residence({"weight"}, {"input"})}).broken_by(problem, mapping),
              ::testing::UnorderedElementsAre("Inner must keep W", "Inner must not keep I"));
}

}  // namespace
}  // namespace tilewright
