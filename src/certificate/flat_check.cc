// Certificates of plans of flat groups: the claim, and why nothing is below its bound.
#include "base/thread_pool.h"
#include "certificate/flat_count.h"
#include "certificate/flat_proof.h"
#include "certificate/refused.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

// What the proof of a nest has to be about.
using NestProofs = std::vector<Certificate>;

Int128 units_in(const FlatSpace& space, const std::string& text) {
  return flat_units(text, space.decimals()).wide();
}

NestProofs add_nests(const FlatSpace& space, const FlatCertificate& certificate,
                     FlatNestBounds& bounds) {
  NestProofs proofs;
  for (const FlatNest& nest : certificate.nests) {
    const FlatQuestion question = question_in(space, nest);
    bounds.add(question, units_in(space, nest.proof.bound));
    proofs.push_back(with_inputs(space, question, nest.proof));
  }
  return proofs;
}

// What the certificate says that groups take at least.
void take_claims(const FlatSpace& space, const FlatCertificate& certificate,
                 FlatGroupBounds& groups) {
  std::size_t rows = 0;
  for (const EinsumRun& group : groups.all()) {
    rows += group.length() == 1 ? 1 : 0;
    const bool known = at(group.first) < certificate.groups.size() &&
                       at(group.length() - 1) < certificate.groups[at(group.first)].size();
    if (!known) refuse("{}: the proof does not have this group", names_of(space.cascade(), group));
    groups.set(group, units_in(space, certificate.groups[at(group.first)][at(group.length() - 1)]));
  }
  std::size_t entries = 0;
  for (const auto& row : certificate.groups) entries += row.size();
  if (rows != certificate.groups.size() || entries != groups.all().size()) {
    refuse("the proof has groups that there are not");
  }
}

void check_group(const FlatSpace& space, const FlatNestBounds& nests, const FlatGroupBounds& groups,
                 const EinsumRun& group, const Deadline& deadline, FlatStatistics& statistics) {
  const Int128 claimed = groups.known(group);
  if (claimed <= groups.floor(group)) {
    ++statistics.by_floor;
    return;
  }
  ++statistics.by_cells;
  Int128 least = 0;
  if (group.length() == 1) {
    least = alone_least(space, nests, group.first);
  } else {
    FlatCover cover(space, nests, group, deadline);
    least = cover.least(claimed);
    statistics.cells += cover.cells();
  }
  if (least >= claimed) return;
  refuse("{}: as a group it may take {} pJ, the certificate says {} at least",
         names_of(space.cascade(), group), decimal_text(big(least), space.decimals()),
         decimal_text(big(claimed), space.decimals()));
}

void check_energies(const FlatSpace& space, const FlatCertificate& certificate) {
  const auto plan = taken(io::read_plan(certificate.plan, "plan", space.cascade(), space.arch()));
  if (plan.shared != certificate.shared) refuse("the plan shares {}", plan.shared);
  const std::string energy = decimal_text(big(counted(space, plan)), space.decimals());
  if (energy != certificate.energy_pj) {
    refuse("the plan takes {} pJ, the certificate says {}", energy, certificate.energy_pj);
  }
  if (units_in(space, certificate.bound) > units_in(space, energy)) {
    refuse("the bound {} is above the energy {} of the plan", certificate.bound, energy);
  }
}

NestProofs check_claims(const FlatCertificate& certificate, const Deadline& deadline,
                        FlatStatistics& statistics) {
  expect_version(certificate.version, kFlatCertificateVersion, "fuse");
  const auto arch = taken(io::read_architecture(certificate.architecture, "architecture"));
  const auto cascade = taken(io::read_cascade(certificate.cascade, "cascade"));
  const FlatSpace space(cascade, arch, certificate.shared, certificate.longest_group,
                        certificate.among);
  check_energies(space, certificate);
  FlatNestBounds nests(space);
  NestProofs proofs = add_nests(space, certificate, nests);
  FlatGroupBounds groups(space, nests);
  take_claims(space, certificate, groups);
  const Int128 least = groups.least().energy;
  if (least < units_in(space, certificate.bound)) {
    refuse("by what groups take at least, a plan may take {} pJ, less than the bound {}",
           decimal_text(big(least), space.decimals()), certificate.bound);
  }
  for (const EinsumRun& group : groups.all()) {
    check_group(space, nests, groups, group, deadline, statistics);
  }
  return proofs;
}

}  // namespace

FlatOutcome check(const FlatCertificate& certificate, int threads,
                  const std::atomic<bool>* cancelled) {
  FlatOutcome outcome;
  const Deadline deadline(std::nullopt, cancelled);
  NestProofs proofs;
  outcome.problems =
      complaints_of([&] { proofs = check_claims(certificate, deadline, outcome.statistics); });
  std::vector<Outcome> outcomes(proofs.size());
  parallel_for(outcomes.size(), threads, [&](int, std::size_t i) {
    outcomes[i] = check(proofs[i], 1, cancelled);
    return true;
  });
  for (std::size_t i = 0; i < outcomes.size() && outcome.problems.empty(); ++i) {
    outcome.problems = std::move(outcomes[i].problems);
    for (Diagnostic& problem : outcome.problems) {
      problem.message = fmt::format("nest {}: {}", i + 1, problem.message);
    }
    outcome.statistics.nests += outcomes[i].statistics;
  }
  return outcome;
}

}  // namespace tilewright::certificate
