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

// --- spaces that are empty --------------------------------------------------------

TEST(EmptySpace, OfAFactorThatDoesNotDivideNamesTheConstraint) {
  const Problem problem = testing::two_level_gemm(14, 1, 1, 4);
  const Constraint five = factor("Outer", "M", Relation::Equal, 5, 1);
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {five}),
              ElementsAre(AllOf(HasSubstr("no chain of pfm factors makes up M = 14"),
                                HasSubstr("5 at Outer (Outer: M = 5 (user.yaml:1:3))"))));
  // 14 in threes is five.
  EXPECT_THAT(emptiness(problem, SpaceKind::RubyT, {five}), IsEmpty());
}

TEST(EmptySpace, OfADimensionWithTooLittleRoomNamesTheLimits) {
  EXPECT_THAT(
      emptiness(example(), SpaceKind::Ruby,
                {factor("Outer", "M", Relation::AtMost, 2, 1), dims("Inner", {"N", "K"}, 2)}),
      ElementsAre(AllOf(HasSubstr("no chain of ruby factors makes up M = 12"),
                        HasSubstr("at most 2 at Outer (Outer: M <= 2 (user.yaml:1:3))"),
                        HasSubstr("the 5 instances of Array.x"),
                        HasSubstr("at most 1 at Inner (Inner: dims N K (user.yaml:2:3))"))));
}

TEST(EmptySpace, OfFactorsThatDoNotGoTogetherOnAFanoutNamesThem) {
  EXPECT_THAT(emptiness(example(), SpaceKind::Ruby,
                        {factor("Array", "M", Relation::AtLeast, 3, 1),
                         factor("Array", "N", Relation::AtLeast, 2, 2)}),
              ElementsAre(AllOf(HasSubstr("no choice of factors goes together on the fan-outs"),
                                HasSubstr("Array.x: M >= 3 (user.yaml:1:3) (of 5 instances)"),
                                HasSubstr("Array.x: N >= 2 (user.yaml:2:3)"))));
}

TEST(EmptySpace, OfDimensionsThatOnlyTheFanoutIsLeftForNamesWhatTheMemoriesForbid) {
  const Problem problem = testing::two_level_gemm(4, 4, 1, 5);
  EXPECT_THAT(emptiness(problem, SpaceKind::Ruby, {dims("Outer", {}, 1), dims("Inner", {}, 2)}),
              ElementsAre(AllOf(HasSubstr("no choice of factors goes together on the fan-outs"),
                                HasSubstr("Outer: dims none (user.yaml:1:3)"),
                                HasSubstr("Inner: dims none (user.yaml:2:3)"))));
}

TEST(EmptySpace, OfALeastUseNamesIt) {
  // Nothing but M may be unrolled, and 7 has no factor from 2 to 5.
  const Problem seven = testing::two_level_gemm(7, 4, 4, 5);
  EXPECT_THAT(emptiness(seven, SpaceKind::Perfect, {dims("Array", {"M"}), use(1, 2)}),
              ElementsAre(HasSubstr("3 of the 5 x 1 instances of Array must take part")));
  EXPECT_THAT(emptiness(seven, SpaceKind::Perfect, {dims("Array", {"M", "N"}), use(1, 1)}),
              ElementsAre(HasSubstr("5 of the 5 x 1 instances of Array must take part")));
  EXPECT_THAT(emptiness(seven, SpaceKind::Perfect, {dims("Array", {}), use(1, 1)}),
              ElementsAre(HasSubstr("5 of the 5 x 1 instances of Array must take part")));
}

TEST(EmptySpace, OfATensorThatIsKeptNowhereNamesIt) {
  const Problem problem = testing::make_problem(make_gemm("gemm", 2, 2, 2), [] {
    Memory outer = testing::make_memory("Outer");
    outer.free = {"weight"};
    Memory inner = testing::make_memory("Inner");
    inner.free = {"weight"};
    return testing::make_arch({outer, inner});
  }());
  const Constraint at_outer = {"Outer", {}, ResidenceRule{{}, {"weight"}}, {}};
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {at_outer, residence({}, {"W"})}),
              ElementsAre("no memory may keep W"));
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {at_outer}), IsEmpty());
}

// --- spaces that cannot be counted -------------------------------------------------

TEST(UncountableSpace, OfADimensionWithTooManyRemaindersSuggestsFewer) {
  const Problem problem = testing::two_level_gemm(std::int64_t{1} << 50U, 1, 1, 4);
  EXPECT_THAT(emptiness(problem, SpaceKind::Ruby, {}),
              ElementsAre(AllOf(HasSubstr("M has 1125899906842624 iterations, too many"),
                                HasSubstr("choose a space with fewer remainders"))));
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {}), IsEmpty());
}

TEST(UncountableSpace, OfAHugeFanoutSaysSo) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 30U;
  const Problem problem = testing::two_level_gemm(kHuge, 1, 1, kHuge);
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {}),
              ElementsAre(HasSubstr("a fan-out of more than 4194304 instances is too large")));
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, {use(1, 1)}),
              ::testing::Each(HasSubstr("a fan-out of more than 4194304 instances is too large")));
}

TEST(UncountableSpace, OfManyFanoutsWithALeastUseSaysSo) {
  std::vector<Level> levels = {testing::make_memory("Outer")};
  std::vector<Constraint> half_of_each;
  for (int i = 0; i < kMaxFanouts; ++i) {
    levels.emplace_back(testing::make_fanout("Array" + std::to_string(i), 8, 8));
    half_of_each.push_back({"Array" + std::to_string(i), {}, UseRule{{33, 64}}, {}});
  }
  const Problem problem =
      testing::make_problem(make_gemm("gemm", 8, 8, 8), testing::make_arch(levels));
  EXPECT_THAT(emptiness(problem, SpaceKind::Perfect, half_of_each),
              ElementsAre(HasSubstr("too many fan-outs with a least use")));
}

TEST(UncountableSpace, OfTwoWideAxesIsRefusedBeforeItTakesLong) {
  const Problem problem =
      testing::make_problem(make_gemm("gemm", 10'000, 10'000, 10),
                            testing::make_arch({testing::make_memory("Outer"),
                                                testing::make_fanout("Array", 10'000, 10'000),
                                                testing::make_memory("Inner")}));
  EXPECT_THAT(emptiness(problem, SpaceKind::RubyS, {}),
              ElementsAre(HasSubstr("the space is too large to count")));
}

}  // namespace
}  // namespace tilewright
