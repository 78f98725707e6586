// Certificates of plans: of what the search finds, of worse plans, and against all plans.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/flat_brute_force.h"
#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"
#include "tilewright/map.h"

namespace tilewright::certificate {
namespace {

using testing::add_rate;
using testing::affordable;
using testing::enough;
using testing::for_each_fused;
using testing::fused_brute_force;
using testing::FusedBruteForce;
using testing::FusedCase;
using testing::fusion_arch;
using testing::fusion_arch_with_ports;
using testing::fusion_cascade;
using testing::TestRng;

std::string reason(const PlanCertificate& certificate) {
  const PlanOutcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

// The best plan without fusion, as a claim about all plans.
Plan unfused_plan(const FusedCase& found) {
  FuseOptions alone;
  alone.longest_group = 1;
  return fuse(found.cascade, found.arch, alone).plan;
}

TEST(PlanProve, TheCheckerAgreesWithTheSearch) {
  int checked = 0, fused = 0;
  for_each_fused({.cases = 120, .first_seed = 20'001}, [&](const FusedCase& found) {
    if (found.outcome.searched != FuseOutcome::Searched::Trees) return;
    const PlanProven proven = prove({found.cascade, found.arch, found.outcome.plan});
    ASSERT_TRUE(proven.certificate) << found.name << ": " << to_string(proven.problems.front());
    const PlanCertificate& made = *proven.certificate;
    EXPECT_NEAR(std::stod(made.energy_pj), found.outcome.energy_pj, 1e-9 * found.outcome.energy_pj)
        << found.name;
    EXPECT_EQ(made.bound, made.energy_pj) << found.name;
    EXPECT_EQ(reason(made), "verified") << found.name;
    ++checked;
    fused += found.is_fused() ? 1 : 0;
  });
  EXPECT_GE(checked, enough(50));
  EXPECT_GE(fused, enough(20));
}

// The bound is found by the checker alone.
TEST(PlanProve, TheBoundOfAWorsePlanIsTheEnergyOfTheBest) {
  int worse = 0;
  for_each_fused(
      {.cases = 80, .first_seed = 30'001, .most_words = 40}, [&](const FusedCase& found) {
        if (found.outcome.searched != FuseOutcome::Searched::Trees || !found.is_fused()) return;
        const Plan plan = unfused_plan(found);
        const PlanProven proven = prove({found.cascade, found.arch, plan});
        ASSERT_TRUE(proven.certificate) << found.name << ": " << to_string(proven.problems.front());
        PlanCertificate made = *proven.certificate;
        EXPECT_NEAR(std::stod(made.bound), found.outcome.energy_pj, 1e-9 * found.outcome.energy_pj)
            << found.name;
        EXPECT_EQ(reason(made), "verified") << found.name;
        if (made.bound == made.energy_pj) return;
        ++worse;
        // Said to be the best, it is refused, whichever way groups are said to be closed.
        made.bound = made.energy_pj;
        EXPECT_NE(reason(made), "verified") << found.name;
        for (const GroupStep step : {GroupStep::Floor, GroupStep::Trees}) {
          for (auto& row : made.proof) std::fill(row.begin(), row.end(), step);
          EXPECT_NE(reason(made), "verified") << found.name;
        }
      });
  EXPECT_GE(worse, enough(10));
}

// What no plan of the first einsums alone takes less than, unless the others then take too much.
TEST(PlanProve, BeginningsTakeNoLessThanIsSaid) {
  int compared = 0;
  for_each_fused(
      {.cases = 60, .first_seed = 40'001, .most_words = 40}, [&](const FusedCase& found) {
        if (found.outcome.searched != FuseOutcome::Searched::Trees) return;
        const PlanProven proven = prove({found.cascade, found.arch, unfused_plan(found)});
        ASSERT_TRUE(proven.certificate) << found.name;
        for (std::size_t count = 1; count < found.cascade.einsums.size(); ++count) {
          Cascade first = found.cascade;
          first.einsums.resize(count);
          for (const Intermediate& one : intermediates_of(found.cascade)) {
            const bool written = at(one.writer) < count;
            // Those behind read it.
            if (written && at(one.readers.back().einsum) >= count) {
              first.einsums[at(one.writer)].leaves = true;
            }
          }
          const FuseOutcome best = fuse(first, found.arch);
          ASSERT_TRUE(best.found()) << found.name;
          for (const PlanLeast& least : proven.certificate->least[count - 1]) {
            EXPECT_LE(std::stod(least.energy_pj), best.energy_pj * (1 + 1e-9)) << found.name;
            ++compared;
          }
        }
      });
  EXPECT_GE(compared, enough(10));
}

// Intermediates with several readers, or a reader further on; gates; other names where it is read.
const std::vector<std::vector<std::string>>& graphs() {
  static const std::vector<std::vector<std::string>> all = {
      {"G[m,n] += X[m,k] * A[k,n]", "H[m,n] += X[m,k] * B[k,n]",
       "Y[m,q] += G[m,n] * H[m,n] * C[n,q]"},
      {"T[m,n] += X[m,k] * A[k,n]", "U[m,q] += T[m,n] * B[n,q]", "V[m,q] += T[m,n] * C[n,q]",
       "Y[m] += U[m,q] * V[m,q]"},
      {"T[m,n] += X[m,k] * A[k,n]", "U[m,q] += T[m,n] * B[n,q]", "Y[m,n] += U[m,q] * T[m,n]"},
      {"S[m,n] += X[m,k] * A[k,n]", "T[m,n] += Z[m,j] * B[j,n]", "U[m,q] += S[m,n] * C[n,q]",
       "Y[m,o] += T[m,n] * U[m,q] * D[n,q,o]"},
      {"T[m,n] += X[m,k] * A[k,n]", "U[n,q] += T[m,n] * B[m,q]", "Y[n,o] += U[n,q] * C[q,o]"},
      {"T[m,n] += X[m,k] * A[k,n]", "U[m,q] += T[m,q] * B[q]", "Y[m,o] += U[m,q] * C[q,o]"}};
  return all;
}

TEST(PlanProve, GraphsWithSeveralReadersAgreeToo) {
  int checked = 0, fused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(120)); ++seed) {
    TestRng rng(seed + 70'000);
    const auto& graph = rng.pick(graphs());
    const std::int64_t same = rng.pick<std::int64_t>({2, 4});
    std::string sizes = fmt::format("n={0} q={0}", same);
    for (const char* dim : {"m", "k", "j", "o"}) {
      sizes += fmt::format(" {}={}", dim, rng.pick<std::int64_t>({1, 2, 3, 4}));
    }
    const Cascade cascade = testing::make_cascade(graph, sizes);
    const Architecture arch = fusion_arch(rng, rng.between(8, 60));
    const FuseOutcome outcome = fuse(cascade, arch);
    if (!outcome.found() || outcome.searched != FuseOutcome::Searched::Trees) continue;
    const PlanProven proven = prove({cascade, arch, outcome.plan});
    ASSERT_TRUE(proven.certificate)
        << "seed " << seed << ": " << to_string(proven.problems.front());
    EXPECT_EQ(proven.certificate->bound, proven.certificate->energy_pj) << "seed " << seed;
    EXPECT_EQ(reason(*proven.certificate), "verified") << "seed " << seed;
    ++checked;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
  }
  EXPECT_GE(checked, enough(60));
  EXPECT_GE(fused, enough(20));
}

// A cascade on an architecture with slow ports, and an objective with time.
struct TimedCase {
  Cascade cascade;
  Architecture arch;
  FuseOptions options;
};

TimedCase timed_case(std::uint64_t seed, const std::vector<std::int64_t>& sizes,
                     std::int64_t most_words) {
  TestRng rng(seed);
  TimedCase made{
      fusion_cascade(rng, sizes), fusion_arch_with_ports(rng, rng.between(6, most_words)), {}};
  add_rate(rng, made.cascade);
  made.options.objective =
      rng.pick<Objective>({Objective::Edp, Objective::Latency, Objective::Ed2p});
  return made;
}

PlanProven proven_of(const TimedCase& one, const Plan& plan) {
  PlanClaim claim{one.cascade, one.arch, plan};
  claim.objective = one.options.objective;
  return prove(claim);
}

TEST(PlanProve, InTimeTheCheckerAgreesWithTheSearch) {
  int checked = 0, fused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(80)); ++seed) {
    const TimedCase one = timed_case(seed + 80'000, {1, 2, 3, 4, 4, 6}, 50);
    const FuseOutcome outcome = fuse(one.cascade, one.arch, one.options);
    if (!outcome.found() || outcome.searched != FuseOutcome::Searched::Trees) continue;
    const PlanProven proven = proven_of(one, outcome.plan);
    ASSERT_TRUE(proven.certificate)
        << "seed " << seed << ": " << to_string(proven.problems.front());
    const PlanCertificate& made = *proven.certificate;
    EXPECT_TRUE(made.cycles == outcome.cycles) << "seed " << seed;
    EXPECT_NEAR(std::stod(made.value), outcome.value, 1e-9 * outcome.value) << "seed " << seed;
    EXPECT_EQ(made.bound, made.value) << "seed " << seed;
    EXPECT_EQ(reason(made), "verified") << "seed " << seed;
    ++checked;
    fused += outcome.plan.groups.size() < one.cascade.einsums.size() ? 1 : 0;
  }
  EXPECT_GE(checked, enough(40));
  EXPECT_GE(fused, enough(20));
}

// Also where the plan is another one, such as that of least energy.
TEST(PlanProve, InTimeTheBoundOfAWorsePlanIsTheValueOfTheBest) {
  int worse = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(80)); ++seed) {
    const TimedCase one = timed_case(seed + 90'000, {1, 2, 3, 4}, 40);
    const FuseOutcome best = fuse(one.cascade, one.arch, one.options);
    if (!best.found() || best.searched != FuseOutcome::Searched::Trees) continue;
    FuseOptions other = one.options;
    if (seed % 2 == 0) other.objective = Objective::Energy;
    other.longest_group = 1;
    const PlanProven proven = proven_of(one, fuse(one.cascade, one.arch, other).plan);
    ASSERT_TRUE(proven.certificate) << "seed " << seed;
    PlanCertificate made = *proven.certificate;
    EXPECT_EQ(reason(made), "verified") << "seed " << seed;
    const double bound = std::stod(made.bound), value = std::stod(made.value);
    if (value > best.value * (1 + 1e-9)) {
      EXPECT_NEAR(bound, best.value, 1e-9 * best.value) << "seed " << seed;
    } else {
      // As fast, at more energy: that is not the best either.
      EXPECT_LE(bound, best.value * (1 + 1e-9)) << "seed " << seed;
    }
    if (made.bound == made.value) continue;
    ++worse;
    made.bound = made.value;
    EXPECT_NE(reason(made), "verified") << "seed " << seed;
    for (const GroupStep step : {GroupStep::Floor, GroupStep::Trees}) {
      for (auto& row : made.proof) std::fill(row.begin(), row.end(), step);
      EXPECT_NE(reason(made), "verified") << "seed " << seed;
    }
  }
  EXPECT_GE(worse, enough(15));
}

TEST(PlanProve, InTimeBoundsAreTheLeastOfAllPlans) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(80)); ++seed) {
    const TimedCase one = timed_case(seed + 5000, {1, 2, 2, 3}, 50);
    if (one.arch.levels.size() > 4) continue;
    FuseOptions alone;
    alone.longest_group = 1;
    const FuseOutcome unfused = fuse(one.cascade, one.arch, alone);
    if (!unfused.found()) continue;
    const FusedBruteForce best = fused_brute_force(one.cascade, one.arch, {400, true});
    if (!best.complete) continue;
    const auto least = least_value(best, one.options.objective);
    ASSERT_TRUE(least) << "seed " << seed;
    const PlanProven proven = proven_of(one, unfused.plan);
    ASSERT_TRUE(proven.certificate) << "seed " << seed;
    const double bound = std::stod(proven.certificate->bound);
    // A bound one cycle lower says that the plan is as fast, but takes more energy than another.
    const bool tie = one.options.objective == Objective::Latency && bound == *least - 1;
    EXPECT_NEAR(tie ? *least : bound, *least, 1e-9 * *least) << "seed " << seed;
    ++compared;
  }
  EXPECT_GE(compared, enough(5));
}

// With no time, groups are closed by their floors, and the bound is what these give.
TEST(PlanProve, WhenTheTimeIsUpTheBoundIsThatOfFloors) {
  int lower = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TimedCase one = timed_case(seed + 95'000, {2, 3, 4}, 40);
    if (seed % 4 == 0) one.options.objective = Objective::Energy;
    const FuseOutcome outcome = fuse(one.cascade, one.arch, one.options);
    if (!outcome.found() || outcome.searched != FuseOutcome::Searched::Trees) continue;
    PlanClaim claim{one.cascade, one.arch, outcome.plan};
    claim.objective = one.options.objective;
    claim.seconds = 0;
    const PlanProven proven = prove(claim);
    ASSERT_TRUE(proven.certificate) << "seed " << seed;
    EXPECT_EQ(proven.statistics.by_trees, 0) << "seed " << seed;
    EXPECT_EQ(reason(*proven.certificate), "verified") << "seed " << seed;
    lower += proven.certificate->bound != proven.certificate->value ? 1 : 0;
    if (proven.in_time) {
      EXPECT_EQ(proven.certificate->bound, proven.certificate->value) << "seed " << seed;
    }
  }
  EXPECT_GE(lower, 10);
}

TEST(PlanProve, BoundsAreTheLeastOfAllPlans) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(200)); ++seed) {
    TestRng rng(seed + 5000);
    const Cascade cascade = fusion_cascade(rng, {1, 2, 2, 3});
    const Architecture arch = fusion_arch(rng, rng.between(6, 40));
    if (arch.levels.size() > 4) continue;
    const FuseOutcome outcome = fuse(cascade, arch);
    if (!outcome.found() || outcome.searched != FuseOutcome::Searched::Trees) continue;
    const FusedBruteForce best = fused_brute_force(cascade, arch, {200});
    if (!best.complete) continue;
    const auto least = least_value(best, Objective::Energy);
    ASSERT_TRUE(least) << "seed " << seed;
    FuseOptions alone;
    alone.longest_group = 1;
    const Plan unfused = fuse(cascade, arch, alone).plan;
    const PlanProven proven = prove({cascade, arch, unfused});
    ASSERT_TRUE(proven.certificate) << "seed " << seed;
    EXPECT_NEAR(std::stod(proven.certificate->bound), *least, 1e-9 * *least) << "seed " << seed;
    ++compared;
  }
  EXPECT_GE(compared, enough(2));
}

// --- bounds ---------------------------------------------------------------------------

// The nests of a bound with their proofs, found by the mapper.
std::vector<Certificate> proven_nests(const PlanBoundClaim& claim) {
  const auto nests =
      nests_to_bound(claim.cascade, claim.arch, claim.plan.shared, claim.longest_group);
  std::vector<Certificate> proofs;
  if (!nests.ok()) return proofs;
  for (const Problem& nest : *nests.value) {
    MapOptions options;
    options.objective = Objective::Energy;
    const MapOutcome found = map_workload(nest.workload(), nest.arch(), options);
    if (!found.found()) continue;
    const Proven proven =
        prove({nest, SpaceKind::Perfect, {}, Objective::Energy, *found.search.best, std::nullopt});
    if (proven.certificate) proofs.push_back(*proven.certificate);
  }
  return proofs;
}

// The bound of the best plan that the search knows; nothing where there is none.
std::optional<PlanBound> bound_of_best(const Cascade& cascade, const Architecture& arch,
                                       const FuseOutcome& best, int longest_group = 6) {
  const PlanBoundClaim claim{cascade, arch, best.plan, best.energy_pj, longest_group};
  return bound_of(claim, proven_nests(claim)).value;
}

std::string reason(const PlanBound& bound) {
  const PlanBoundOutcome outcome = check(bound);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

// Windows with strides and padding, skip connections, work that is done again: no best plan is
// below the bound.
TEST(PlanBound, NoPlanIsBelowIt) {
  int compared = 0, windows = 0, again = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(150)); ++seed) {
    TestRng rng(seed + 60'000);
    const Cascade cascade = testing::flat_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(3, 60));
    FuseOptions options;
    options.recompute = rng.chance(40);
    options.longest_group = rng.pick<int>({1, 2, 2, 6, 6});
    const FuseOutcome best = fuse(cascade, arch, options);
    if (!best.found()) continue;
    const auto bound = bound_of_best(cascade, arch, best, options.longest_group);
    if (!bound) continue;
    EXPECT_EQ(reason(*bound), "verified") << "seed " << seed;
    EXPECT_LE(std::stod(bound->bound), best.energy_pj * (1 + 1e-9)) << "seed " << seed;
    EXPECT_GT(std::stod(bound->bound), 0) << "seed " << seed;
    ++compared;
    windows += best.searched == FuseOutcome::Searched::Flat ? 1 : 0;
    again += options.recompute ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, enough(60));
  EXPECT_GE(windows, enough(40));
  EXPECT_GE(again, enough(15));
}

// With room for everything, and nothing cut, the bound is what the plan takes.
TEST(PlanBound, IsReachedWhereThereIsRoomForEverything) {
  int reached = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(40)); ++seed) {
    TestRng rng(seed + 61'000);
    const Cascade cascade = testing::flat_cascade(rng);
    const Architecture arch = fusion_arch(rng, 4'000);
    const FuseOutcome best = fuse(cascade, arch);
    if (!best.found()) continue;
    const auto bound = bound_of_best(cascade, arch, best);
    if (!bound) continue;
    ++compared;
    EXPECT_LE(std::stod(bound->bound), best.energy_pj * (1 + 1e-9)) << "seed " << seed;
    reached += std::stod(bound->bound) > best.energy_pj * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GE(compared, enough(20));
  EXPECT_GE(reached, enough(5));
}

TEST(PlanBound, TamperedOnesAreRefused) {
  TestRng rng(7);
  const Cascade cascade = testing::make_cascade(
      {"T[c,y] += I[y] * W[c]", "O[p] += T[c,p+r] * V[c,r]"}, " p=4 c=2 r=3 y=6");
  const Architecture arch = fusion_arch(rng, 40);
  const FuseOutcome best = fuse(cascade, arch);
  ASSERT_TRUE(best.found());
  const auto made = bound_of_best(cascade, arch, best);
  ASSERT_TRUE(made);
  ASSERT_EQ(reason(*made), "verified");
  ASSERT_GE(made->nests.size(), 2U);
  const auto again = read_plan_bound(write_certificate(*made), "c.json");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(*again.value == *made);
  const auto expect_refused = [&](const char* why, const auto& change) {
    PlanBound changed = *made;
    change(changed);
    EXPECT_NE(reason(changed).find(why), std::string::npos) << why << ": " << reason(changed);
  };
  expect_refused("by these proofs", [](PlanBound& b) { b.bound = "1" + b.bound; });
  expect_refused("by these proofs", [](PlanBound& b) { b.bound += "1"; });
  expect_refused("there is no proof of a nest", [](PlanBound& b) { b.nests.pop_back(); });
  // A bound of a nest that is too high, with all that follows.
  expect_refused("bound", [&](PlanBound& b) {
    for (Certificate& nest : b.nests) nest.bound = "9" + nest.bound;
    b = *bound_of({cascade, arch, best.plan, 1e9}, b.nests).value;
  });
  expect_refused("its architecture is another one",
                 [](PlanBound& b) { b.nests.front().architecture += "\n"; });
  expect_refused("its objective is edp",
                 [](PlanBound& b) { b.nests.front().objective = Objective::Edp; });
  expect_refused("its mappings are not the even ones",
                 [](PlanBound& b) { b.nests.front().constraints = "- Buffer: p <= 2\n"; });
  expect_refused("the plan cannot take as little", [](PlanBound& b) { b.energy_pj = "1"; });
  expect_refused("this is version 9", [](PlanBound& b) { b.version = 9; });
  expect_refused("the plan shares Buffer", [](PlanBound& b) { b.shared = "DRAM"; });
}

TEST(PlanBound, SaysWhatIsBeyondIt) {
  TestRng rng(8);
  const Cascade cascade = testing::make_cascade(
      {"T[c,y] += I[y] * W[c]", "O[p] += T[c,p+r] * V[c,r]"}, " p=4 c=2 r=3 y=6");
  const Architecture arch = fusion_arch(rng, 40);
  const auto why = [&](const auto& change) {
    Architecture changed = arch;
    change(changed, std::get<Memory>(changed.levels[1]));
    return to_string(nests_to_bound(cascade, changed, "Buffer").problems.front());
  };
  EXPECT_NE(why([](Architecture&, Memory& m) { m.leakage_pj_per_cycle = 1; }).find("Buffer leaks"),
            std::string::npos);
  EXPECT_NE(why([](Architecture&, Memory& m) { m.free = {"weight"}; }).find("does not keep all"),
            std::string::npos);
  EXPECT_NE(why([](Architecture& a, Memory&) { a.reads_first_sums = true; }).find("first sums"),
            std::string::npos);
  EXPECT_NE(to_string(nests_to_bound(cascade, arch, "DRAM").problems.front())
                .find("is not the second one from outside"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright::certificate
