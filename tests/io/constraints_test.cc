#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_constraint.h"
#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;
using ::tilewright::testing::random_constraint;
using ::tilewright::testing::TestRng;
using Constraints = std::vector<Constraint>;
using Relation = FactorRule::Relation;

constexpr const char* kLevels = R"(architecture: a
levels:
  - {memory: DRAM, capacity: unlimited}
  - {memory: Buffer, capacity: 64 KiB}
  - {fanout: Rows, y: 12}
  - {fanout: Array, x: 4, y: 4}
  - {fanout: Wire, x: 2}
  - compute: MAC
)";

const Architecture& levels() {
  static const Architecture arch = *read_architecture(kLevels, "a.yaml").value;
  return arch;
}

Constraints checked(const Checked<Constraints>& parsed) {
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Constraints{});
}
Constraints read(const std::string& text) {
  return checked(read_constraints(text, "c.yaml", levels()));
}
Constraints read_line(const std::string& text) {
  return checked(read_constraint_line(text, "--constrain", levels()));
}

std::vector<std::string> texts_of(const Constraints& constraints) {
  std::vector<std::string> texts;
  for (const Constraint& constraint : constraints) texts.push_back(to_string(constraint));
  return texts;
}

std::vector<SourcePosition> places_of(const Constraints& constraints) {
  std::vector<SourcePosition> places;
  for (const Constraint& constraint : constraints) places.push_back(constraint.where);
  return places;
}

constexpr const char* kEverything = R"(constraints:
  - level: Buffer
    factors: {R: all, M: 1, C: "<= 8", P: ">= 2", Q: = 3}
    order: {outermost: [C, M], innermost: [R]}
  - level: Rows.y
    factors: {S: all}
    dims: [S, C]
  - level: Array
    least_use: 0.5
  - level: Buffer
    bypass: [weight]
    keep: [input]
)";

TEST(ReadConstraints, TakesEveryKey) {
  EXPECT_EQ(read(kEverything),
            (Constraints{{"Buffer", {}, FactorRule{"R", Relation::Equal, {}}, {}},
                         {"Buffer", {}, FactorRule{"M", Relation::Equal, 1}, {}},
                         {"Buffer", {}, FactorRule{"C", Relation::AtMost, 8}, {}},
                         {"Buffer", {}, FactorRule{"P", Relation::AtLeast, 2}, {}},
                         {"Buffer", {}, FactorRule{"Q", Relation::Equal, 3}, {}},
                         {"Buffer", {}, OrderRule{{"C", "M"}, {"R"}}, {}},
                         {"Rows", Axis::Y, FactorRule{"S", Relation::Equal, {}}, {}},
                         {"Rows", Axis::Y, DimsRule{{"S", "C"}}, {}},
                         {"Array", {}, UseRule{{1, 2}}, {}},
                         {"Buffer", {}, ResidenceRule{{"input"}, {"weight"}}, {}}}));
}

TEST(ReadConstraints, PointsAtTheNodeOfEachRule) {
  const auto at = [](int line, int column) { return SourcePosition{"c.yaml", line, column}; };
  EXPECT_THAT(places_of(read(kEverything)),
              ElementsAre(at(3, 18), at(3, 26), at(3, 32), at(3, 43), at(3, 54), at(4, 12),
                          at(6, 18), at(7, 11), at(9, 16), at(11, 13)));
}

TEST(ReadConstraints, ReadsTheSameInAnArchitectureFile) {
  const Checked<Architecture> arch = read_architecture(std::string(kLevels) + kEverything, "a");
  ASSERT_TRUE(arch.ok());
  EXPECT_EQ(arch.value->constraints, read(kEverything));
}

TEST(ReadConstraints, MayStandBeforeTheLevels) {
  const std::string levels_last = kEverything + std::string(kLevels);
  const Checked<Architecture> arch = read_architecture(levels_last, "a");
  ASSERT_TRUE(arch.ok());
  EXPECT_EQ(arch.value->constraints, read(kEverything));
  EXPECT_EQ(arch.value->levels, levels().levels);
}

TEST(ReadConstraints, FindsTheOnlyAxis) {
  EXPECT_THAT(
      texts_of(read("constraints: [{level: Rows, factors: {S: all}, dims: [S]},"
                    " {level: Wire, dims: [M]}, {level: Array.x, dims: []}]")),
      ElementsAre("Rows.y: S = all", "Rows.y: dims S", "Wire.x: dims M", "Array.x: dims none"));
}

TEST(ReadConstraints, KeepsSharesExactly) {
  const auto share = [](const std::string& text) {
    const Constraints all = read("constraints: [{level: Array, least_use: " + text + "}]");
    return all.empty() ? Rational{} : std::get<UseRule>(all[0].rule).least;
  };
  EXPECT_EQ(share("0.7"), (Rational{7, 10}));
  EXPECT_EQ(share("50 %"), (Rational{1, 2}));
  EXPECT_EQ(share("33.3%"), (Rational{333, 1000}));
  EXPECT_EQ(share("100 %"), (Rational{1, 1}));
  EXPECT_EQ(share("0 %"), (Rational{0, 1}));
  EXPECT_EQ(share("1/3"), (Rational{1, 3}));
  EXPECT_EQ(share("1"), (Rational{1, 1}));
}

TEST(ReadConstraints, TakesAnEmptyList) {
  EXPECT_EQ(read("constraints: []"), Constraints{});
  EXPECT_EQ(read(write_constraints({})), Constraints{});
}

TEST(WriteConstraints, GroupsTheRulesOfAPlace) {
  EXPECT_EQ(write_constraints(read(kEverything)),
            "constraints:\n"
            "  - level: Buffer\n"
            "    factors: {R: all, M: 1, C: \"<= 8\", P: \">= 2\", Q: 3}\n"
            "    order: {outermost: [C, M], innermost: [R]}\n"
            "  - level: Rows.y\n"
            "    factors: {S: all}\n"
            "    dims: [S, C]\n"
            "  - level: Array\n"
            "    least_use: 0.5\n"
            "  - level: Buffer\n"
            "    keep: [input]\n"
            "    bypass: [weight]\n");
}

TEST(WriteConstraints, KeepsTheOrderOfTheRules) {
  const Constraints mixed = read_line("Buffer: M >= 2, dims M, M <= 4, M = 3, order M, keep input");
  EXPECT_EQ(read(write_constraints(mixed)), mixed);
}

TEST(WriteConstraints, GivesBackRandomLists) {
  TestRng rng(11);
  const auto name = [&] { return std::string(1, static_cast<char>(rng.between('A', 'Z'))); };
  for (int i = 0; i < 400; ++i) {
    Constraints constraints;
    for (std::int64_t n = rng.between(0, 8); n > 0; --n) {
      constraints.push_back(random_constraint(rng, levels(), name));
    }
    ASSERT_EQ(read(write_constraints(constraints)), constraints) << write_constraints(constraints);
  }
}

// --- on one line ------------------------------------------------------------

TEST(ReadConstraintLine, TakesEveryRule) {
  EXPECT_THAT(texts_of(read_line("Array.y: M = 4, C<=4,S>=2 , P=all, dims M C S P")),
              ElementsAre("Array.y: M = 4", "Array.y: C <= 4", "Array.y: S >= 2",
                          "Array.y: P = all", "Array.y: dims M C S P"));
  EXPECT_THAT(texts_of(read_line(" Buffer : order M C ... P Q, dims none")),
              ElementsAre("Buffer: order M C ... P Q", "Buffer: dims none"));
  EXPECT_THAT(texts_of(read_line("Array: use >= 50 %")), ElementsAre("Array: use >= 0.5"));
  EXPECT_THAT(texts_of(read_line("Rows: S=all")), ElementsAre("Rows.y: S = all"));
}

TEST(ReadConstraintLine, TakesAnOrderWithoutDotsAsOutermost) {
  EXPECT_EQ(read_line("Buffer: order M C"),
            (Constraints{{"Buffer", {}, OrderRule{{"M", "C"}, {}}, {}}}));
  EXPECT_EQ(read_line("Buffer: order ... M"),
            (Constraints{{"Buffer", {}, OrderRule{{}, {"M"}}, {}}}));
}

TEST(ReadConstraintLine, JoinsWhatIsKeptAndWhatPassesBy) {
  EXPECT_EQ(read_line("Buffer: keep input, M = 2, bypass weight output, keep bias"),
            (Constraints{{"Buffer", {}, ResidenceRule{{"input", "bias"}, {"weight", "output"}}, {}},
                         {"Buffer", {}, FactorRule{"M", Relation::Equal, 2}, {}}}));
}

TEST(ReadConstraintLine, PointsAtTheRule) {
  EXPECT_THAT(
      places_of(read_line("Buffer: M = 4, dims M")),
      ElementsAre(SourcePosition{"--constrain", 1, 11}, SourcePosition{"--constrain", 1, 16}));
}

TEST(ReadConstraintLine, ReadsBackWhatIsPrinted) {
  TestRng rng(12);
  const auto name = [&] { return std::string(1, static_cast<char>(rng.between('a', 'z'))); };
  for (int i = 0; i < 2000; ++i) {
    const Constraint constraint = random_constraint(rng, levels(), name);
    ASSERT_EQ(read_line(to_string(constraint)), Constraints{constraint}) << to_string(constraint);
  }
}

}  // namespace
}  // namespace tilewright::io
