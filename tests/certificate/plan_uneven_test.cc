// Certificates of plans with even and uneven nests: of what the search finds, and of worse plans.
#include <gtest/gtest.h>

#include "support/flat_brute_force.h"
#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"
#include "tilewright/map.h"

namespace tilewright::certificate {
namespace {

using testing::affordable;
using testing::enough;
using testing::fusion_arch;
using testing::fusion_arch_with_ports;
using testing::slow_build;
using testing::TestRng;

std::string reason(const PlanCertificate& certificate) {
  const PlanOutcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

// What is best among all nests, and among even ones.
struct UnevenPlans {
  Cascade cascade;
  Architecture arch;
  FuseOptions options;
  FuseOutcome all, even;
};

// Nothing if groups are flat, or no plan is found.
std::optional<UnevenPlans> uneven_plans(Cascade cascade, Architecture arch, Objective objective) {
  UnevenPlans made{std::move(cascade), std::move(arch), {}, {}, {}};
  made.options.objective = objective;
  made.even = fuse(made.cascade, made.arch, made.options);
  if (!made.even.found() || made.even.searched != FuseOutcome::Searched::Trees) return std::nullopt;
  made.options.uneven_nests = true;
  made.all = fuse(made.cascade, made.arch, made.options);
  return made;
}

PlanProven proven_of(const UnevenPlans& plans, const Plan& plan) {
  PlanClaim claim{plans.cascade, plans.arch, plan};
  claim.objective = plans.options.objective;
  claim.nests = Among::All;
  return prove(claim);
}

bool has_uneven_nest(const Plan& plan) {
  for (const PlanLeaf& leaf : plan.leaves) {
    for (const PrivateNest& nest : leaf.nests) {
      if (has_points(nest.problem)) return true;
    }
  }
  return false;
}

// A plan of even nests that is not the best is not said to be.
void expect_refused(const UnevenPlans& plans, const std::string& name) {
  const PlanProven proven = proven_of(plans, plans.even.plan);
  ASSERT_TRUE(proven.certificate) << name;
  PlanCertificate made = *proven.certificate;
  EXPECT_NE(made.bound, made.value) << name;
  EXPECT_EQ(reason(made), "verified") << name;
  made.bound = made.value;
  EXPECT_NE(reason(made), "verified") << name;
  // Among even nests it is the best.
  made = *proven_of(plans, plans.all.plan).certificate;
  made.nests = Among::Even;
  if (has_uneven_nest(plans.all.plan)) {
    EXPECT_NE(reason(made).find("is uneven"), std::string::npos) << reason(made);
  }
}

// The search and the checker, each with tables of its own.
TEST(PlanProveUneven, TheCheckerAgreesWithTheSearch) {
  int checked = 0, gained = 0, timed = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(120)); ++seed) {
    TestRng rng(seed + 120'000);
    const Cascade cascade = testing::fusion_cascade(rng, {1, 2, 3, 4, 6});
    const bool with_time = rng.chance(40);
    const std::int64_t words = rng.between(6, 50);
    const Architecture arch =
        with_time ? fusion_arch_with_ports(rng, words) : fusion_arch(rng, words);
    // Of plans that are as fast, the one that takes least energy is the best.
    const Objective in_time = seed % 2 == 0 ? Objective::Edp : Objective::Latency;
    const Objective objective = with_time ? in_time : Objective::Energy;
    const auto plans = uneven_plans(cascade, arch, objective);
    if (!plans) continue;
    const std::string name = "seed " + std::to_string(seed);
    const PlanProven proven = proven_of(*plans, plans->all.plan);
    ASSERT_TRUE(proven.certificate) << name << ": " << to_string(proven.problems.front());
    const PlanCertificate& made = *proven.certificate;
    EXPECT_NEAR(std::stod(made.energy_pj), plans->all.energy_pj, 1e-9 * plans->all.energy_pj)
        << name;
    EXPECT_EQ(made.bound, made.value) << name;
    EXPECT_EQ(reason(made), "verified") << name;
    const auto again = read_plan_certificate(write_certificate(made), "proof.json");
    ASSERT_TRUE(again.ok()) << name << ": " << to_string(again.problems.front());
    EXPECT_EQ(*again.value, made) << name;
    ++checked;
    timed += with_time ? 1 : 0;
    if (plans->all.value >= plans->even.value * (1 - 1e-9)) continue;
    ++gained;
    expect_refused(*plans, name);
    if (HasFailure()) return;
  }
  RecordProperty("checked", checked);
  RecordProperty("gained", gained);
  EXPECT_GE(checked, enough(50));
  if (slow_build()) return;
  EXPECT_GE(gained, 5);
  EXPECT_GE(timed, 10);
}

// The bound is found by the checker alone.
TEST(PlanProveUneven, BoundsAreTheLeastOfAllPlans) {
  int compared = 0;
  const auto cases = static_cast<std::uint64_t>(affordable(60));
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TestRng rng(seed + 130'000);
    const Cascade cascade =
        testing::make_cascade({"T[m] += A[m,k] * B[k]", "O[p] += T[m] * C[m,p]"}, " m=4 k=3 p=2");
    const Architecture arch = fusion_arch(rng, rng.between(4, 12));
    if (arch.levels.size() > 4) continue;
    const auto plans = uneven_plans(cascade, arch, Objective::Energy);
    if (!plans) continue;
    const auto best = testing::fused_brute_force(cascade, arch, {1'000, false, true});
    if (!best.complete) continue;
    const auto least = least_value(best, Objective::Energy);
    ASSERT_TRUE(least) << "seed " << seed;
    FuseOptions alone;
    alone.longest_group = 1;
    const PlanProven proven = proven_of(*plans, fuse(cascade, arch, alone).plan);
    ASSERT_TRUE(proven.certificate) << "seed " << seed;
    EXPECT_NEAR(std::stod(proven.certificate->bound), *least, 1e-9 * *least) << "seed " << seed;
    ++compared;
  }
  RecordProperty("compared", compared);
  EXPECT_GE(compared, enough(10));
}

// --- flat groups ------------------------------------------------------------------------

std::optional<Certificate> proven_nest(const Problem& nest, std::optional<double> /*seconds*/) {
  MapOptions options;
  options.objective = Objective::Energy;
  options.evenness = Evenness::Uneven;
  const MapOutcome found = map_workload(nest.workload(), nest.arch(), options);
  if (!found.found()) return std::nullopt;
  Claim claim{nest, SpaceKind::Perfect, {}, Objective::Energy, *found.search.best, std::nullopt};
  claim.among = Among::All;
  if (has_points(*found.problem)) claim.apart = *found.problem;
  return prove(claim).certificate;
}

std::string flat_reason(const FlatCertificate& certificate) {
  const FlatOutcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

TEST(PlanProveUneven, FlatGroupsAreProvenToo) {
  int checked = 0, gained = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(120)); ++seed) {
    TestRng rng(seed + 140'000);
    const Cascade cascade = testing::flat_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(3, 16));
    FuseOptions options;
    const FuseOutcome even = fuse(cascade, arch, options);
    if (!even.found() || even.searched != FuseOutcome::Searched::Flat) continue;
    options.uneven_nests = true;
    const FuseOutcome all = fuse(cascade, arch, options);
    FlatClaim claim{cascade, arch, all.plan, proven_nest};
    claim.among = Among::All;
    const FlatProven proven = prove_flat(claim);
    if (!proven.certificate) continue;  // beyond the checker
    FlatCertificate made = *proven.certificate;
    EXPECT_NEAR(std::stod(made.energy_pj), all.energy_pj, 1e-9 * all.energy_pj) << "seed " << seed;
    EXPECT_EQ(flat_reason(made), "verified") << "seed " << seed;
    EXPECT_EQ(*read_flat_certificate(write_certificate(made), "proof.json").value, made);
    if (made.bound != made.energy_pj) continue;
    ++checked;
    if (all.energy_pj >= even.energy_pj * (1 - 1e-9)) continue;
    ++gained;
    made.among = Among::Even;
    EXPECT_NE(flat_reason(made), "verified") << "seed " << seed;
    const FlatClaim worse{cascade, arch, even.plan, proven_nest, 6, Among::All};
    made = *prove_flat(worse).certificate;
    EXPECT_NE(made.bound, made.energy_pj) << "seed " << seed;
    made.bound = made.energy_pj;
    EXPECT_NE(flat_reason(made), "verified") << "seed " << seed;
  }
  RecordProperty("checked", checked);
  RecordProperty("gained", gained);
  if (slow_build()) return;
  EXPECT_GE(checked, 30);
  EXPECT_GE(gained, 3);
}

}  // namespace
}  // namespace tilewright::certificate
