#include "base/json_text.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JsonText, OrdinaryTextIsGood) {
  for (const std::string text :
       {"", "1", "[1, -2.5e3, 1e308, 1e-999]", R"({"a": {"b": [null, true, "1e999"]}})",
        R"("[[[ \" [[[ \\")", "\"not closed \\"}) {
    EXPECT_FALSE(find_json_problem(text)) << text;
  }
}

TEST(JsonText, FindsTheFirstBracketThatIsTooDeep) {
  EXPECT_FALSE(find_json_problem(repeated("[", 64)));
  EXPECT_FALSE(find_json_problem(repeated("[]", 1000)));
  EXPECT_FALSE(find_json_problem("[\"" + repeated("[", 1000) + "\"]"));
  for (const std::string open : {"[", "{\"a\":"}) {
    const auto problem = find_json_problem(repeated(open, 100'000));
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->byte, 64 * open.size());
    EXPECT_EQ(problem->message, "lists and maps are nested too deeply");
  }
}

TEST(JsonText, FindsANumberThatIsTooLarge) {
  const auto problem = find_json_problem(R"({"small": 1e-999, "large": -1e999})");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->byte, 27U);
  EXPECT_EQ(problem->message, "the number -1e999 is too large");
  EXPECT_FALSE(find_json_problem("0." + repeated("0", 1000) + "1"));
  EXPECT_FALSE(find_json_problem(repeated("9", 300) + "e-99999999999999999999"));
  EXPECT_TRUE(find_json_problem(repeated("9", 1000) + "e-400"));
  EXPECT_TRUE(find_json_problem("1e99999999999999999999"));
  const auto digits = find_json_problem(repeated("9", 1000));
  ASSERT_TRUE(digits);
  EXPECT_EQ(digits->message, "the number " + repeated("9", 24) + "... is too large");
}

}  // namespace
}  // namespace tilewright
