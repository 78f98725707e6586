// What `eval --cascade` does apart from reading and printing.
#pragma once

#include <atomic>

#include "tilewright/certificate.h"
#include "tilewright/fusion.h"
#include "tilewright/report.h"

namespace tilewright::cli {

struct EvaluatedPlan {
  std::optional<report::PlanReport> report;
  std::vector<Diagnostic> problems;
  std::vector<std::string> misfit;  // lines: why the plan does not fit
  bool is_infeasible = false;       // problems mean that nothing fits, not that input is bad
};

// A plan with nests where it has none. With `optimum` the best plan is found, too.
EvaluatedPlan evaluate_given_plan(const Cascade& cascade, const Architecture& arch,
                                  const Plan& plan, bool optimum,
                                  const std::atomic<bool>* cancelled);

// Why there can be no certificate of what is searched for; null if there can.
const char* no_plan_certificate(const FuseOptions& search);

// A plan that was found, for the checker.
struct FoundPlan {
  const Plan& plan;
  FuseOutcome::Searched searched;
  bool proven = false;
  std::optional<double> seconds = {};  // that a proof may take
};
// What the checker makes of it.
certificate::PlanProven certified_plan(const Cascade& cascade, const Architecture& arch,
                                       const FuseOptions& allowed, const FoundPlan& found);

// A bound of all plans, where there is no proof that this one is the best; or why there is none.
Checked<certificate::PlanBound> certified_bound(const Cascade& cascade, const Architecture& arch,
                                                const FuseOptions& allowed, const FoundPlan& found,
                                                double energy_pj);

// The same for plans of flat groups.
certificate::FlatProven certified_flat_plan(const Cascade& cascade, const Architecture& arch,
                                            const FuseOptions& allowed, const FoundPlan& found);

// The best plan, what the checker makes of it if a certificate is asked for, and why not more is
// fused; all in the time that is allowed.
struct FusedPlan {
  FuseOutcome outcome;
  std::optional<certificate::PlanProven> proven;
  std::vector<NotFused> not_fused;
  std::optional<certificate::FlatCertificate> flat = {};  // where groups were searched as flat ones
  std::optional<certificate::PlanBound> bounded = {};     // see bound_in_time()
  double proof_seconds = 0;                               // that the checker has taken
};
FusedPlan fuse_in_time(const Cascade& cascade, const Architecture& arch, const FuseOptions& allowed,
                       bool with_certificate);
// Adds a bound of all plans where a certificate was asked for and the checker does not know such
// plans.
void bound_in_time(const Cascade& cascade, const Architecture& arch, const FuseOptions& allowed,
                   FusedPlan& fused);

}  // namespace tilewright::cli
