// How certificates of plans are made.
#include <algorithm>

#include "certificate/plan_proof.h"
#include "certificate/refused.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

// Finds what plans of the first einsums take, as far as it matters. Groups for which the time does
// not suffice count with their floors.
class PlanProver {
 public:
  PlanProver(const PlanSpace& space, const PlanTimes& times, Objective objective,
             const CountedPlan& plan, const Deadline& deadline)
      : space_(space),
        objective_(objective),
        deadline_(deadline),
        target_(plan_target(objective, plan.value, plan)),
        closer_(space, times, plan.total.energy, deadline),
        least_(1, {PlanTotal{}}) {
    has_tables_ = try_in_time([&] { make_tables(); });
    for (int end = 1; end <= space.einsums(); ++end) add_end(end);
    bound_ = plan.value;
    for (const PlanTotal& total : least_.back()) {
      bound_ = std::min(bound_, value_of(objective, {total.energy, total.cycles, 1}));
    }
    // A plan as fast takes less energy: the bound must not say that none does.
    if (objective.energy == 0 && bound_ == plan.value && !least_.back().empty()) {
      bound_ -= BigUint(1);
    }
    target_ = plan_target(objective, bound_, plan);
    least_.back().clear();
  }

  bool in_time() const { return in_time_; }

  void write(PlanCertificate& made, PlanStatistics& statistics) const {
    made.bound = value_text(space_, objective_, bound_);
    for (int e = 0; e < space_.einsums(); ++e) {
      if (e > 0) made.least.push_back(texts_of(least_[at(e)]));
      made.proof.emplace_back();
      for (int last = e; last < space_.einsums() && last - e < space_.longest(); ++last) {
        const GroupStep step = step_of({e, last});
        made.proof.back().push_back(step);
        statistics.by_floor += step == GroupStep::Floor ? 1 : 0;
        statistics.by_trees += step == GroupStep::Trees ? 1 : 0;
      }
    }
    statistics.points = closer_.points();
  }

 private:
  template <typename Work>
  bool try_in_time(Work work) const {
    try {
      work();
      return true;
    } catch (const Expired&) {
      if (deadline_.is_cancelled()) throw;
      return false;
    }
  }

  PlanTotal any_plan(int first, int end) const { return closer_.floors().in_any_plan(first, end); }
  // What all others take at least is not there for a group.
  void make_tables() {
    for (int first = 0; first < space_.einsums(); ++first) {
      for (int last = first; last < space_.einsums() && last - first < space_.longest(); ++last) {
        if (!space_.may_be_group({first, last})) continue;
        const GroupLimit limit(target_, {any_plan(0, first)}, {},
                               any_plan(last + 1, space_.einsums()));
        closer_.announce({first, last}, limit);
      }
    }
    closer_.make_tables();
  }

  GroupLimit limit(const EinsumRun& group) const {
    const int end = group.last + 1;
    return {target_, least_[at(group.first)], least_[at(end)], any_plan(end, space_.einsums())};
  }

  // The shortest groups first: their totals limit the others.
  void add_end(int end) {
    least_.emplace_back();
    for (int first = end - 1; first >= 0 && end - first <= space_.longest(); --first) {
      const EinsumRun group{first, end - 1};
      if (!space_.may_be_group(group)) continue;
      const GroupLimit most = limit(group);
      if (closer_.is_closed_by_floor(group, most)) continue;
      std::vector<PlanTotal> totals;
      has_tables_ = has_tables_ && try_in_time([&] { totals = closer_.below(group, most); });
      in_time_ = has_tables_;
      if (!in_time_) totals = {closer_.floors().group(group)};
      for (const PlanTotal& total : totals) add_behind(first, end, total);
    }
  }

  void add_behind(int first, int end, const PlanTotal& group) {
    const PlanTotal rest = any_plan(end, space_.einsums());
    for (const PlanTotal& before : least_[at(first)]) {
      const PlanTotal total = before + group, whole = total + rest;
      if (target_.is_reached_by({whole.energy, whole.cycles, 1})) continue;
      add_total(least_[at(end)], total);
    }
  }

  GroupStep step_of(const EinsumRun& group) const {
    if (!space_.may_be_group(group)) return GroupStep::None;
    return closer_.is_closed_by_floor(group, limit(group)) ? GroupStep::Floor : GroupStep::Trees;
  }

  std::vector<PlanLeast> texts_of(std::vector<PlanTotal> totals) const {
    std::sort(totals.begin(), totals.end(),
              [](const PlanTotal& a, const PlanTotal& b) { return a.energy < b.energy; });
    std::vector<PlanLeast> texts;
    for (const PlanTotal& one : totals) {
      texts.push_back({decimal_text(big(one.energy), space_.decimals()), one.cycles});
    }
    return texts;
  }

  const PlanSpace& space_;
  Objective objective_;
  const Deadline& deadline_;
  Target target_;
  GroupCloser closer_;
  std::vector<std::vector<PlanTotal>> least_;  // by number of einsums
  BigUint bound_;
  bool has_tables_ = false;  // and time to use them
  bool in_time_ = true;
};

void run_plan_proof(const PlanClaim& claim, PlanProven& proven) {
  PlanCertificate made;
  made.architecture = io::write_architecture(without_estimates(claim.arch));
  made.cascade = io::write_cascade(claim.cascade);
  made.shared = claim.plan.shared;
  made.longest_group = claim.longest_group;
  made.objective = claim.objective;
  made.plan = io::write_plan(claim.cascade, claim.plan);
  made.nests = claim.nests;
  const PlanSpace space(claim.cascade, claim.arch, claim.plan.shared, claim.longest_group,
                        claim.nests);
  const PlanTimes times(space, claim.objective);
  const CountedPlan plan = counted(space, times, claim.objective, claim.plan);
  made.energy_pj = decimal_text(big(plan.total.energy), space.decimals());
  made.cycles = plan.total.cycles;
  made.value = value_text(space, claim.objective, plan.value);
  const Deadline deadline(claim.seconds, claim.cancelled);
  const PlanProver prover(space, times, claim.objective, plan, deadline);
  prover.write(made, proven.statistics);
  proven.in_time = prover.in_time();
  proven.certificate = std::move(made);
}

}  // namespace

PlanProven prove(const PlanClaim& claim) {
  PlanProven proven;
  const auto run = [&] {
    try {
      run_plan_proof(claim, proven);
    } catch (const Unverifiable&) {
      proven.is_beyond = true;
      throw;
    }
  };
  proven.problems = complaints_of(run, "prove");
  return proven;
}

}  // namespace tilewright::certificate
