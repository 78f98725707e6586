#include <gtest/gtest.h>

#include "tilewright/base.h"

namespace tilewright {
namespace {

TEST(Diagnostic, PrintsPositionMessageAndHint) {
  EXPECT_EQ(to_string(Diagnostic{{"a.yaml", 7, 15}, "no unit", "write pJ"}),
            "a.yaml:7:15: no unit; write pJ");
}

TEST(Diagnostic, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(to_string(Diagnostic{{"a.yaml", 0, 0}, "empty", ""}), "a.yaml: empty");
  EXPECT_EQ(to_string(Diagnostic{{"", 2, 3}, "wrong", ""}), "2:3: wrong");
  EXPECT_EQ(to_string(Diagnostic{{}, "wrong", ""}), "wrong");
}

TEST(ClosestMatch, FindsMisspellings) {
  const std::vector<std::string> keys = {"capacity", "read", "read_bandwidth", "bandwidth"};
  EXPECT_EQ(closest_match("capcity", keys), "capacity");
  EXPECT_EQ(closest_match("raed", keys), "read");
  EXPECT_EQ(closest_match("read_bandwith", keys), "read_bandwidth");
  EXPECT_EQ(closest_match("CAPACITY", keys), "capacity");
}

TEST(ClosestMatch, IsSilentAboutOtherWords) {
  const std::vector<std::string> keys = {"capacity", "read"};
  EXPECT_EQ(closest_match("leakage", keys), std::nullopt);
  EXPECT_EQ(closest_match("", keys), std::nullopt);
  EXPECT_EQ(closest_match("k", {"m"}), std::nullopt);
  EXPECT_EQ(closest_match(std::string(100000, 'c'), keys), std::nullopt);
}

TEST(ClosestMatch, TakesTheNearestOfSeveral) {
  EXPECT_EQ(closest_match("weights", {"weighs", "weight"}), "weighs");
  EXPECT_EQ(closest_match("outputs", {"input", "output"}), "output");
}

}  // namespace
}  // namespace tilewright
