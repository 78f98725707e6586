// Commands of other programs, where these are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_tool.h"
#include "support/checkout.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool_in;
using testing::Scratch;

// A copy of the tool in an empty folder.
Outcome run_alone(const std::string& copy, const std::vector<std::string>& arguments) {
  const std::string script = "cp \"$0\" " + copy + " && exec " + copy + " \"$@\"";
  return run_tool_in({.before = {"/bin/sh", "-c", script}}, arguments);
}

void expect_missing(const std::string& part, const std::string& use,
                    const std::vector<std::string>& arguments) {
  SCOPED_TRACE(::testing::PrintToString(arguments));
  const Scratch scratch;
  const std::string copy = scratch.path("tilewright");
  const Outcome outcome = run_alone(copy, arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(copy + "-" + part + " is not there"),
                                 HasSubstr("`./tilewright " + use + "` builds it")));
}

TEST(CliBeside, SaysWhatToDoWhereAProgramIsMissing) {
  expect_missing("reproduce", "reproduce", {"reproduce", "ruby"});
  expect_missing("full", "check", {"check", "any.json"});
  expect_missing("full", "check", {"fuse", "-a", "eyeriss", "--cascade", "attention"});
  expect_missing("full", "check",
                 {"eval", "-a", "eyeriss", "--cascade", "attention", "-m", "plan.yaml"});
  expect_missing("full", "check",
                 {"map", "-a", "toy_linear", "-w", "gemm: m=4 n=4 k=4", "--certificate", "any"});
}

TEST(CliBeside, OtherCommandsNeedNoProgramBesideTheTool) {
  const Scratch scratch;
  const Outcome outcome =
      run_alone(scratch.path("tilewright"), {"map", "-a", "toy_linear", "-w", "gemm: m=4 n=4 k=4"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("proven optimal"));
}

}  // namespace
}  // namespace tilewright::cli
