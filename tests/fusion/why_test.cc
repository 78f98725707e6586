// Why the best plan does not fuse more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fusion_case.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

using Reason = NotFused::Reason;

Architecture arch_with(const std::string& buffer) {
  return *io::read_architecture(
              "architecture: small\nlevels:\n"
              "  - {memory: DRAM, capacity: unlimited, read: 100 pJ}\n"
              "  - {memory: Buffer, read: 2 pJ, " +
                  buffer + "}\n  - {compute: MAC}\n",
              "arch.yaml")
              .value;
}

Cascade two(const std::string& writer, const std::string& reader) {
  return *io::read_cascade(
              "cascade: two\nsizes: {m: 16, n: 16, k: 16, q: 16}\neinsums:\n  - One: " + writer +
                  "\n    then: {norm: n}\n  - Two: " + reader + "\n",
              "cascade.yaml")
              .value;
}
Cascade normed() { return two("T[m,n] += X[m,k] * W1[k,n]", "D[m,q] += T[m,n] * W2[n,q]"); }

std::vector<NotFused> reasons(const Cascade& cascade, const Architecture& arch,
                              const FuseOptions& options = {}) {
  const FuseOutcome outcome = fuse(cascade, arch, options);
  EXPECT_TRUE(outcome.found());
  return why_not_fused(cascade, arch, options, outcome);
}

TEST(WhyNotFused, NothingIsSaidOfWhatStays) {
  EXPECT_TRUE(reasons(normed(), arch_with("capacity: 600 words")).empty());
}

TEST(WhyNotFused, AMemoryMayNotKeepIt) {
  const auto found = reasons(normed(), arch_with("capacity: 600 words, keep: [input, weight]"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].tensor, "T");
  EXPECT_EQ(found[0].reason, Reason::NotKept);
  EXPECT_EQ(found[0].detail, "One");
}

TEST(WhyNotFused, ItMayBeReadInAnotherForm) {
  const auto found = reasons(two("T[m,n] += X[m,k] * W1[k,n]", "D[n,q] += T[n,m] * W2[m,q]"),
                             arch_with("capacity: 600 words"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, Reason::OtherForm);
  EXPECT_EQ(found[0].detail, "T[m,n], T[n,m]");
}

TEST(WhyNotFused, TheGroupMayBeTooLong) {
  FuseOptions options;
  options.longest_group = 1;
  const auto found = reasons(normed(), arch_with("capacity: 600 words"), options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, Reason::LongGroup);
}

// A row of T has 16 words, of which none may go before the last one is there.
TEST(WhyNotFused, TheRoomIsTooSmallByAFactor) {
  const auto found = reasons(normed(), arch_with("capacity: 14 words"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, Reason::NoRoom);
  EXPECT_EQ(found[0].room_factor, 2);
}

// A plan of one group takes as much more as is said, and is the best one of them.
TEST(WhyNotFused, OneGroupTakesAsMuchMoreAsIsSaid) {
  int compared = 0;
  for_each_fused({.cases = 200, .first_seed = 4001, .most_words = 40}, [&](const FusedCase& found) {
    for (const NotFused& one : why_not_fused(found.cascade, found.arch, {}, found.outcome)) {
      if (one.reason != Reason::NoGain || found.outcome.plan.groups.size() != 2) continue;
      FuseOptions together;
      together.one_group = true;
      const FuseOutcome whole = fuse(found.cascade, found.arch, together);
      ASSERT_TRUE(whole.found()) << found.name;
      EXPECT_EQ(whole.plan.groups.size(), 1U);
      const auto counted = evaluate_plan(found.cascade, found.arch, whole.plan);
      ASSERT_TRUE(counted.ok()) << found.name;
      EXPECT_TRUE(counted.value->misfit.empty());
      EXPECT_NEAR(counted.value->energy_pj, found.outcome.energy_pj + one.more_pj,
                  1e-9 * whole.energy_pj)
          << found.name;
      together.prunes = false;
      EXPECT_NEAR(fuse(found.cascade, found.arch, together).energy_pj, whole.energy_pj,
                  1e-9 * whole.energy_pj);
      ++compared;
    }
  });
  EXPECT_GE(compared, enough(5));
}

TEST(WhyNotFused, NothingIsLookedIntoWithoutTime) {
  FuseOptions options;
  const Architecture arch = arch_with("capacity: 14 words");
  const FuseOutcome outcome = fuse(normed(), arch, options);
  options.seconds = 0;
  const auto found = why_not_fused(normed(), arch, options, outcome);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, Reason::NoGainFound);
}

}  // namespace
}  // namespace tilewright::testing
