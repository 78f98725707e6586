// `tilewright man` and `tilewright completion` have what --help has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/help_pages.h"
#include "cli/run_shell.h"
#include "support/slow_build.h"

namespace tilewright::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::help_pages;
using testing::HelpPage;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::Outcome;
using testing::run_shell;
using testing::run_tool;
using testing::Scratch;

using Words = std::vector<std::string>;

std::string printed(const Words& words) {
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

TEST(HelpPages, AreFoundForCommandsOfCommands) {
  if (tilewright::testing::slow_build()) GTEST_SKIP() << "other tests ask for help, too";
  std::vector<std::string> found;
  for (const HelpPage& page : help_pages()) {
    found.push_back(page.words());
    EXPECT_THAT(page.options, IsSupersetOf({"-h", "--help"})) << page.words();
  }
  EXPECT_THAT(found, IsSupersetOf({"", "map", "flex", "flex measure", "arch show", "man"}));
}

// --- the manual page ---------------------------------------------------------

// The part that is about a command.
std::string manual_section(const std::string& manual, const HelpPage& page) {
  const std::string start =
      page.command.empty() ? ".SH DESCRIPTION\n" : ".SS \"tilewright " + page.words() + "\"\n";
  const std::size_t at = manual.find(start);
  if (at == std::string::npos) return "";
  return manual.substr(at, manual.find("\n.S", at + start.size()) - at);
}

TEST(ManualPage, HasEveryCommandAndOptionOfTheHelp) {
  if (tilewright::testing::slow_build()) GTEST_SKIP() << "other tests ask for help, too";
  std::string manual = printed({"man"});
  EXPECT_THAT(manual, HasSubstr(".TH TILEWRIGHT 1 \"\" \"tilewright " TILEWRIGHT_VERSION "\""));
  for (std::size_t at = manual.find("\\-"); at != std::string::npos; at = manual.find("\\-", at)) {
    manual.erase(at, 1);
  }
  for (const HelpPage& page : help_pages()) {
    const std::string section = manual_section(manual, page);
    for (const std::string& option : page.options) {
      EXPECT_THAT(section, HasSubstr("\\fB" + option + "\\fR")) << page.words();
    }
  }
}

TEST(ManualPage, SaysWhatOptionsTake) {
  const std::string manual = printed({"man"});
  EXPECT_THAT(manual, HasSubstr("\\fB\\-a\\fR \\fIARCH\\fR, \\fB\\-\\-arch\\fR \\fIARCH\\fR\n"));
  EXPECT_THAT(manual, HasSubstr("one of \\fBedp, energy, latency, ed2p, perf\\-per\\-watt, "
                                "power\\fR; default: \\fBedp\\fR\n"));
  EXPECT_THAT(manual, HasSubstr("1 to 1024"));
  EXPECT_THAT(manual, HasSubstr("Exit codes: 0 good"));
}

// --- completion --------------------------------------------------------------

// What bash offers when the last of the words is to be completed.
Words offered(const Words& words, const std::string& folder) {
  std::string line = "COMP_WORDS=(tilewright";
  for (const std::string& word : words) line += " '" + word + "'";
  const Outcome outcome = run_shell("eval \"$(tilewright completion bash)\"\n" + line +
                                        ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                                        "\n_tilewright && printf '%s\\n' \"${COMPREPLY[@]}\"\n",
                                    folder);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  Words found;
  std::istringstream lines(outcome.out);
  for (std::string one; std::getline(lines, one);) {
    if (!one.empty()) found.push_back(one);
  }
  return found;
}

TEST(BashCompletion, IsAScriptThatBashAccepts) {
  const Scratch scratch;
  scratch.write("completion", printed({"completion", "bash"}));
  const Outcome outcome = run_shell("bash -n completion", scratch.path("."));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
}

TEST(BashCompletion, CompletesCommands) {
  const Scratch scratch;
  const std::string folder = scratch.path(".");
  EXPECT_THAT(offered({"ma"}, folder), ElementsAre("map", "man"));
  EXPECT_THAT(offered({"flex", "me"}, folder), ElementsAre("measure"));
  EXPECT_THAT(offered({"arch", ""}, folder), ElementsAre("show"));
  EXPECT_THAT(offered({"frobnicate", "xyz"}, folder), IsEmpty());
}

TEST(BashCompletion, OffersEveryOptionOfTheHelp) {
  if (tilewright::testing::slow_build()) GTEST_SKIP() << "no sanitizer watches the shell";
  const Scratch scratch;
  for (const HelpPage& page : help_pages()) {
    Words words = page.command;
    words.push_back("-");
    EXPECT_THAT(offered(words, scratch.path(".")), IsSupersetOf(page.options)) << page.words();
  }
}

TEST(BashCompletion, CompletesValues) {
  if (tilewright::testing::slow_build()) GTEST_SKIP() << "no sanitizer watches the shell";
  const Scratch scratch;
  const std::string folder = scratch.path(".");
  scratch.write("my chip.yaml", "");
  EXPECT_THAT(offered({"map", "--arch", "nv"}, folder), ElementsAre("nvdla"));
  EXPECT_THAT(offered({"map", "-a", "nv"}, folder), ElementsAre("nvdla"));
  EXPECT_THAT(offered({"map", "--arch", "=", "nv"}, folder), ElementsAre("nvdla"));
  EXPECT_THAT(offered({"map", "--arch", "my"}, folder), ElementsAre("my chip.yaml"));
  EXPECT_THAT(offered({"arch", "show", "toy_l"}, folder), ElementsAre("toy_linear"));
  EXPECT_THAT(offered({"map", "--model", "alexn"}, folder), ElementsAre("alexnet"));
  EXPECT_THAT(offered({"map", "--mapper", "q"}, folder), ElementsAre("quickflow"));
  EXPECT_THAT(offered({"explain", "n"}, folder), ElementsAre("network"));
  // A number cannot be guessed, and an option is no number.
  EXPECT_THAT(offered({"map", "--seed", ""}, folder), IsEmpty());
  EXPECT_THAT(offered({"map", "--seed", "-"}, folder), IsEmpty());
}

TEST(OtherCompletions, HaveEveryOptionOfTheHelp) {
  if (tilewright::testing::slow_build()) GTEST_SKIP() << "other tests ask for help, too";
  const std::string zsh = printed({"completion", "zsh"});
  const std::string fish = printed({"completion", "fish"});
  for (const HelpPage& page : help_pages()) {
    std::string function = "\n_tilewright";
    for (const std::string& word : page.command) function += "_" + word;
    const std::size_t start = zsh.find(function + "() {");
    ASSERT_NE(start, std::string::npos) << function;
    const std::string body = zsh.substr(start, zsh.find("\n}\n", start) - start);
    for (const std::string& option : page.options) {
      EXPECT_THAT(body, HasSubstr(option + "[")) << page.words();
      const bool is_long = option.starts_with("--");
      EXPECT_THAT(fish, HasSubstr((is_long ? " -l " : " -s ") + option.substr(is_long ? 2 : 1)));
    }
  }
}

TEST(OtherCompletions, AreScriptsThatTheirShellsAccept) {
  const Scratch scratch;
  int tried = 0;
  for (const std::string shell : {"zsh", "fish"}) {
    if (run_shell("command -v " + shell, scratch.path(".")).exit_code != 0) continue;
    ++tried;
    scratch.write(shell, printed({"completion", shell}));
    const Outcome outcome = run_shell(shell + " -n ./" + shell, scratch.path("."));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  }
  if (tried == 0) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST(Completion, IsForShellsThatAreKnown) {
  const Outcome outcome = run_tool({"completion", "tcsh"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("tcsh not in {bash,zsh,fish}"));
}

}  // namespace
}  // namespace tilewright::cli
