// eval --cascade: a plan of several contractions.
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "proofs/plan_task.h"
#include "proofs/proof_commands.h"

namespace tilewright::cli {

int run_eval_plan(const EvalOptions& options) {
  std::vector<Diagnostic> problems = standard_input_twice({{"--arch", options.input.arch},
                                                           {"--cascade", options.cascade},
                                                           {"--mapping", options.mapping}});
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  const auto arch = taken(load_architecture(options.input.arch, options.input.set), problems);
  const auto cascade = taken(load_cascade(options.cascade, options.input.sizes), problems);
  const auto text = taken(read_text(options.mapping), problems);
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  if (refuse_flexible(*arch, "eval --cascade")) return kBadInput;
  const Checked<Plan> plan = io::read_plan(*text, name_of_input(options.mapping), *cascade, *arch);
  if (refused(plan)) return kBadInput;
  EvaluatedPlan found =
      evaluate_given_plan(*cascade, *arch, *plan.value, options.optimum, &catch_interrupts());
  complain(found.problems);
  for (const std::string& line : found.misfit) complain(line);
  if (!found.problems.empty()) return found.is_infeasible ? kInfeasible : kBadInput;
  if (!found.report) return kInfeasible;
  found.report->command = options.command;
  print_result(
      options.output.json ? report::plan_json(*found.report) : report::plan_text(*found.report),
      options.output.json);
  return kGood;
}

}  // namespace tilewright::cli
