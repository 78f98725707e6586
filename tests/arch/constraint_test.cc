#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/arch.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Relation = FactorRule::Relation;

Architecture small_arch() {
  Architecture arch;
  arch.name = "small";
  Memory outer;
  outer.name = "Buffer";
  Fanout array;
  array.name = "Array";
  array.x.size = 4;
  Compute mac;
  mac.name = "MAC";
  arch.levels = {outer, array, mac};
  return arch;
}

TEST(Constraint, ReadsAsItIsWritten) {
  EXPECT_EQ(to_string(Constraint{"Rows", Axis::Y, FactorRule{"S", Relation::Equal, {}}, {}}),
            "Rows.y: S = all");
  EXPECT_EQ(to_string(Constraint{"Array", Axis::X, FactorRule{"M", Relation::AtMost, 8}, {}}),
            "Array.x: M <= 8");
  EXPECT_EQ(to_string(Constraint{"Buffer", {}, OrderRule{{"M", "C"}, {"P"}}, {}}),
            "Buffer: order M C ... P");
  EXPECT_EQ(to_string(Constraint{"Buffer", {}, ResidenceRule{{"input"}, {"weight"}}, {}}),
            "Buffer: keep input, bypass weight");
  EXPECT_EQ(to_string(Constraint{"Array", {}, UseRule{{1, 2}}, {}}), "Array: use >= 0.5");
  EXPECT_EQ(to_string(Constraint{"Array", {}, UseRule{{1, 3}}, {}}), "Array: use >= 1/3");
  EXPECT_EQ(to_string(Constraint{"Buffer", {}, DimsRule{{}}, {}}), "Buffer: dims none");
}

TEST(Constraint, PositionIsNoPartOfTheValue) {
  const Constraint a{"Buffer", {}, DimsRule{{"M"}}, {"a.yaml", 1, 2}};
  const Constraint b{"Buffer", {}, DimsRule{{"M"}}, {"b.yaml", 3, 4}};
  EXPECT_EQ(a, b);
}

TEST(Constraint, SoundOnesHaveNoProblems) {
  const Architecture arch = small_arch();
  EXPECT_THAT(problems_of(arch, {"Buffer", {}, FactorRule{"M", Relation::AtLeast, 2}, {}}),
              IsEmpty());
  EXPECT_THAT(problems_of(arch, {"Array", Axis::X, FactorRule{"M", Relation::Equal, {}}, {}}),
              IsEmpty());
  EXPECT_THAT(problems_of(arch, {"Array", {}, UseRule{{3, 4}}, {}}), IsEmpty());
}

TEST(Constraint, ProblemsSayWhatIsWrong) {
  const Architecture arch = small_arch();
  const auto about = [&](const Constraint& constraint) { return problems_of(arch, constraint); };
  EXPECT_THAT(about({"Nowhere", {}, DimsRule{{"M"}}, {}}),
              ElementsAre(HasSubstr("has no level Nowhere")));
  EXPECT_THAT(about({"MAC", {}, DimsRule{{"M"}}, {}}), ElementsAre(HasSubstr("has no loops")));
  EXPECT_THAT(about({"MAC", {}, FactorRule{"M", Relation::Equal, 2}, {}}),
              ElementsAre(HasSubstr("has no loops")));
  EXPECT_THAT(about({"Array", {}, FactorRule{"M", Relation::Equal, 2}, {}}),
              ElementsAre(HasSubstr("name its axis")));
  EXPECT_THAT(about({"Buffer", Axis::X, FactorRule{"M", Relation::Equal, 2}, {}}),
              ElementsAre(HasSubstr("belong to one axis")));
  EXPECT_THAT(about({"Buffer", {}, FactorRule{"M", Relation::Equal, 0}, {}}),
              ElementsAre(HasSubstr("the factor of M is 0")));
  EXPECT_THAT(about({"Array", {}, OrderRule{{"M"}, {}}, {}}),
              ElementsAre(HasSubstr("only memories have a loop order")));
  EXPECT_THAT(about({"Buffer", {}, OrderRule{{"M"}, {"M"}}, {}}),
              ElementsAre(HasSubstr("names M twice")));
  EXPECT_THAT(about({"Buffer", {}, ResidenceRule{{"input"}, {"input"}}, {}}),
              ElementsAre(HasSubstr("both kept and bypassed")));
  EXPECT_THAT(about({"Array", {}, ResidenceRule{{"input"}, {}}, {}}),
              ElementsAre(HasSubstr("only memories keep")));
  EXPECT_THAT(about({"Buffer", {}, UseRule{{1, 2}}, {}}), ElementsAre(HasSubstr("only fan-outs")));
  EXPECT_THAT(about({"Array", {}, UseRule{{3, 2}}, {}}), ElementsAre(HasSubstr("from 0 to 1")));
}

TEST(Constraint, ProblemsOfListsSayWhichName) {
  const Architecture arch = small_arch();
  const auto about = [&](const Constraint& constraint) { return problems_of(arch, constraint); };
  EXPECT_THAT(about({"Buffer", {}, OrderRule{}, {}}), ElementsAre("the order names no dimension"));
  EXPECT_THAT(about({"Buffer", {}, OrderRule{{""}, {}}, {}}),
              ElementsAre("the order names a dimension without a name"));
  EXPECT_THAT(about({"Buffer", {}, DimsRule{{"M", "M"}}, {}}), ElementsAre("dims names M twice"));
  EXPECT_THAT(about({"Buffer", {}, ResidenceRule{}, {}}), ElementsAre("no tensor is named"));
  EXPECT_THAT(about({"Buffer", {}, ResidenceRule{{""}, {}}, {}}),
              ElementsAre("a tensor has no name"));
  EXPECT_THAT(about({"Buffer", {}, ResidenceRule{{"inptu"}, {"weigth"}}, {}}),
              ElementsAre("unknown tensor role 'inptu'; did you mean input?",
                          "unknown tensor role 'weigth'; did you mean weight?"));
}

TEST(Constraint, ThoseOfAnArchitectureAreCheckedWithIt) {
  Architecture arch = small_arch();
  arch.constraints.push_back({"Nowhere", {}, DimsRule{{"M"}}, {}});
  EXPECT_THAT(problems_of(arch), ElementsAre(HasSubstr("Nowhere: dims M")));
}

}  // namespace
}  // namespace tilewright
