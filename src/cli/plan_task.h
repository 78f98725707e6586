// What `eval --cascade` does apart from reading and printing.
#pragma once

#include <atomic>

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

}  // namespace tilewright::cli
