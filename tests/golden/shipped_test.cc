// The model agrees with every reference result that ships.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "golden/golden.h"
#include "support/checkout.h"
#include "support/file_text.h"
#include "support/slow_build.h"

namespace tilewright::golden {
namespace {

std::string contents(const std::string& path) { return file_text(checkout_folder() + "/" + path); }

// Every tenth line, the first among them.
std::string tenth_of(const std::string& text) {
  std::istringstream lines(text);
  std::string some;
  int number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    if (number % 10 == 0) some += line + "\n";
  }
  return some;
}

void expect_agreement(const std::string& path, std::size_t cases) {
  std::string text = contents(path);
  if (tilewright::testing::slow_build()) {
    text = tenth_of(text);
    cases /= 10;
  }
  const File file = read_file(text, path);
  for (const Diagnostic& problem : file.problems) ADD_FAILURE() << to_string(problem);
  EXPECT_EQ(file.cases.size(), cases);
  int shown = 0;
  for (const Case& reference : file.cases) {
    for (const std::string& difference : differences(reference)) {
      ADD_FAILURE() << reference.id << ": " << difference;
      if (++shown == 10) FAIL() << "and perhaps more";
    }
  }
}

TEST(GoldenFiles, ConvolutionsAgree) { expect_agreement("tests/golden/timeloop_conv.jsonl", 600); }

TEST(GoldenFiles, OneDimensionalConvolutionsAgree) {
  expect_agreement("tests/golden/timeloop_conv1d.jsonl", 300);
}

TEST(GoldenFiles, MatrixProductsAgree) {
  expect_agreement("tests/golden/timeloop_gemm.jsonl", 400);
}

TEST(GoldenFiles, FidelityStudyAgrees) { expect_agreement("references/goma_fidelity.csv", 8064); }

TEST(GoldenFiles, ExampleOfTheManualAgrees) {
  std::string page = contents("docs/golden.md");
  const std::string opening = "```json\n";
  const std::size_t begin = page.find(opening);
  ASSERT_NE(begin, std::string::npos);
  page = page.substr(begin + opening.size());
  const std::string example =
      std::regex_replace(page.substr(0, page.find("```")), std::regex("\n"), " ");
  const File file = read_file(example, "example.jsonl");
  for (const Diagnostic& problem : file.problems) ADD_FAILURE() << to_string(problem);
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(differences(file.cases[0]), std::vector<std::string>());
}

}  // namespace
}  // namespace tilewright::golden
