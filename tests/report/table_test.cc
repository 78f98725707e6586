#include "report/table.h"

#include <gtest/gtest.h>

namespace tilewright::report {
namespace {

using Align = Table::Align;

// 2+4, 2+6, 2+5, 2+5: 28 columns.
Table example(int width) {
  Table table({{"name", Align::Left},
               {"energy", Align::Right, 1},
               {"notes", Align::Left, 3},
               {"count", Align::Right, 3}},
              width);
  table.add({"a", "1", "x", "2"});
  return table;
}

TEST(Table, ShowsEverythingWithoutALimitOrWithRoom) {
  const std::string whole =
      "  name  energy  notes  count\n"
      "  ----  ------  -----  -----\n"
      "  a          1  x          2\n";
  EXPECT_EQ(example(0).text(), whole);
  EXPECT_EQ(example(28).text(), whole);
}

TEST(Table, LeavesOutTheLeastImportantColumnsAndNamesThem) {
  EXPECT_EQ(example(27).text(),
            "  name  energy  notes\n"
            "  ----  ------  -----\n"
            "  a          1  x\n"
            "  (left out to fit: count;\n"
            "   --wide prints all)\n");
  EXPECT_EQ(example(20).text(),
            "  name  energy\n"
            "  ----  ------\n"
            "  a          1\n"
            "  (left out to fit:\n"
            "   notes, count;\n"
            "   --wide prints all)\n");
}

TEST(Table, PutsBackWhatFitsAfterAWideColumnIsGone) {
  Table table({{"name", Align::Left}, {"a long heading", Align::Left, 1}, {"x", Align::Right, 2}},
              12);
  table.add({"a", "b", "1"});
  EXPECT_EQ(table.text(),
            "  name  x\n"
            "  ----  -\n"
            "  a     1\n"
            "  (left out to fit:\n"
            "   a long heading;\n"
            "   --wide prints all)\n");
}

TEST(Table, KeepsWhatMustStayHoweverNarrow) {
  const std::string text = example(1).text();
  EXPECT_TRUE(text.starts_with("  name\n  ----\n  a\n  (left out to fit:")) << text;
}

}  // namespace
}  // namespace tilewright::report
