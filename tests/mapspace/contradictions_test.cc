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

constexpr DimId kM{0};
constexpr MemoryId kOuter{0};

// --- contradictions -------------------------------------------------------------

TEST(Contradictions, OfFactorsNameBothAndWhereTheyStand) {
  EXPECT_THAT(contradictions({factor("Outer", "M", Relation::AtMost, 3, 1),
                              factor("Outer", "M", Relation::AtLeast, 4, 2)}),
              ElementsAre("user.yaml:2:3: Outer: M >= 4 contradicts Outer: M <= 3 (user.yaml:1:3): "
                          "at most 3"));
  EXPECT_THAT(contradictions({factor("Outer", "M", Relation::AtLeast, 4, 1),
                              factor("Outer", "M", Relation::AtMost, 3, 2)}),
              ElementsAre("user.yaml:2:3: Outer: M <= 3 contradicts Outer: M >= 4 (user.yaml:1:3): "
                          "at least 4"));
  EXPECT_THAT(contradictions({factor("Outer", "M", Relation::Equal, 4, 1),
                              factor("Outer", "M", Relation::Equal, {}, 2)}),
              ElementsAre(HasSubstr("Outer: M = all contradicts Outer: M = 4 (user.yaml:1:3)")));
  EXPECT_THAT(contradictions({factor("Outer", "M", Relation::Equal, 4, 1),
                              factor("Outer", "M", Relation::Equal, 3, 2)}),
              ElementsAre(HasSubstr("Outer: M = 3 contradicts Outer: M = 4 (user.yaml:1:3)")));
}

TEST(Contradictions, OfFactorsAndTheHardwareSayWhatItHas) {
  EXPECT_THAT(contradictions({factor("Array", "M", Relation::AtLeast, 6, 1)}),
              ElementsAre("user.yaml:1:3: Array.x: M >= 6 contradicts the 5 instances of Array.x: "
                          "at most 5"));
  EXPECT_THAT(contradictions({factor("Outer", "K", Relation::Equal, 5, 1)}),
              ElementsAre(HasSubstr("Outer: K = 5 contradicts the size of K: at most 4")));
  Architecture arch = example().arch();
  std::get<Fanout>(arch.levels[1]).x.dims = Names{"N"};
  const Problem problem = testing::make_problem(make_gemm("gemm", 12, 6, 4), arch);
  EXPECT_THAT(
      texts(resolved(problem, {factor("Array", "M", Relation::AtLeast, 2, 1)}).contradictions()),
      ElementsAre(HasSubstr("contradicts Array.x: dims, in the architecture: at most 1")));
}

TEST(Contradictions, OfDimsAndFactors) {
  EXPECT_THAT(
      contradictions({factor("Inner", "M", Relation::AtLeast, 2, 1), dims("Inner", {"N"}, 2)}),
      ElementsAre("user.yaml:2:3: Inner: dims N contradicts Inner: M >= 2 (user.yaml:1:3): "
                  "at least 2"));
  EXPECT_THAT(
      contradictions({dims("Inner", {"N"}, 1), factor("Inner", "M", Relation::AtLeast, 2, 2)}),
      ElementsAre("user.yaml:2:3: Inner: M >= 2 contradicts Inner: dims N (user.yaml:1:3): "
                  "at most 1"));
}

TEST(Contradictions, OfOrdersNameTheOneThatDiffers) {
  EXPECT_THAT(contradictions({order({"M"}, {}, 1), order({"N"}, {}, 2)}),
              ElementsAre("user.yaml:2:3: Outer: order N ... contradicts Outer: order M ... "
                          "(user.yaml:1:3)"));
  EXPECT_THAT(contradictions({order({}, {"M", "N"}, 1), order({}, {"M"}, 2)}),
              ElementsAre(HasSubstr("contradicts Outer: order ... M N (user.yaml:1:3)")));
  // What stands between agrees with both.
  EXPECT_THAT(
      contradictions({order({"M", "N"}, {}, 1), order({"M"}, {}, 2), order({"M", "K"}, {}, 3)}),
      ElementsAre(HasSubstr("contradicts Outer: order M N ... (user.yaml:1:3)")));
  EXPECT_THAT(contradictions({order({"M"}, {}, 1), order({}, {"K"}, 2), order({"N"}, {}, 3)}),
              ElementsAre(HasSubstr("contradicts Outer: order M ... (user.yaml:1:3)")));
}

TEST(Contradictions, OfOrdersThatPutALoopAtBothEnds) {
  EXPECT_THAT(contradictions({order({"M"}, {}, 1), order({}, {"N"}, 2), order({}, {"M", "N"}, 3)}),
              ElementsAre(HasSubstr("contradicts Outer: order M ... (user.yaml:1:3)")));
  EXPECT_THAT(contradictions({order({"M"}, {}, 1), order({}, {"N"}, 2), order({"M", "N"}, {}, 3)}),
              ElementsAre(HasSubstr("contradicts Outer: order ... N (user.yaml:2:3)")));
  // What was refused leaves no trace.
  const Restrictions some = resolved(example(), {order({"M"}, {}, 1), order({"K"}, {"N"}, 2)});
  EXPECT_THAT(some.outermost(kOuter), ElementsAre(kM));
  EXPECT_THAT(some.innermost(kOuter), IsEmpty());
}

TEST(Contradictions, OfAnOrderWithItselfAfterNamesAreResolved) {
  EXPECT_THAT(
      contradictions({order({"m"}, {"M"}, 1)}),
      ElementsAre("user.yaml:1:3: Outer: order m ... M contradicts itself: M stands twice"));
  EXPECT_THAT(contradictions({order({"M", "m"}, {}, 1)}),
              ElementsAre(HasSubstr("contradicts itself: M stands twice")));
}

TEST(Contradictions, OfResidence) {
  Architecture arch = example().arch();
  std::get<Memory>(arch.levels[2]).free = {"weight", "input"};
  std::get<Memory>(arch.levels[2]).bypass = {"output"};
  const Problem problem = testing::make_problem(make_gemm("gemm", 12, 6, 4), arch);
  const auto found = [&](const std::vector<Constraint>& more) {
    return texts(resolved(problem, more).contradictions());
  };
  EXPECT_THAT(found({residence({"weight"}, {}, 1), residence({}, {"W"}, 2)}),
              ElementsAre("user.yaml:2:3: Inner: bypass W contradicts Inner: keep weight "
                          "(user.yaml:1:3)"));
  EXPECT_THAT(found({residence({}, {"W"}, 1), residence({"weight"}, {}, 2)}),
              ElementsAre("user.yaml:2:3: Inner: keep weight contradicts Inner: bypass W "
                          "(user.yaml:1:3)"));
  EXPECT_THAT(
      found({residence({"output"}, {}, 1)}),
      ElementsAre("user.yaml:1:3: Inner: keep output contradicts what the architecture says "
                  "of O in Inner"));
  EXPECT_THAT(found({residence({"weight"}, {"W"}, 1)}),
              ElementsAre("user.yaml:1:3: Inner: keep weight, bypass W contradicts itself"));
  EXPECT_THAT(found({residence({"input"}, {}, 1), residence({"I"}, {}, 2)}), IsEmpty());
}

TEST(Contradictions, OfTheUserWithTheArchitecture) {
  Architecture arch = example().arch();
  arch.constraints = {{"Outer", {}, FactorRule{"M", Relation::AtMost, 2}, {"arch.yaml", 4, 5}}};
  const Problem problem = testing::make_problem(make_gemm("gemm", 12, 6, 4), arch);
  EXPECT_THAT(
      emptiness(problem, SpaceKind::Ruby, {factor("Outer", "M", Relation::AtLeast, 3, 1)}),
      ElementsAre("user.yaml:1:3: Outer: M >= 3 contradicts Outer: M <= 2 (arch.yaml:4:5): at most "
                  "2"));
}

TEST(Contradictions, WithoutAFileHaveNoPosition) {
  Constraint first = factor("Outer", "M", Relation::AtMost, 3);
  first.where = {};
  Constraint second = factor("Outer", "M", Relation::AtLeast, 4);
  second.where = {"--constrain", 0, 0};
  EXPECT_THAT(contradictions({first, second}),
              ElementsAre("--constrain: Outer: M >= 4 contradicts Outer: M <= 3: at most 3"));
  EXPECT_THAT(contradictions({second, first}),
              ElementsAre("Outer: M <= 3 contradicts Outer: M >= 4 (--constrain): at least 4"));
}

}  // namespace
}  // namespace tilewright
