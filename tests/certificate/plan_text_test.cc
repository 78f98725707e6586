#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/certificate.h"

namespace tilewright::certificate {
namespace {

PlanCertificate example() {
  PlanCertificate made;
  made.architecture = "architecture: \"a\"\n";
  made.cascade = "cascade: c\n";
  made.shared = "Buffer";
  made.longest_group = 2;
  made.plan = "plan: []\n";
  made.energy_pj = "12.5";
  made.value = made.bound = "12.5";
  made.least = {{{"5", 0}}};
  made.proof = {{GroupStep::Floor, GroupStep::Trees}, {GroupStep::None}};
  return made;
}

std::string complaint(const std::string& text) {
  const Checked<PlanCertificate> read = read_plan_certificate(text, "c.json");
  return read.ok() ? "read" : to_string(read.problems.front());
}

std::string with(std::string text, const std::string& piece, const std::string& other) {
  const std::size_t found = text.find(piece);
  if (found == std::string::npos) throw std::logic_error(piece + " is not there");
  return text.replace(found, piece.size(), other);
}

TEST(PlanCertificateText, IsReadBackAsItWas) {
  const std::string text = write_certificate(example());
  EXPECT_TRUE(is_plan_certificate(text));
  const Checked<PlanCertificate> read = read_plan_certificate(text, "c.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(*read.value == example());
  EXPECT_FALSE(is_plan_certificate("{\"tilewright_certificate\": 4}"));
}

TEST(PlanCertificateText, ThoseInTimeHaveCycles) {
  PlanCertificate timed = example();
  timed.objective = Objective::Edp;
  timed.cycles = Int128{1} << 70;
  timed.least = {{{"5", 7}, {"6", 4}}};
  const Checked<PlanCertificate> read = read_plan_certificate(write_certificate(timed), "c.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(*read.value == timed);
  timed.least = {{}};
  EXPECT_TRUE(*read_plan_certificate(write_certificate(timed), "c.json").value == timed);
}

TEST(PlanCertificateText, SaysWhereItIsNotUnderstood) {
  const std::string text = write_certificate(example());
  EXPECT_EQ(complaint("{}"), "c.json: \"tilewright_plan_certificate\" is missing");
  EXPECT_THAT(complaint(text.substr(0, text.size() / 2)), ::testing::HasSubstr("not JSON"));
  EXPECT_THAT(complaint(with(text, "\"ft\"", "\"fx\"")),
              ::testing::HasSubstr("\"fx\" is not a row of groups; write steps as in \"ft-\": f "
                                   "floor, t trees, - no group"));
  const char* no_totals =
      "c.json:13:3: \"least\" is not a list of lists of totals; write totals as in "
      "{\"energy_pj\": \"12.5\"}";
  EXPECT_EQ(complaint(with(text, "\"energy_pj\": \"5\"", "\"energy\": \"5\"")), no_totals);
  EXPECT_EQ(complaint(with(text, "\"energy_pj\": \"5\"", "\"energy_pj\": \"5\", \"cycles\": 3")),
            no_totals);
  EXPECT_EQ(complaint(with(text, "\"energy\"", "\"speed\"")),
            "c.json:4:3: nothing is proven of plans for 'speed'; write \"energy\", \"latency\" or "
            "\"edp\"");
  EXPECT_EQ(complaint(with(text, "\"energy\"", "\"latency\"")), "c.json: \"cycles\" is missing");
  EXPECT_THAT(complaint(with(text, "\"value\"", "\"cycles\": 3, \"value\"")),
              ::testing::HasSubstr("nothing is said of the cycles of plans of least energy"));
  EXPECT_EQ(complaint(with(text, "\"longest_group\": 2", "\"longest_group\": 0")),
            "c.json:8:3: groups have one einsum at least, and 2^20 at most");
  EXPECT_EQ(complaint(with(text, "\"shared\"", "\"shered\"")),
            "c.json:7:3: \"shered\" is not a key of a certificate; did you mean \"shared\"?");
}

}  // namespace
}  // namespace tilewright::certificate
