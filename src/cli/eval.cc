#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

// Says why the hardware cannot run the mapping, and gives the exit code.
int check_feasible(const Evaluator& evaluator, const Mapping& mapping,
                   const std::vector<Constraint>& constraints) {
  std::vector<std::string> reasons = hardware_problems(evaluator.problem(), mapping);
  for (const Verdict& verdict : evaluator.violations(mapping)) {
    // Fan-outs that are too small are among the hardware's problems already.
    if (verdict.kind == Verdict::Kind::FanoutExceeded) continue;
    reasons.push_back(to_string(verdict, evaluator.problem()));
  }
  const Parsed<Restrictions> restrictions = Restrictions::create(evaluator.problem(), constraints);
  if (!restrictions.ok()) {
    complain(restrictions.problems);
    return kBadInput;
  }
  const std::vector<std::string> broken =
      restrictions.value->broken_by(evaluator.problem(), mapping);
  reasons.insert(reasons.end(), broken.begin(), broken.end());
  if (reasons.empty()) return kGood;
  complain("the mapping does not fit " + evaluator.problem().arch().name + ":");
  for (const std::string& reason : reasons) complain("  " + reason);
  return kInfeasible;
}

}  // namespace

int run_eval(const EvalOptions& options) {
  const Parsed<Inputs> inputs = load_inputs(options.input);
  const Parsed<Problem> problem = inputs.ok()
                                      ? Problem::create(*inputs.value->workload, inputs.value->arch)
                                      : Parsed<Problem>{std::nullopt, inputs.problems};
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
  const int code = check_feasible(*evaluator.value, *mapping.value, inputs.value->constraints);
  if (code != kGood) return code;
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
