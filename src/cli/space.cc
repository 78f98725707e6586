#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "tilewright/map.h"
#include "tilewright/report.h"

namespace tilewright::cli {

namespace {

int run_flexible_space(const SpaceOptions& options, const Inputs& inputs) {
  MapOptions how;
  how.space = space_kind(options.mapspace).value_or(SpaceKind::Ruby);
  how.constraints = inputs.constraints;
  how.evenness = evenness_for(inputs.arch, options.uneven);
  how.limits.cancelled = &catch_interrupts();
  const Checked<FlexibleSpace> space = count_flexible_space(*inputs.workload, inputs.arch, how);
  if (refused(space)) return kBadInput;
  if (space.value->too_large || space.value->sum.is_zero()) {
    complain(space.value->problems);
    return space.value->too_large ? kBadInput : kInfeasible;
  }
  if (!space.value->complete) {
    complain("interrupted before the mappings of the last setting were counted");
    return kInterrupted;
  }
  const report::FlexibleSpaceReport report{
      *inputs.workload,
      inputs.arch,
      how.space,
      *space.value,
      remarks_on(*inputs.workload, inputs.arch, inputs.constraints),
      how.evenness};
  print_result(
      options.json ? report::flexible_space_json(report) : report::flexible_space_text(report),
      options.json);
  return kGood;
}

}  // namespace

int run_space(const SpaceOptions& options) {
  const Checked<Inputs> inputs = load_inputs(options.input);
  if (refused(inputs)) return kBadInput;
  if (inputs.value->arch.flexibility) return run_flexible_space(options, *inputs.value);
  const Checked<Problem> problem = Problem::create(*inputs.value->workload, inputs.value->arch);
  if (refused(problem)) return kBadInput;
  const Checked<Restrictions> restrictions =
      Restrictions::create(*problem.value, inputs.value->constraints);
  if (refused(restrictions)) return kBadInput;
  const SpaceKind kind = space_kind(options.mapspace).value_or(SpaceKind::Perfect);
  const MadeSpace space = MapSpace::create(*problem.value, kind, *restrictions.value);
  if (!space.ok()) {
    complain(space.problems);
    return space.too_large ? kBadInput : kInfeasible;
  }
  const Evenness evenness = evenness_for(inputs.value->arch, options.uneven);
  const std::uint32_t memories = uneven_memories(*problem.value, evenness);
  std::optional<report::UnevenCount> uneven;
  if (memories != 0) {
    const UnevenSize counted =
        count_uneven(*problem.value, kind, inputs.value->constraints, memories);
    if (refused(counted)) return kBadInput;
    uneven = {evenness, *counted.value};
  }
  const std::vector<std::string> remarks =
      remarks_on(*inputs.value->workload, inputs.value->arch, inputs.value->constraints);
  print_result(options.json ? report::space_json(*space.value, remarks, uneven)
                            : report::space_text(*space.value, remarks, uneven),
               options.json);
  return kGood;
}

}  // namespace tilewright::cli
