// What the pages say can be found: files and headings behind links, the
// examples of the README, versions and papers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cctype>
#include <regex>
#include <set>
#include <sstream>

#include "cli/run_tool.h"
#include "support/checkout.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  const fs::path root = checkout_folder();
  std::vector<fs::path> found;
  for (const fs::path& folder : {root, root / "docs"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

// "#what-is-counted" for the heading "## What is counted", as GitHub has it.
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> anchors;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char sign : line.substr(line.find_first_not_of("# "))) {
      const auto byte = static_cast<unsigned char>(sign);
      if (sign == ' ' || sign == '-') anchor += '-';
      if (std::isalnum(byte) != 0 || sign == '_') {
        anchor += static_cast<char>(std::tolower(byte));
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Pages, LinkToFilesAndHeadingsThatExist) {
  static const std::regex link("\\]\\(([^):#]*)(?:#([^)]*))?\\)");
  int links = 0;
  for (const fs::path& page : pages()) {
    const std::string text = contents(page);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      ++links;
      const std::string file = (*at)[1], anchor = (*at)[2];
      const fs::path target = file.empty() ? page : page.parent_path() / file;
      ASSERT_TRUE(fs::exists(target)) << page << " links to " << file;
      if (anchor.empty()) continue;
      EXPECT_EQ(anchors_of(contents(target)).count(anchor), 1U)
          << page << " links to " << file << "#" << anchor;
    }
  }
  EXPECT_GT(links, 50);
}

TEST(Readme, LeadsToEveryPage) {
  const std::string readme = contents(checkout_folder() + "/README.md");
  for (const fs::path& page : pages()) {
    if (page.filename() == "README.md") continue;
    EXPECT_THAT(readme, HasSubstr(page.filename().string() + ")"));
  }
}

// The first command of the README with the constraint that its table shows.
TEST(Readme, ItsConstraintWorksOnItsArchitecture) {
  const std::string readme = contents(checkout_folder() + "/README.md");
  EXPECT_THAT(readme, HasSubstr("./tilewright map --model resnet50 --arch eyeriss\n"));
  static const std::regex constrain("map --constrain \"([^\"]*)\"");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(readme, match, constrain));
  const Outcome outcome =
      run_tool({"map", "--model", "resnet50", "--arch", "eyeriss", "--constrain", match[1]});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Totals, each layer as often as it occurs"));
}

TEST(Citation, NamesThisVersionItsLicenceAndThePapers) {
  const YAML::Node citation = YAML::LoadFile(checkout_folder() + "/CITATION.cff");
  EXPECT_EQ(citation["version"].as<std::string>(), TILEWRIGHT_VERSION);
  EXPECT_EQ(citation["license"].as<std::string>(), "Apache-2.0");
  for (const char* key : {"cff-version", "message", "title", "type"}) {
    EXPECT_TRUE(citation[key].IsScalar()) << key;
  }
  ASSERT_EQ(citation["references"].size(), 4U);
  for (const YAML::Node& paper : citation["references"]) {
    EXPECT_TRUE(paper["title"].IsScalar() && paper["type"].IsScalar());
    ASSERT_GT(paper["authors"].size(), 1U);
    for (const YAML::Node& author : paper["authors"]) {
      EXPECT_TRUE(author["family-names"].IsScalar()) << paper["title"];
    }
  }
}

TEST(Changelog, HasThisVersion) {
  EXPECT_THAT(contents(checkout_folder() + "/CHANGELOG.md"),
              HasSubstr("\n## [" TILEWRIGHT_VERSION "]"));
}

}  // namespace
}  // namespace tilewright::cli
