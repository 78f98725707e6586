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
  Checked<Inputs> inputs = load_inputs(options.input, options.mapping);
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
  const Checked<io::PaddedMapping> read =
      io::read_padded_mapping(*text.value, name_of_input(options.mapping), *problem.value);
  if (refused(read)) return kBadInput;
  const Mapping& mapping = read.value->mapping;
  const std::int64_t useful_macs = multiply_accumulates(*inputs.value->workload);
  const std::vector<Diagnostic> unclear = take_over(read.value->problem, *inputs.value);
  complain(unclear);
  if (!unclear.empty()) return kBadInput;
  const Ready ready = find_ready(*inputs.value, mapping);
  complain(ready.problems);
  for (const std::string& line : ready.misfit) complain(line);
  if (!ready.evaluator) return ready.misfit.empty() ? kBadInput : kInfeasible;
  const report::Result result = evaluated(*ready.evaluator, mapping, useful_macs, *inputs.value);
  present(options.output, result,
          {report::evaluation_json, report::evaluation_text, nullptr, report::explanation_text});
  return kGood;
}

}  // namespace tilewright::cli
