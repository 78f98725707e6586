#include "io/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::HasSubstr;

const Variables kVariables = {{"rows", Fraction{256, 1}}, {"half", Fraction{1, 2}}};

Fraction value_of(const std::string& text) {
  const Arithmetic found = evaluate_arithmetic(text, kVariables);
  EXPECT_EQ(found.message, "") << text;
  return found.value.value_or(Fraction{-1, 1});
}

TEST(Expression, FollowsTheUsualRules) {
  EXPECT_EQ(value_of("2 + 3 * 4"), (Fraction{14, 1}));
  EXPECT_EQ(value_of("(2 + 3) * 4"), (Fraction{20, 1}));
  EXPECT_EQ(value_of("2 - 3 - 4"), (Fraction{-5, 1}));
  EXPECT_EQ(value_of("8 / 4 / 2"), (Fraction{1, 1}));
  EXPECT_EQ(value_of("1 / 3 + 1 / 6"), (Fraction{1, 2}));
  EXPECT_EQ(value_of("0.1 + 0.2"), (Fraction{3, 10}));
  EXPECT_EQ(value_of("rows * half"), (Fraction{128, 1}));
  EXPECT_EQ(value_of("2*(rows-(3*2))"), (Fraction{500, 1}));
  EXPECT_EQ(value_of("1.5e3"), (Fraction{1500, 1}));
}

TEST(Expression, EndsWhereAUnitBegins) {
  const Arithmetic found = evaluate_arithmetic("2 * rows * 16 KiB", kVariables);
  EXPECT_EQ(found.value, (Fraction{8192, 1}));
  EXPECT_EQ(std::string("2 * rows * 16 KiB").substr(found.length), " KiB");
}

TEST(Expression, IsToldFromPlainNumbers) {
  const auto arithmetic = [](const std::string& text) {
    return starts_with_arithmetic(text, kVariables);
  };
  for (const char* text : {"2 * 3 B", "rows", "rows words", "(2) B", "2 + 3 B", "4 / 2 B",
                           "2 / rows B", "rosw B", "3/8 * 2 words/cycle", "foo * 2"}) {
    EXPECT_TRUE(arithmetic(text)) << text;
  }
  for (const char* text : {"64 B", "3/8 words/cycle", "64 B/cycle", "3/cycle", "lots", "-1 pJ",
                           "1.5e-3 pJ", "unlimited", "", "/"}) {
    EXPECT_FALSE(arithmetic(text)) << text;
  }
}

struct WrongSum {
  std::string text;
  std::size_t at;
  std::string message;
};
class WrongSums : public ::testing::TestWithParam<WrongSum> {};

TEST_P(WrongSums, SayWhatIsWrongAndWhere) {
  const auto& [text, at, message] = GetParam();
  const Arithmetic found = evaluate_arithmetic(text, kVariables);
  EXPECT_EQ(found.value, std::nullopt);
  EXPECT_EQ(found.error_at, at);
  EXPECT_EQ(found.message, message);
}

INSTANTIATE_TEST_SUITE_P(
    Expression, WrongSums,
    ::testing::Values(WrongSum{"2 *", 3, "a number or a variable is missing here"},
                      WrongSum{"2 * (3 + 4", 4, "this parenthesis is not closed"},
                      WrongSum{"2 / (rows - 256)", 3, "this divides by zero"},
                      WrongSum{"2 * rosw", 4, "\"rosw\" is not a variable"},
                      WrongSum{"1e18 * 1e18 * 1e18", 13,
                               "this number is too large or too long to be kept exactly"},
                      WrongSum{std::string(50, '('), 40, "parentheses are nested too deeply"}));

// --- in architecture files ------------------------------------------------------

Checked<Architecture> read(const std::string& variables, const std::string& keys) {
  return read_architecture("architecture: a\n" + variables + "\nlevels:\n  - {memory: M, " + keys +
                               "}\n  - {fanout: A, x: 2 * side, y: {size: side}}\n  - compute: C\n",
                           "a.yaml");
}

TEST(Variables, StandForNumbersInLevels) {
  const Checked<Architecture> arch =
      read("variables: {rows: 256, side: rows / 16}",
           "capacity: 2 * rows * 16 B, word: (rows / 32) bits, read: 0.5 * 3 pJ, "
           "bandwidth: rows / 3 words/cycle");
  for (const Diagnostic& problem : arch.problems) ADD_FAILURE() << to_string(problem);
  ASSERT_TRUE(arch.value);
  const auto& memory = std::get<Memory>(arch.value->levels[0]);
  EXPECT_EQ(memory.capacity, (Capacity{Capacity::Unit::Bits, 2 * 256 * 16 * 8}));
  EXPECT_EQ(memory.word_bits, 8);
  EXPECT_EQ(memory.read_pj, 1.5);
  EXPECT_EQ(memory.shared_bandwidth, (Rational{256, 3}));
  const auto& fanout = std::get<Fanout>(arch.value->levels[1]);
  EXPECT_EQ(fanout.x.size, 32);
  EXPECT_EQ(fanout.y.size, 16);
  EXPECT_EQ(read_architecture(write_architecture(*arch.value), "b").value, arch.value);
}

TEST(Variables, AreComplainedAboutOnceAndInPlace) {
  const Checked<Architecture> arch = read("variables: {side: 4 * sdie}", "capacity: side B");
  ASSERT_EQ(arch.problems.size(), 1U);
  EXPECT_EQ(to_string(arch.problems[0]),
            "a.yaml:2:23: \"sdie\" is not a variable; give it a value, such as \"variables: {sdie: "
            "2}\"");
}

TEST(Variables, ThatAreMisspeltAreSuggested) {
  const Checked<Architecture> arch = read("variables: {side: 4}", "capacity: 2 * sdie * 16 B");
  ASSERT_EQ(arch.problems.size(), 1U);
  EXPECT_EQ(to_string(arch.problems[0]),
            "a.yaml:4:31: \"sdie\" is not a variable; did you mean side?");
}

}  // namespace
}  // namespace tilewright::io
