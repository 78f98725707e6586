// Certificates of plans of flat groups: of what the search finds, of worse plans, and against all
// plans.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "certificate/flat_count.h"
#include "certificate/refused.h"
#include "support/flat_brute_force.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"
#include "tilewright/map.h"

namespace tilewright::certificate {
namespace {

using testing::affordable;
using testing::enough;
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
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(12'000)); ++seed) {
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
        << "seed " << seed << "\n"
        << testing::describe(*random);
    if (HasFailure()) return;
    ++counted_plans;
    with_loops += random->plan.groups.front().loops.empty() ? 0 : 1;
  }
  EXPECT_GE(counted_plans, enough(100));
  EXPECT_GE(with_loops, enough(30));
}

// A random cascade with windows, and the best plan of flat groups.
struct FlatCase {
  std::string name;  // by its seed
  Cascade cascade;
  Architecture arch;
  FuseOptions options;
  FuseOutcome best;

  FlatProven prove(const Plan& plan) const {
    return prove_flat({cascade, arch, plan, proven_nest, options.longest_group});
  }
  bool is_fused() const { return best.plan.groups.size() < cascade.einsums.size(); }
};

void for_each_flat(int cases, std::uint64_t first_seed, std::int64_t most_words,
                   const std::function<void(const FlatCase&)>& test) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(cases)); ++seed) {
    TestRng rng(first_seed + seed);
    FlatCase one{fmt::format("seed {}", first_seed + seed), testing::flat_cascade(rng), {}, {}, {}};
    one.arch = fusion_arch(rng, rng.between(3, most_words));
    one.options.longest_group = rng.pick<int>({1, 2, 6, 6, 6});
    one.best = fuse(one.cascade, one.arch, one.options);
    if (!one.best.found() || one.best.searched != FuseOutcome::Searched::Flat) continue;
    test(one);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FlatProve, TheCheckerAgreesWithTheSearch) {
  int checked = 0, fused = 0, streamed = 0;
  for_each_flat(120, 71'001, 60, [&](const FlatCase& one) {
    const FlatProven proven = one.prove(one.best.plan);
    ASSERT_TRUE(proven.certificate) << one.name << ": " << to_string(proven.problems.front());
    const FlatCertificate& made = *proven.certificate;
    EXPECT_NEAR(std::stod(made.energy_pj), one.best.energy_pj, 1e-9 * one.best.energy_pj)
        << one.name;
    EXPECT_NEAR(std::stod(made.bound), one.best.bound_pj, 1e-9 * one.best.energy_pj) << one.name;
    EXPECT_EQ(flat_reason(made), "verified") << one.name;
    const auto again = read_flat_certificate(write_certificate(made), "c.json");
    ASSERT_TRUE(again.ok()) << one.name << ": " << to_string(again.problems.front());
    EXPECT_TRUE(*again.value == made) << one.name;
    ++checked;
    fused += one.is_fused() ? 1 : 0;
    streamed += std::any_of(made.nests.begin(), made.nests.end(),
                            [](const FlatNest& nest) { return !nest.streamed.empty(); })
                    ? 1
                    : 0;
  });
  EXPECT_GE(checked, enough(60));
  EXPECT_GE(fused, enough(20));
  EXPECT_GE(streamed, enough(6));
}

// The bound is found by the checker alone; and a plan that is not the best cannot be said to be it.
TEST(FlatProve, TheBoundOfAWorsePlanIsTheEnergyOfTheBest) {
  int worse = 0;
  for_each_flat(80, 72'001, 40, [&](const FlatCase& one) {
    if (!one.is_fused() || !one.best.proven) return;
    FuseOptions alone;
    alone.longest_group = 1;
    const FlatProven proven = one.prove(fuse(one.cascade, one.arch, alone).plan);
    ASSERT_TRUE(proven.certificate) << one.name << ": " << to_string(proven.problems.front());
    FlatCertificate made = *proven.certificate;
    EXPECT_NEAR(std::stod(made.bound), one.best.energy_pj, 1e-9 * one.best.energy_pj) << one.name;
    EXPECT_EQ(flat_reason(made), "verified") << one.name;
    if (made.bound == made.energy_pj) return;
    ++worse;
    made.bound = made.energy_pj;
    EXPECT_NE(flat_reason(made).find("by what groups take at least"), std::string::npos)
        << one.name;
    // Nor if all groups are said to take that much.
    for (auto& row : made.groups) std::fill(row.begin(), row.end(), made.energy_pj);
    EXPECT_NE(flat_reason(made).find("as a group it may take"), std::string::npos) << one.name;
  });
  EXPECT_GE(worse, enough(15));
}

// Against every flat plan with every nest.
TEST(FlatProve, NoPlanIsBelowTheBound) {
  int compared = 0;
  for_each_flat(30, 73'001, 8, [&](const FlatCase& one) {
    if (one.options.longest_group < one.cascade.einsum_count()) return;
    testing::FlatPlans plans;
    plans.most = 1'000;
    const auto all = testing::flat_brute_force(one.cascade, one.arch, plans);
    if (!all.complete || !all.pj) return;
    const FlatProven proven = one.prove(one.best.plan);
    ASSERT_TRUE(proven.certificate) << one.name << ": " << to_string(proven.problems.front());
    EXPECT_LE(std::stod(proven.certificate->bound), *all.pj * (1 + 1e-9)) << one.name;
    if (one.best.proven) {
      EXPECT_NEAR(std::stod(proven.certificate->bound), *all.pj, 1e-9 * *all.pj) << one.name;
    }
    ++compared;
  });
  EXPECT_GE(compared, enough(4));
}

// --- tampered certificates ------------------------------------------------------------

class FlatTampered : public ::testing::Test {
 protected:
  FlatTampered()
      : cascade_(testing::make_cascade(
            {"T[c,y] += I[y] * W[c]", "O[p] += T[c,p+r] * V[c,r]", "Z[p,k] += O[p] * X[k]"},
            " p=4 c=2 r=3 y=6 k=3")),
        arch_(*io::read_architecture(kSmallChip, "chip").value),
        best_(fuse(cascade_, arch_)),
        made_(*prove_flat({cascade_, arch_, best_.plan, proven_nest}).certificate) {}

  void expect_refused(const char* why, const std::function<void(FlatCertificate&)>& change) const {
    FlatCertificate changed = made_;
    change(changed);
    ASSERT_FALSE(changed == made_) << why;
    EXPECT_NE(flat_reason(changed).find(why), std::string::npos)
        << why << ": " << flat_reason(changed);
  }

  static constexpr const char* kSmallChip =
      "architecture: chip\n"
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited, read: 29 pJ, write: 25 pJ, update: 5 pJ}\n"
      "  - {memory: Buffer, capacity: 14 words, read: 7 pJ, write: 4 pJ, update: 1 pJ}\n"
      "  - {memory: Registers, capacity: 4 words, read: 1 pJ}\n"
      "  - {compute: MAC, energy: 0.5 pJ}\n";

  Cascade cascade_;
  Architecture arch_;
  FuseOutcome best_;
  FlatCertificate made_;
};

TEST_F(FlatTampered, Claims) {
  ASSERT_TRUE(best_.proven);
  ASSERT_LT(best_.plan.groups.size(), 3U);
  ASSERT_EQ(made_.bound, made_.energy_pj);
  ASSERT_EQ(flat_reason(made_), "verified");
  expect_refused("is above the energy", [](FlatCertificate& c) { c.bound = "1" + c.bound; });
  expect_refused("is not a decimal", [](FlatCertificate& c) { c.bound += ".00000001"; });
  expect_refused("the plan takes", [](FlatCertificate& c) { c.energy_pj = "1"; });
  expect_refused("the plan takes", [](FlatCertificate& c) { c.energy_pj = c.bound = "1"; });
  expect_refused("this is version 9", [](FlatCertificate& c) { c.version = 9; });
  expect_refused("is not the second one", [](FlatCertificate& c) { c.shared = "DRAM"; });
  expect_refused("a group of the plan is too long",
                 [](FlatCertificate& c) { c.longest_group = 1; });
  // On a chip with more room the plan takes as much, but others take less.
  expect_refused("as a group it may take", [](FlatCertificate& c) {
    c.architecture.replace(c.architecture.find("14 words"), 8, "90 words");
  });
  expect_refused("too much is in the shared memory", [](FlatCertificate& c) {
    c.architecture.replace(c.architecture.find("14 words"), 8, "3 words");
  });
}

TEST_F(FlatTampered, Groups) {
  expect_refused("the proof does not have this group",
                 [](FlatCertificate& c) { c.groups.pop_back(); });
  expect_refused("the proof does not have this group",
                 [](FlatCertificate& c) { c.groups.front().pop_back(); });
  expect_refused("groups that there are not", [](FlatCertificate& c) { c.groups.emplace_back(); });
  expect_refused("groups that there are not",
                 [](FlatCertificate& c) { c.groups.back().emplace_back("1"); });
  expect_refused("is not a decimal", [](FlatCertificate& c) { c.groups[0][0] = "-1"; });
  for (std::size_t first = 0; first < made_.groups.size(); ++first) {
    for (std::size_t i = 0; i < made_.groups[first].size(); ++i) {
      expect_refused("as a group it may take",
                     [&](FlatCertificate& c) { c.groups[first][i] = "9" + c.groups[first][i]; });
    }
  }
  // Those of the plan cannot take less.
  expect_refused("by what groups take at least", [&](FlatCertificate& c) {
    for (auto& row : c.groups) std::fill(row.begin(), row.end(), "1");
  });
}

TEST_F(FlatTampered, Nests) {
  expect_refused("there is no proof of a nest", [](FlatCertificate& c) { c.nests.clear(); });
  // Without those that floors do not need, cells are left.
  expect_refused("as a group it may take", [](FlatCertificate& c) {
    std::erase_if(c.nests, [](const FlatNest& nest) { return !nest.streamed.empty(); });
  });
  expect_refused("which is no einsum", [](FlatCertificate& c) { c.nests[0].einsum = "E9"; });
  expect_refused("extents of its dimensions",
                 [](FlatCertificate& c) { c.nests[0].extents[0] = 0; });
  expect_refused("extents of its dimensions",
                 [](FlatCertificate& c) { c.nests[0].extents.pop_back(); });
  expect_refused("to be streamed", [](FlatCertificate& c) { c.nests[0].streamed = {"Q"}; });
  expect_refused("streams through a room", [](FlatCertificate& c) { c.nests[0].room = 3; });
  for (std::size_t i = 0; i < made_.nests.size(); i += testing::slow_build() ? 8 : 1) {
    const std::string nest = fmt::format("nest {}: ", i + 1);
    expect_refused(nest.c_str(),
                   [&](FlatCertificate& c) { c.nests[i].proof.bound.insert(0, "9"); });
    expect_refused(nest.c_str(), [&](FlatCertificate& c) { c.nests[i].proof.value += "1"; });
    expect_refused(nest.c_str(), [&](FlatCertificate& c) { c.nests[i].proof.proof.clear(); });
    expect_refused(nest.c_str(), [&](FlatCertificate& c) { c.nests[i].proof.mapping.clear(); });
  }
}

// What is said of a nest follows from its question alone.
TEST_F(FlatTampered, InputsOfNestsAreNotBelieved) {
  FlatCertificate changed = made_;
  for (FlatNest& nest : changed.nests) {
    nest.proof.architecture = "architecture: other\n";
    nest.proof.constraints = "- Buffer: p <= 2\n";
    nest.proof.objective = Objective::Latency;
  }
  EXPECT_EQ(flat_reason(changed), "verified");
}

// --- the plan ---------------------------------------------------------------------------

TEST_F(FlatTampered, Plans) {
  const auto reason_of = [&](const std::function<void(Plan&)>& change) {
    Plan plan = best_.plan;
    change(plan);
    const FlatProven proven = prove_flat({cascade_, arch_, plan, proven_nest});
    return proven.certificate ? "proven" : to_string(proven.problems.front());
  };
  ASSERT_EQ(reason_of([](Plan&) {}), "proven");
  const auto longest =
      static_cast<std::size_t>(std::max_element(best_.plan.groups.begin(), best_.plan.groups.end(),
                                                [](const PlanNode& a, const PlanNode& b) {
                                                  return a.children.size() < b.children.size();
                                                }) -
                               best_.plan.groups.begin());
  ASSERT_FALSE(best_.plan.groups[longest].loops.empty());
  EXPECT_NE(reason_of([&](Plan& p) { p.groups[longest].loops.clear(); }), "proven");
  EXPECT_NE(reason_of([&](Plan& p) { p.groups[longest].loops[0].count *= 2; }), "proven");
  EXPECT_NE(reason_of([&](Plan& p) { p.groups[longest].loops[0].tile = 3; }), "proven");
  EXPECT_NE(
      reason_of([&](Plan& p) { p.groups[longest].loops.push_back(p.groups[longest].loops[0]); }),
      "proven");
  EXPECT_NE(reason_of([&](Plan& p) { p.groups.pop_back(); }), "proven");
  EXPECT_NE(reason_of([&](Plan& p) { p.leaves[0].nests.clear(); }), "proven");
}

TEST(FlatProve, SaysWhatIsBeyondIt) {
  TestRng rng(7);
  const Cascade cascade = testing::make_cascade(
      {"T[c,y] += I[y] * W[c]", "O[p] += T[c,p+r] * V[c,r]"}, " p=4 c=2 r=3 y=6");
  const Architecture arch = fusion_arch(rng, 40);
  const FuseOutcome best = fuse(cascade, arch);
  ASSERT_TRUE(best.found());
  const auto why = [&](const Cascade& of, const Architecture& on) {
    const FlatProven proven = prove_flat({of, on, best.plan, proven_nest});
    return proven.certificate ? "proven" : to_string(proven.problems.front());
  };
  EXPECT_EQ(why(cascade, arch), "proven");
  Architecture leaky = arch;
  std::get<Memory>(leaky.levels[1]).leakage_pj_per_cycle = 1;
  EXPECT_EQ(why(cascade, leaky), "cannot prove: plans where Buffer leaks");
  Cascade normalised = cascade;
  normalised.einsums[0].then = Afterwards{"norm", "c", {}, 0, {}};
  EXPECT_EQ(why(normalised, arch),
            "cannot prove: plans of flat groups where T is normalised along c");
}

// Without time there are floors at most, and what is proven stays true.
TEST(FlatProve, EndsWithTheTime) {
  TestRng rng(9);
  const Cascade cascade = testing::make_cascade(
      {"T[c,y] += I[y] * W[c]", "O[p] += T[c,p+r] * V[c,r]"}, " p=4 c=2 r=3 y=6");
  const Architecture arch = fusion_arch(rng, 12);
  const FuseOutcome best = fuse(cascade, arch);
  FlatClaim claim{cascade, arch, best.plan, proven_nest};
  claim.seconds = 0;
  EXPECT_FALSE(prove_flat(claim).certificate);
  // The time ends with the first nest that floors do not need.
  claim.seconds = 1000;
  claim.prove_nest = [](const Problem& nest, std::optional<double> seconds) {
    const bool floor = nest.memory_count() < 3;
    return floor ? proven_nest(nest, seconds) : std::nullopt;
  };
  const FlatProven proven = prove_flat(claim);
  ASSERT_TRUE(proven.certificate);
  EXPECT_EQ(flat_reason(*proven.certificate), "verified");
  EXPECT_LE(std::stod(proven.certificate->bound), best.energy_pj * (1 + 1e-9));
}

}  // namespace
}  // namespace tilewright::certificate
