#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/standard_input.h"
#include "tilewright/flexibility.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

using Reasons = std::vector<std::string>;

// Why the hardware cannot run the mapping; empty if it can. Problems are names in
// constraints that mean nothing here.
Checked<Reasons> reasons_against(const Evaluator& evaluator, const Mapping& mapping,
                                 const std::vector<Constraint>& constraints) {
  Reasons reasons = hardware_problems(evaluator.problem(), mapping);
  for (const Verdict& verdict : evaluator.violations(mapping)) {
    // Fan-outs that are too small are among the hardware's problems already.
    if (verdict.kind == Verdict::Kind::FanoutExceeded) continue;
    reasons.push_back(to_string(verdict, evaluator.problem()));
  }
  const Checked<Restrictions> restrictions = Restrictions::create(evaluator.problem(), constraints);
  if (!restrictions.ok()) return {std::nullopt, restrictions.problems};
  const Reasons broken = restrictions.value->broken_by(evaluator.problem(), mapping);
  append(reasons, broken);
  return {std::move(reasons), {}};
}

// The hardware as it is to run the mapping.
struct Candidate {
  Architecture arch;
  std::vector<Constraint> constraints;
  std::string setting;  // of a flexible architecture
};

// Pair by pair: for a mapper the one that is turned round would be as good.
Checked<std::vector<Candidate>> candidates_of(const Inputs& inputs) {
  if (!inputs.arch.flexibility) return {{{{inputs.arch, inputs.constraints, ""}}}, {}};
  std::vector<Candidate> candidates;
  const std::vector<ConvPair> listed = inputs.arch.flexibility->pairs;
  for (const ConvPair& pair : listed.empty() ? all_pairs() : listed) {
    Architecture arch = inputs.arch;
    arch.flexibility->pairs = {pair};
    const Checked<std::vector<Setting>> settings = settings_of(*inputs.workload, arch);
    if (!settings.ok()) return {std::nullopt, settings.problems};
    for (const Setting& setting : *settings.value) {
      SetUp set = set_up(*inputs.workload, arch, setting);
      append(set.constraints, inputs.constraints);
      candidates.push_back({std::move(set.arch), std::move(set.constraints), to_string(setting)});
    }
  }
  return {std::move(candidates), {}};
}

// A problem that can run the mapping, or after complaints the exit code.
struct Ready {
  std::optional<Evaluator> evaluator;
  int code = kBadInput;
};

Ready find_ready(const Inputs& inputs, const Mapping& mapping) {
  const Checked<std::vector<Candidate>> candidates = candidates_of(inputs);
  complain(candidates.problems);
  if (!candidates.ok()) return {};
  std::optional<Reasons> fewest;
  std::string closest;
  for (const Candidate& candidate : *candidates.value) {
    const Checked<Evaluator> evaluator = Evaluator::compile(*inputs.workload, candidate.arch);
    const Checked<Reasons> reasons =
        evaluator.ok() ? reasons_against(*evaluator.value, mapping, candidate.constraints)
                       : Checked<Reasons>{std::nullopt, evaluator.problems};
    complain(reasons.problems);
    if (!reasons.ok()) return {};
    if (reasons.value->empty()) return {*evaluator.value, kGood};
    if (fewest && fewest->size() <= reasons.value->size()) continue;
    fewest = *reasons.value;
    closest = candidate.setting.empty()
                  ? ""
                  : fmt::format(" with any setting; with {}", candidate.setting);
  }
  complain(fmt::format("the mapping does not fit {}{}:", inputs.arch.name, closest));
  for (const std::string& reason : *fewest) complain("  " + reason);
  return {std::nullopt, kInfeasible};
}

}  // namespace

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
  inputs.value->workload = read.value->problem.workload();
  const Ready ready = find_ready(*inputs.value, mapping);
  if (!ready.evaluator) return ready.code;
  const Evaluation evaluation = ready.evaluator->evaluate(mapping);
  const report::Result result{
      ready.evaluator->problem(), mapping, evaluation, useful_macs,
      remarks_on(*inputs.value->workload, inputs.value->arch, inputs.value->constraints)};
  present(options.output, result,
          {report::evaluation_json, report::evaluation_text, nullptr, report::explanation_text});
  return kGood;
}

}  // namespace tilewright::cli
