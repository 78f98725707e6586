#include "cli/commands.h"
#include "cli/output.h"
#include "tilewright/io.h"
#include "tilewright/model.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

// Both files are read before anything is said, so that all complaints come
// together.
Parsed<Problem> load_problem(const EvalOptions& options) {
  Parsed<Architecture> arch = io::load_architecture(options.arch);
  Parsed<Workload> workload = io::load_workload(options.workload);
  if (!arch.ok() || !workload.ok()) {
    Parsed<Problem> failed;
    failed.problems = std::move(arch.problems);
    failed.problems.insert(failed.problems.end(), workload.problems.begin(),
                           workload.problems.end());
    return failed;
  }
  if (options.accounting == "timeloop") arch.value->accounting = Accounting::Timeloop;
  if (options.accounting == "exact") arch.value->accounting = Accounting::Exact;
  return Problem::create(std::move(*workload.value), std::move(*arch.value));
}

// Says why the hardware cannot run the mapping; false if it cannot.
bool report_feasible(const Evaluator& evaluator, const Mapping& mapping) {
  std::vector<std::string> reasons = hardware_problems(evaluator.problem(), mapping);
  for (const Verdict& verdict : evaluator.violations(mapping)) {
    // Fan-outs that are too small are among the hardware's problems already.
    if (verdict.kind == Verdict::Kind::FanoutExceeded) continue;
    reasons.push_back(to_string(verdict, evaluator.problem()));
  }
  if (reasons.empty()) return true;
  complain("the mapping does not fit " + evaluator.problem().arch().name + ":");
  for (const std::string& reason : reasons) complain("  " + reason);
  return false;
}

}  // namespace

int run_eval(const EvalOptions& options) {
  const Parsed<Problem> problem = load_problem(options);
  if (!problem.ok()) {
    complain(problem.problems);
    // A mapping can only be understood with the problem, but a wrong path is one already.
    complain(io::read_file(options.mapping).problems);
    return kBadInput;
  }
  const Parsed<Mapping> mapping = io::load_mapping(options.mapping, *problem.value);
  const Parsed<Evaluator> evaluator = Evaluator::compile(*problem.value);
  if (!mapping.ok() || !evaluator.ok()) {
    complain(mapping.problems);
    complain(evaluator.problems);
    return kBadInput;
  }
  if (!report_feasible(*evaluator.value, *mapping.value)) return kInfeasible;
  const Evaluation evaluation = evaluator.value->evaluate(*mapping.value);
  const report::Result result{*problem.value, *mapping.value, evaluation};
  if (options.json) {
    print(report::evaluation_json(result));
  } else {
    print(report::evaluation_text(result));
    if (options.explain) print("\n" + report::explanation_text(result));
  }
  return kGood;
}

}  // namespace tilewright::cli
