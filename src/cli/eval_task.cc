#include "cli/eval_task.h"

#include <fmt/format.h>

#include "tilewright/flexibility.h"
#include "tilewright/mapspace.h"

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

// The hardware with the storage points of a mapping.
Checked<Candidate> at_points(const Inputs& inputs, Candidate candidate) {
  const Flexibility& flexibility = *inputs.arch.flexibility;
  const Checked<Problem> whole = Problem::create(*inputs.workload, candidate.arch);
  if (!whole.ok()) return {std::nullopt, whole.problems};
  const LevelId tiled = parts_of(inputs.arch, flexibility)->tile;
  if (flexibility.tile.kind == TileFreedom::Kind::Fixed &&
      inputs.points[at(whole.value->memory_at(tiled))].size() > 1) {
    return {std::nullopt,
            {{{},
              fmt::format("the tile of {} is fixed, so it has no storage points",
                          name_of(inputs.arch.level(tiled))),
              "write it as a whole"}}};
  }
  const Checked<Problem> apart = with_points(*whole.value, inputs.points);
  if (!apart.ok()) return {std::nullopt, apart.problems};
  auto constraints = constraints_at_points(*apart.value, candidate.constraints);
  if (!constraints.ok()) return {std::nullopt, std::move(constraints.problems)};
  return {{{apart.value->arch(), std::move(*constraints.value), std::move(candidate.setting)}}, {}};
}

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
      Candidate candidate{std::move(set.arch), std::move(set.constraints), to_string(setting)};
      if (!inputs.points.empty()) {
        Checked<Candidate> apart = at_points(inputs, std::move(candidate));
        if (!apart.ok()) return {std::nullopt, std::move(apart.problems)};
        candidate = std::move(*apart.value);
      }
      candidates.push_back(std::move(candidate));
    }
  }
  return {std::move(candidates), {}};
}

}  // namespace

std::vector<Diagnostic> take_over(const Problem& mapped, Inputs& inputs) {
  inputs.workload = mapped.workload();
  if (!has_points(mapped)) return {};
  if (inputs.arch.flexibility) {
    inputs.points = points_of(mapped);
    return {};
  }
  inputs.arch = mapped.arch();
  Checked<std::vector<Constraint>> constraints = constraints_at_points(mapped, inputs.constraints);
  if (constraints.ok()) inputs.constraints = std::move(*constraints.value);
  return std::move(constraints.problems);
}

Ready find_ready(const Inputs& inputs, const Mapping& mapping) {
  Checked<std::vector<Candidate>> candidates = candidates_of(inputs);
  if (!candidates.ok()) return {std::nullopt, std::move(candidates.problems), {}};
  std::optional<Reasons> fewest;
  std::string closest;
  for (const Candidate& candidate : *candidates.value) {
    const Checked<Evaluator> evaluator = Evaluator::compile(*inputs.workload, candidate.arch);
    const Checked<Reasons> reasons =
        evaluator.ok() ? reasons_against(*evaluator.value, mapping, candidate.constraints)
                       : Checked<Reasons>{std::nullopt, evaluator.problems};
    if (!reasons.ok()) return {std::nullopt, reasons.problems, {}};
    if (reasons.value->empty()) return {*evaluator.value, {}, {}};
    if (fewest && fewest->size() <= reasons.value->size()) continue;
    fewest = *reasons.value;
    closest = candidate.setting.empty()
                  ? ""
                  : fmt::format(" with any setting; with {}", candidate.setting);
  }
  Reasons misfit = {fmt::format("the mapping does not fit {}{}:", inputs.arch.name, closest)};
  for (const std::string& reason : *fewest) misfit.push_back("  " + reason);
  return {std::nullopt, {}, std::move(misfit)};
}

Evaluated evaluate_text(Inputs inputs, const std::string& text, const std::string& file) {
  const Checked<Problem> problem = Problem::create(*inputs.workload, inputs.arch);
  if (!problem.ok()) return {std::nullopt, problem.problems, {}};
  const Checked<io::PaddedMapping> read = io::read_padded_mapping(text, file, *problem.value);
  if (!read.ok()) return {std::nullopt, read.problems, {}};
  const Mapping& mapping = read.value->mapping;
  const Int128 useful_macs = multiply_accumulates(*inputs.workload);
  std::vector<Diagnostic> unclear = take_over(read.value->problem, inputs);
  if (!unclear.empty()) return {std::nullopt, std::move(unclear), {}};
  Ready ready = find_ready(inputs, mapping);
  if (!ready.evaluator) return {std::nullopt, std::move(ready.problems), std::move(ready.misfit)};
  return {evaluated(*ready.evaluator, mapping, useful_macs, inputs), std::move(ready.problems), {}};
}

report::Result evaluated(const Evaluator& evaluator, const Mapping& mapping, Int128 useful_macs,
                         const Inputs& inputs) {
  return {evaluator.problem(), mapping, evaluator.evaluate(mapping), useful_macs,
          remarks_on(*inputs.workload, inputs.arch, inputs.constraints)};
}

}  // namespace tilewright::cli
