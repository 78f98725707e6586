#include "base/text.h"
#include "fusion/count_leaf.h"

namespace tilewright {

Checked<PlanEvaluation> evaluate_plan(const Cascade& cascade, const Architecture& arch,
                                      const Plan& plan) {
  std::vector<Diagnostic> problems;
  for (std::string& problem : problems_of(cascade, plan)) {
    problems.push_back({{}, std::move(problem), ""});
  }
  if (arch.accounting == Accounting::Timeloop) {
    problems.push_back({{},
                        "plans are counted exactly, not by bounding boxes",
                        "leave out the accounting of Timeloop"});
  }
  if (arch.reads_first_sums) {
    problems.push_back({{},
                        "plans spare the first reads of sums",
                        "leave out \"first_sums: read\" of the architecture"});
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  const Geometry geometry(cascade, plan);
  PlanEvaluation evaluation;
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    Checked<LeafReport> leaf = fusion::count_leaf(geometry, arch, e, evaluation.misfit);
    append(problems, leaf.problems);
    if (!leaf.ok()) continue;
    fusion::count_live(geometry, arch, e, *leaf.value, evaluation.misfit);
    evaluation.energy_pj += leaf.value->energy_pj;
    evaluation.cycles += leaf.value->cycles;
    evaluation.leaves.push_back(std::move(*leaf.value));
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(evaluation), {}};
}

}  // namespace tilewright
