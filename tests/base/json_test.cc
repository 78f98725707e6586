#include "base/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/slow_build.h"
#include "tilewright/base.h"

namespace tilewright {
namespace {

using Foreign = nlohmann::ordered_json;

TEST(Json, PlainValues) {
  EXPECT_EQ(Json().to_text(), "null");
  EXPECT_EQ(Json(nullptr).to_text(), "null");
  EXPECT_EQ(Json(true).to_text(), "true");
  EXPECT_EQ(Json(false).to_text(), "false");
  EXPECT_EQ(Json(-7).to_text(), "-7");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).to_text(), "18446744073709551615");
  EXPECT_EQ(Json(Int128{1} << 100).to_text(), "1267650600228229401496703205376");
  EXPECT_EQ(Json("a \"b\" \\ \n \x01 \xC3\xA9 \x7F").to_text(),
            "\"a \\\"b\\\" \\\\ \\n \\u0001 \xC3\xA9 \x7F\"");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).to_text(), "null");
  EXPECT_EQ(Json(std::nan("")).to_text(), "null");
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Json("\xFFx\xC3").to_text(), "\"\xEF\xBF\xBDx\xEF\xBF\xBD\"");
  EXPECT_TRUE(Foreign::accept(Json("\xED\xA0\x80 \xF4\x90\x80\x80 \xC0\x80").to_text()));
}

TEST(Json, NumbersHaveAPointOrAnExponent) {
  const std::pair<double, const char*> cases[] = {
      {0, "0.0"},         {-0.0, "-0.0"},          {1, "1.0"},
      {-120, "-120.0"},   {12.5, "12.5"},          {0.001, "0.001"},
      {0.0001, "0.0001"}, {0.00001, "1e-05"},      {123456789012345, "123456789012345.0"},
      {1e15, "1e+15"},    {1.25e300, "1.25e+300"}, {5e-324, "5e-324"}};
  for (const auto& [number, text] : cases) {
    EXPECT_EQ(Json(number).to_text(), text);
    EXPECT_EQ(Foreign(number).dump(), text);
  }
}

TEST(Json, NumbersAreReadBackAsTheyWere) {
  Rng rng(11);
  int same = 0;
  const int cases = testing::affordable(20'000);
  for (int i = 0; i < cases; ++i) {
    auto number = std::bit_cast<double>(rng.next());
    if (i % 2 == 0) number = static_cast<double>(rng.below(1'000'000'000)) / 1000;
    if (!std::isfinite(number)) continue;
    const std::string text = Json(number).to_text();
    EXPECT_EQ(Foreign::parse(text).get<double>(), number) << text;
    // Another writer has the same text, but where it does not find the shortest digits.
    const std::string other = Foreign(number).dump();
    EXPECT_LE(text.size(), other.size()) << other;
    same += text == other ? 1 : 0;
  }
  EXPECT_GT(same, cases * 9 / 10);
}

// The same value twice, for this writer and another one.
struct Twins {
  Json json;
  Foreign foreign;
};

Twins random_twins(Rng& rng, int depth) {
  const auto kind = rng.below(depth > 0 ? 6 : 4);
  if (kind == 0) return {nullptr, nullptr};
  if (kind == 1) return {false, false};
  if (kind == 2) return {-3, -3};
  if (kind == 3) return {"text\t\"", "text\t\""};
  Twins all{kind == 4 ? Json::array() : Json::object(),
            kind == 4 ? Foreign::array() : Foreign::object()};
  for (auto count = rng.below(4); count > 0; --count) {
    Twins one = random_twins(rng, depth - 1);
    const std::string key = "key" + std::to_string(rng.below(3));
    if (kind == 4) {
      all.json.push_back(one.json);
      all.foreign.push_back(one.foreign);
    } else {
      all.json[key] = one.json;
      all.foreign[key] = one.foreign;
    }
  }
  return all;
}

TEST(Json, ListsAndObjectsAreWrittenAsAnotherWriterDoes) {
  Rng rng(5);
  for (int i = 0; i < testing::affordable(2'000); ++i) {
    const Twins twins = random_twins(rng, 4);
    EXPECT_EQ(twins.json.to_text(), twins.foreign.dump(2));
  }
}

TEST(Json, ObjectsAreWrittenInTheOrderOfTheirMembers) {
  Json json = {{"b", 1}, {"a", {{"inner", 2.5}}}, {"list", std::vector<int>{1, 2}}};
  json.update({{"z", "new"}, {"b", "other"}});
  EXPECT_EQ(json.to_text(),
            "{\n  \"b\": \"other\",\n  \"a\": {\n    \"inner\": 2.5\n  },\n  \"list\": [\n    1,\n"
            "    2\n  ],\n  \"z\": \"new\"\n}");
  EXPECT_EQ(Json::object().to_text(), "{}");
  EXPECT_EQ(Json::array().to_text(), "[]");
}

}  // namespace
}  // namespace tilewright
