#include "cli/commands.h"
#include "cli/eval_task.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/standard_input.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {

int run_eval(const EvalOptions& options) {
  const Checked<Inputs> inputs = load_inputs(options.input, options.mapping);
  const Checked<Problem> problem =
      inputs.ok() ? Problem::create(*inputs.value->workload, inputs.value->arch)
                  : Checked<Problem>{std::nullopt, inputs.problems};
  // A mapping can only be understood with the problem, but a wrong path is one already.
  // Standard input has none, and somebody may have to type it.
  const bool needed = problem.ok() || options.mapping != "-";
  const Checked<std::string> text =
      needed ? read_text(options.mapping) : Checked<std::string>{std::string(), {}};
  if (!problem.ok() || !text.ok()) {
    complain(problem.problems);
    complain(text.problems);
    return kBadInput;
  }
  Evaluated found = evaluate_text(*inputs.value, *text.value, name_of_input(options.mapping));
  complain(found.problems);
  for (const std::string& line : found.misfit) complain(line);
  if (!found.result) return found.misfit.empty() ? kBadInput : kInfeasible;
  found.result->command = options.command;
  present(options.output, *found.result,
          {report::evaluation_json, report::evaluation_text, nullptr, report::explanation_text});
  return kGood;
}

}  // namespace tilewright::cli
