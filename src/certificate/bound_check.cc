// Bounds of plans: the proofs of nests, and what follows for all plans.
#include <algorithm>

#include "base/thread_pool.h"
#include "certificate/bound_space.h"
#include "certificate/part_claims.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

// What the certificates say of nests; their proofs are checked apart.
ProvenNests nests_in(const PlanBound& bound, const BoundSpace& space) {
  const std::string inner = io::write_architecture(space.inner());
  ProvenNests nests;
  for (const Certificate& nest : bound.nests) {
    expect_part_claim(nest, inner);
    nests.emplace(nest.workload, decimal_in(nest.bound, space.decimals()));
  }
  return nests;
}

// Dimensions may stand in another order there.
Cascade as_in_file(const Cascade& cascade) {
  return taken(io::read_cascade(io::write_cascade(cascade), "cascade"));
}

// A bound is of plans whose groups share one memory, and have everything there.
void refuse_other_memories(const Plan& plan, const std::string& shared) {
  if (plan.shared != shared) refuse("the plan shares {}", plan.shared);
  for (const PlanNode& group : plan.groups) {
    if (!group.shared.empty() && group.shared != shared) refuse("a group shares {}", group.shared);
  }
  for (const PlanLeaf& leaf : plan.leaves) {
    for (const Placement& place : leaf.tensors) {
      if (!place.home.empty() && place.home != shared) refuse("a tensor is in {}", place.home);
    }
  }
}

void run_bound_checks(const PlanBound& bound) {
  expect_version(bound.version, kPlanBoundVersion, "fuse");
  const auto arch = taken(io::read_architecture(bound.architecture, "architecture"));
  const auto cascade = taken(io::read_cascade(bound.cascade, "cascade"));
  const auto plan = taken(io::read_plan(bound.plan, "plan", cascade, arch));
  refuse_other_memories(plan, bound.shared);
  const BoundSpace space(cascade, arch, bound.shared, bound.longest_group);
  const std::string proven = decimal_text(space.bound(nests_in(bound, space)), space.decimals());
  if (proven != bound.bound) {
    refuse("no plan takes less than {} pJ by these proofs, the certificate says {}", proven,
           bound.bound);
  }
  // What a search says is rounded.
  const int decimals = std::max(space.decimals(), kStatedDecimals);
  const BigUint one = big(power_of_ten(decimals - kStatedDecimals));
  if (decimal_in(bound.energy_pj, decimals) + one < decimal_in(proven, decimals)) {
    refuse("the plan cannot take as little as {} pJ", bound.energy_pj);
  }
}

std::vector<Diagnostic> check_nests(const PlanBound& bound, int threads,
                                    const std::atomic<bool>* cancelled, Statistics& statistics) {
  std::vector<Outcome> outcomes(bound.nests.size());
  parallel_for(outcomes.size(), threads, [&](int, std::size_t i) {
    outcomes[i] = check(bound.nests[i], 1, cancelled);
    return true;
  });
  for (Outcome& outcome : outcomes) {
    if (!outcome.problems.empty()) return std::move(outcome.problems);
    statistics += outcome.statistics;
  }
  return {};
}

}  // namespace

PlanBoundOutcome check(const PlanBound& bound, int threads, const std::atomic<bool>* cancelled) {
  PlanBoundOutcome outcome;
  outcome.problems = complaints_of([&] { run_bound_checks(bound); });
  if (outcome.problems.empty()) {
    outcome.problems = check_nests(bound, threads, cancelled, outcome.statistics);
  }
  return outcome;
}

Checked<std::vector<Problem>> nests_to_bound(const Cascade& cascade, const Architecture& arch,
                                             const std::string& shared, int longest_group) {
  std::vector<Problem> nests;
  std::vector<Diagnostic> problems = complaints_of([&] {
    const Cascade as_read = as_in_file(cascade);
    const BoundSpace space(as_read, arch, shared, longest_group);
    std::set<std::string> known;
    for (int e = 0; e < space.einsums(); ++e) {
      for (const Workload& nest : space.nests_of(e)) {
        if (!known.insert(io::write_workload(nest)).second) continue;
        nests.push_back(taken(Problem::create(nest, space.inner())));
      }
    }
  });
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(nests), {}};
}

Checked<PlanBound> bound_of(const PlanBoundClaim& claim, std::vector<Certificate> nests) {
  PlanBound made;
  made.architecture = io::write_architecture(without_estimates(claim.arch));
  made.cascade = io::write_cascade(claim.cascade);
  made.shared = claim.plan.shared;
  made.longest_group = claim.longest_group;
  made.plan = io::write_plan(claim.cascade, claim.plan);
  made.energy_pj = stated_energy(claim.energy_pj);
  made.nests = std::move(nests);
  std::vector<Diagnostic> problems = complaints_of([&] {
    const Cascade as_read = as_in_file(claim.cascade);
    const BoundSpace space(as_read, claim.arch, made.shared, made.longest_group);
    made.bound = decimal_text(space.bound(nests_in(made, space)), space.decimals());
  });
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(made), {}};
}

}  // namespace tilewright::certificate
