// Certificates of plans of flat groups: of what the search finds, of worse plans, and against all
// plans.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "certificate/flat_count.h"
#include "certificate/refused.h"
#include "support/flat_brute_force.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"
#include "tilewright/map.h"

namespace tilewright::certificate {
namespace {

using testing::affordable;
using testing::fusion_arch;
using testing::TestRng;

std::optional<Certificate> proven_nest(const Problem& nest, std::optional<double>) {
  MapOptions options;
  options.objective = Objective::Energy;
  const MapOutcome found = map_workload(nest.workload(), nest.arch(), options);
  if (!found.found()) return std::nullopt;
  return prove({nest, SpaceKind::Perfect, {}, Objective::Energy, *found.search.best, std::nullopt})
      .certificate;
}

std::string flat_reason(const FlatCertificate& certificate) {
  const FlatOutcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

bool is_flat(const Plan& plan) {
  for (const PlanNode& group : plan.groups) {
    for (const PlanNode& child : group.children) {
      if (!child.is_leaf() || !child.loops.empty()) return false;
    }
  }
  return true;
}

// The checker's count of plans with windows, padding and strides is that of the model.
TEST(FlatProve, CountsAsTheModelDoes) {
  int counted_plans = 0, with_loops = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(20'000)); ++seed) {
    TestRng rng(seed + 70'000);
    auto random = testing::random_plan(rng);
    if (!random || !is_flat(random->plan)) continue;
    testing::add_random_nests(rng, random->cascade, random->arch, random->plan);
    const auto model = evaluate_plan(random->cascade, random->arch, random->plan);
    if (!model.ok() || !model.value->misfit.empty()) continue;
    std::optional<double> pj;
    try {
      const FlatSpace space(random->cascade, random->arch, random->plan.shared, 6);
      pj = static_cast<double>(counted(space, random->plan)) * std::pow(10, -space.decimals());
    } catch (const Refused&) {
      continue;
    } catch (const Unverifiable&) {
      continue;
    }
    EXPECT_NEAR(*pj, model.value->energy_pj, 1e-9 * model.value->energy_pj)
        << "seed " << seed << "\n" << testing::describe(*random);
    if (HasFailure()) return;
    ++counted_plans;
    with_loops += random->plan.groups.front().loops.empty() ? 0 : 1;
  }
  std::printf("counted %d, with loops %d\n", counted_plans, with_loops);
  EXPECT_GE(counted_plans, affordable(100));
  EXPECT_GE(with_loops, affordable(30));
}

TEST(FlatProve, TheCheckerAgreesWithTheSearch) {
  int proven_plans = 0, fused = 0, gaps = 0, beyond = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(150)); ++seed) {
    TestRng rng(seed + 71'000);
    const Cascade cascade = testing::flat_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(3, 60));
    FuseOptions options;
    options.longest_group = rng.pick<int>({1, 2, 2, 6, 6});
    const FuseOutcome best = fuse(cascade, arch, options);
    if (!best.found() || best.searched != FuseOutcome::Searched::Flat) continue;
    const FlatProven proven =
        prove_flat({cascade, arch, best.plan, proven_nest, options.longest_group});
    if (!proven.certificate) {
      ++beyond;
      std::printf("seed %d: %s\n", (int)seed, to_string(proven.problems.front()).c_str());
      continue;
    }
    const FlatCertificate& made = *proven.certificate;
    EXPECT_NEAR(std::stod(made.energy_pj), best.energy_pj, 1e-9 * best.energy_pj) << seed;
    EXPECT_NEAR(std::stod(made.bound), best.bound_pj, 1e-9 * best.energy_pj) << "seed " << seed;
    EXPECT_EQ(flat_reason(made), "verified") << "seed " << seed;
    ++proven_plans;
    gaps += made.bound != made.energy_pj ? 1 : 0;
    fused += best.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
    if (HasFailure()) return;
  }
  std::printf("proven %d fused %d gaps %d beyond %d\n", proven_plans, fused, gaps, beyond);
}

}  // namespace
}  // namespace tilewright::certificate
