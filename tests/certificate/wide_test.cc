// Certificates about counts of more than 64 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certificate/examples.h"
#include "support/asked.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

using testing::example_arch;
using ::testing::IsEmpty;
using testing::make_evaluator;
using testing::make_problem;
using testing::slow_build;

constexpr std::int64_t kSide = std::int64_t{1} << 30U;  // 2^90 multiply-accumulates

Certificate certify_large(SpaceKind kind, Objective objective) {
  const Problem problem = make_problem(make_gemm("gemm", kSide, kSide, kSide), example_arch());
  Asked asked;
  asked.objective = objective;
  const OptimalResult best =
      find_optimum(make_evaluator(problem), kind, *Restrictions::create(problem).value, asked);
  EXPECT_EQ(best.status, OptimalResult::Status::Proven);
  const Claim claim{problem, kind, {}, objective, *best.best, {}};
  const Proven proven = prove(claim);
  EXPECT_THAT(proven.problems, IsEmpty());
  EXPECT_FALSE(proven.better.has_value());
  return proven.certificate.value_or(Certificate{});
}

bool is_verified(const Certificate& certificate) { return check(certificate).problems.empty(); }

TEST(WideCertificates, AreVerifiedAndRefusedWhereTheyAreTamperedWith) {
  for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
    const Certificate proof = certify_large(SpaceKind::Perfect, objective);
    EXPECT_GT(proof.cycles, kCountLimit);
    EXPECT_TRUE(is_verified(proof)) << to_string(objective);
    Certificate forged = proof;
    ++forged.cycles;
    EXPECT_FALSE(is_verified(forged));
    forged = proof;
    forged.cycles -= Int128{1} << 64U;  // what fewer bits would not see
    EXPECT_FALSE(is_verified(forged));
    forged = proof;
    forged.value.front() = forged.value.front() == '9' ? '8' : '9';
    EXPECT_FALSE(is_verified(forged));
    forged = proof;
    forged.bound.push_back('0');  // ten times as high
    EXPECT_FALSE(is_verified(forged));
  }
}

TEST(WideCertificates, ExistWithRemaindersInSpace) {
  if (slow_build()) GTEST_SKIP() << "the solver takes its time under the sanitizers";
  EXPECT_TRUE(is_verified(certify_large(SpaceKind::RubyS, Objective::Edp)));
}

TEST(WideCertificates, HaveAllDigitsOfTheirCyclesAsText) {
  const Certificate proof = certify_large(SpaceKind::Perfect, Objective::Latency);
  const std::string text = write_certificate(proof);
  EXPECT_THAT(text, ::testing::HasSubstr("\"cycles\": \""));
  const Checked<Certificate> read = read_certificate(text, "c.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read.value, proof);
}

}  // namespace
}  // namespace tilewright::certificate
