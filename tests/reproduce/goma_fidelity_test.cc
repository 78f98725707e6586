#include <atomic>
#include <set>

#include "reproduce/figure_cells.h"
#include "reproduce/goma_figures.h"
#include "support/slow_build.h"

namespace tilewright::reproduce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

int mappings(const Figure& figure, const std::string& of, const std::string& formula,
             const std::string& where) {
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    if (cell(figure, row, "mappings of") == of && cell(figure, row, "formula") == formula &&
        cell(figure, row, "where") == where) {
      return std::stoi(cell(figure, row, "mappings"));
    }
  }
  return 0;
}

const std::string kAuthors = "GOMA's authors", kRuns = "our Timeloop runs";
const std::string kAsGiven = "closed form, walking axes as given";
const std::string kMoving = "closed form, walking axes that have a loop";

TEST(GomaStudy, HasEveryMappingOnce) {
  std::set<std::string> names;
  for (const golden::GemmRow& row : goma_study()) {
    names.insert(golden::name_of(row));
    EXPECT_TRUE(golden::gemm_case(row).ok()) << golden::name_of(row);
    EXPECT_EQ(row.bounds[0][2] * row.bounds[1][2] * row.bounds[2][2], 256);
  }
  EXPECT_EQ(names.size(), 8064U);
}

// One test for all that the figure says: it goes through every mapping.
TEST(GomaFidelity, ExplainsEveryDeparture) {
  if (testing::slow_build()) GTEST_SKIP() << "the golden files go the same way";
  const Figure figure = goma_fidelity({});
  expect_rectangular(figure);
  for (const auto& row : figure.rows) {
    EXPECT_THAT(row, Not(Contains(HasSubstr("not explained"))));
  }
  // It departs from the authors' runs on the 60 mappings that the paper prints.
  EXPECT_EQ(mappings(figure, kAuthors, kMoving, "exact"), 8004);
  EXPECT_EQ(mappings(figure, kAuthors, kMoving, "run that goes on at DRAM"), 60);
  EXPECT_EQ(cell(figure, 0, "share %"), cell(figure, 0, "paper %"));
  // Our model is Timeloop; the closed form is only where walking axes have loops.
  EXPECT_EQ(mappings(figure, kRuns, "our model", "exact"), 8064);
  EXPECT_EQ(mappings(figure, kRuns, kMoving, "exact"), 8064);
  EXPECT_EQ(mappings(figure, kRuns, kAsGiven, "exact"), 7776);
  EXPECT_EQ(mappings(figure, kRuns, kAsGiven, "walking axis without a loop at SRAM"), 288);
}

TEST(GomaFidelity, SaysThatItIsIncompleteWhenInterrupted) {
  const std::atomic<bool> cancelled = true;
  Options options;
  options.cancelled = &cancelled;
  EXPECT_THAT(goma_fidelity(options).notes, Contains(HasSubstr("interrupted")));
}

}  // namespace
}  // namespace tilewright::reproduce
