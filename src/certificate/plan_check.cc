// Certificates of plans: the claim, and why nothing is below its bound.
#include <algorithm>

#include "certificate/plan_proof.h"
#include "certificate/refused.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

PlanTotal total_in(const PlanSpace& space, const PlanLeast& least) {
  // Energies and cycles of plans are far below this.
  constexpr Int128 kMost = static_cast<Int128>(1) << 110;
  const BigUint energy = decimal_in(least.energy_pj, space.decimals());
  if (energy > big(kMost) || least.cycles < 0 || least.cycles > kMost) {
    refuse("no plan takes as much as {} pJ and {} cycles", least.energy_pj, least.cycles);
  }
  return {energy.wide(), least.cycles};
}

// Nothing below what the first einsums take: of each group what it adds to those before it.
class PlanSteps {
 public:
  PlanSteps(const PlanSpace& space, const PlanTimes& times, const PlanCertificate& certificate,
            const Target& target)
      : space_(space), times_(times), certificate_(certificate), target_(target) {
    const std::size_t einsums = at(space.einsums());
    if (certificate.least.size() + 1 != einsums) {
      refuse("the least totals are of {} beginnings of {} einsums", certificate.least.size(),
             einsums);
    }
    least_.push_back({PlanTotal{}});
    for (const std::vector<PlanLeast>& totals : certificate.least) {
      least_.emplace_back();
      for (const PlanLeast& one : totals) least_.back().push_back(total_in(space, one));
    }
    if (certificate.proof.size() != einsums) {
      refuse("the proof has groups from {} of {} einsums on", certificate.proof.size(), einsums);
    }
    for (int e = 0; e < space.einsums(); ++e) {
      const auto& steps = certificate.proof[at(e)];
      const int most = std::min(space.longest(), space.einsums() - e);
      if (steps.size() != at(most)) {
        refuse("the proof has {} of {} groups from {} on", steps.size(), most,
               space.cascade().workload(e).name);
      }
      for (int length = 1; length <= most; ++length) groups_.push_back({e, e + length - 1});
    }
  }

  void check(Int128 most, const Deadline& deadline, PlanStatistics& statistics) const {
    GroupCloser closer(space_, times_, most, deadline);
    for (const EinsumRun& group : groups_) {
      if (step(group) == GroupStep::Trees) closer.announce(group, limit(closer, group));
    }
    for (const EinsumRun& group : groups_) check_without_trees(closer, group, statistics);
    closer.make_tables();
    for (const EinsumRun& group : groups_) {
      if (step(group) != GroupStep::Trees) continue;
      ++statistics.by_trees;
      const std::vector<PlanTotal> below = closer.below(group, limit(closer, group));
      if (!below.empty()) refuse_total(group, "as a group it takes", below.front());
    }
    statistics.points = closer.points();
  }

 private:
  GroupStep step(const EinsumRun& group) const {
    return certificate_.proof[at(group.first)][at(group.length() - 1)];
  }
  // What a group has to take at least. Behind the last one nothing but the bound counts.
  GroupLimit limit(const GroupCloser& closer, const EinsumRun& group) const {
    const int end = group.last + 1;
    return {target_, least_[at(group.first)],
            end < space_.einsums() ? least_[at(end)] : std::vector<PlanTotal>{},
            closer.floors().in_any_plan(end, space_.einsums())};
  }

  void check_without_trees(const GroupCloser& closer, const EinsumRun& group,
                           PlanStatistics& statistics) const {
    const bool possible = space_.may_be_group(group);
    if (possible == (step(group) == GroupStep::None)) {
      refuse("{}: the proof says that these {} be a group", names_of(space_.cascade(), group),
             possible ? "cannot" : "can");
    }
    if (step(group) != GroupStep::Floor) return;
    ++statistics.by_floor;
    if (closer.is_closed_by_floor(group, limit(closer, group))) return;
    refuse_total(group, "not closed by its floor of", closer.floors().group(group));
  }
  [[noreturn]] void refuse_total(const EinsumRun& group, const char* what,
                                 const PlanTotal& total) const {
    const std::string cycles =
        times_.count() ? fmt::format(" and {} cycles", total.cycles) : std::string();
    refuse("{}: {} {} pJ{}, which plans below the bound could have",
           names_of(space_.cascade(), group), what,
           decimal_text(big(total.energy), space_.decimals()), cycles);
  }

  const PlanSpace& space_;
  const PlanTimes& times_;
  const PlanCertificate& certificate_;
  const Target& target_;
  std::vector<std::vector<PlanTotal>> least_;  // of the first einsums, none included
  std::vector<EinsumRun> groups_;
};

void check_total(const PlanCertificate& certificate, const PlanSpace& space,
                 const CountedPlan& plan) {
  const std::string energy = decimal_text(big(plan.total.energy), space.decimals());
  if (energy != certificate.energy_pj) {
    refuse("the plan takes {} pJ, the certificate says {}", energy, certificate.energy_pj);
  }
  if (plan.total.cycles != certificate.cycles) {
    refuse("the plan takes {} cycles, the certificate says {}", plan.total.cycles,
           certificate.cycles);
  }
  const std::string value = value_text(space, certificate.objective, plan.value);
  if (value != certificate.value) {
    refuse("the {} of the plan is {}, the certificate says {}", to_string(certificate.objective),
           value, certificate.value);
  }
}

void run_plan_checks(const PlanCertificate& certificate, const Deadline& deadline,
                     PlanStatistics& statistics) {
  expect_version(certificate.version, kPlanCertificateVersion, "fuse");
  const auto arch = taken(io::read_architecture(certificate.architecture, "architecture"));
  const auto cascade = taken(io::read_cascade(certificate.cascade, "cascade"));
  const PlanSpace space(cascade, arch, certificate.shared, certificate.longest_group,
                        certificate.nests);
  const PlanTimes times(space, certificate.objective);
  const auto plan = taken(io::read_plan(certificate.plan, "plan", cascade, arch));
  if (plan.shared != certificate.shared) refuse("the plan shares {}", plan.shared);
  const CountedPlan of_plan = counted(space, times, certificate.objective, plan);
  check_total(certificate, space, of_plan);
  const BigUint bound =
      decimal_in(certificate.bound, certificate.objective.energy * space.decimals());
  if (bound > of_plan.value) {
    refuse("the bound {} is above the value {} of the plan", certificate.bound, certificate.value);
  }
  const Target target = plan_target(certificate.objective, bound, of_plan);
  PlanSteps(space, times, certificate, target).check(of_plan.total.energy, deadline, statistics);
}

}  // namespace

PlanOutcome check(const PlanCertificate& certificate, const std::atomic<bool>* cancelled) {
  PlanOutcome outcome;
  const Deadline deadline(std::nullopt, cancelled);
  outcome.problems =
      complaints_of([&] { run_plan_checks(certificate, deadline, outcome.statistics); });
  return outcome;
}

}  // namespace tilewright::certificate
