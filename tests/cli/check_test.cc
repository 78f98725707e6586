#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certificate/examples.h"
#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using tilewright::testing::certify;
using tilewright::testing::gemm_example;

TEST(CliCheck, SaysWhatIsVerified) {
  const certificate::Certificate made = certify(gemm_example(SpaceKind::RubyS, Objective::Energy));
  const Scratch scratch;
  const std::string path = scratch.write("best.json", certificate::write_certificate(made));
  const Outcome outcome = run_tool({"check", path});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr(path + ": verified\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("no even mapping of the map-space ruby-s has a lower energy (pJ) than " +
                        made.value));
  EXPECT_THAT(outcome.out, HasSubstr("which is optimal"));
}

TEST(CliCheck, RefusesAndSaysWhy) {
  certificate::Certificate made = certify(gemm_example(SpaceKind::Perfect, Objective::Edp));
  made.cycles += 1;
  const Scratch scratch;
  const std::string path = scratch.write("bad.json", certificate::write_certificate(made));
  const Outcome outcome = run_tool({"check", path});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(path + ": refused: the mapping takes "));
}

TEST(CliCheck, UnreadableFilesAreBadInput) {
  const Scratch scratch;
  const std::string path = scratch.write("no.json", "{");
  EXPECT_EQ(run_tool({"check", path}).exit_code, 2);
  EXPECT_EQ(run_tool({"check", scratch.path("nothing.json")}).exit_code, 2);
  EXPECT_EQ(run_tool({"check"}).exit_code, 2);
}

}  // namespace
}  // namespace tilewright::cli
