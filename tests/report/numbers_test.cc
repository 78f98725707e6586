#include <gtest/gtest.h>

#include <limits>

#include "base/text.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

TEST(Numbers, AreGroupedByThrees) {
  const std::vector<std::pair<std::int64_t, const char*>> table = {
      {0, "0"},
      {7, "7"},
      {999, "999"},
      {1000, "1,000"},
      {12345, "12,345"},
      {123456, "123,456"},
      {1234567, "1,234,567"},
      {-1, "-1"},
      {-999, "-999"},
      {-1000, "-1,000"},
      {-123456, "-123,456"},
      {std::numeric_limits<std::int64_t>::max(), "9,223,372,036,854,775,807"},
      {std::numeric_limits<std::int64_t>::min(), "-9,223,372,036,854,775,808"}};
  for (const auto& [number, text] : table) EXPECT_EQ(grouped(number), text);
}

TEST(Numbers, EnergiesTakeTheUnitThatLeavesThemAtOneOrMore) {
  const std::vector<std::pair<double, const char*>> table = {
      {0, "0 pJ"},         {0.21, "0.21 pJ"},    {1, "1 pJ"},         {999.9, "999.9 pJ"},
      {1000, "1 nJ"},      {1234.5, "1.234 nJ"}, {6400, "6.4 nJ"},    {690100000, "690.1 uJ"},
      {17.6e9, "17.6 mJ"}, {1e12, "1 J"},        {4.2e15, "4,200 J"}, {-2500, "-2.5 nJ"},
      {999999, "1000 nJ"},
  };
  for (const auto& [pj, text] : table) EXPECT_EQ(energy(pj), text);
}

TEST(Numbers, ProductsOfEnergyAndTimeScaleToo) {
  const std::vector<std::pair<double, const char*>> table = {
      {0, "0 pJ*cycle"},      {268200, "268.2 nJ*cycle"},  {653.3e6, "653.3 uJ*cycle"},
      {5e9, "5 mJ*cycle"},    {474.9e12, "474.9 J*cycle"}, {941.1e15, "941.1 kJ*cycle"},
      {12e18, "12 MJ*cycle"},
  };
  for (const auto& [pj_cycles, text] : table) EXPECT_EQ(edp(pj_cycles), text);
}

TEST(Numbers, AreasArePrintedInSquareMillimetresFromOneOn) {
  EXPECT_EQ(area(500), "500 um2");
  EXPECT_EQ(area(999999), "999,999 um2");
  EXPECT_EQ(area(2115000), "2.115 mm2");
}

TEST(Numbers, SharesArePercent) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.12345), "12.3 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(share(1, 8), "12.5 %");
  EXPECT_EQ(share(0, 8), "0.0 %");
}

TEST(Numbers, NothingHasNoShares) { EXPECT_EQ(share(0, 0), "-"); }

TEST(Numbers, PlainOnesAvoidPowersOfTen) {
  const std::vector<std::pair<double, const char*>> table = {
      {0, "0"},
      {0.5, "0.5"},
      {2, "2"},
      {13.0648, "13.06"},
      {999.94, "999.9"},
      {1190.4, "1,190"},
      {12345.6, "12,346"},
      {-1500, "-1,500"},
      {1e14, "100,000,000,000,000"},
  };
  for (const auto& [number, text] : table) EXPECT_EQ(plain(number), text);
}

TEST(Lists, ReadLikeASentence) {
  EXPECT_EQ(list_of({}), "");
  EXPECT_EQ(list_of({"a"}), "a");
  EXPECT_EQ(list_of({"a", "b"}), "a and b");
  EXPECT_EQ(list_of({"a", "b", "c"}), "a, b and c");
}

TEST(Tables, AlignTheirColumnsAndEndNoLineInBlanks) {
  Table table({{"name", Table::Align::Left}, {"count"}, {"notes", Table::Align::Left}});
  table.add({"a", "1", "first"});
  table.add({"longer", "1,000"});
  EXPECT_EQ(table.text(),
            "  name    count  notes\n"
            "  ------  -----  -----\n"
            "  a           1  first\n"
            "  longer  1,000\n");
}

}  // namespace
}  // namespace tilewright::report
