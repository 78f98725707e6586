#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "tilewright/map.h"
#include "tilewright/report.h"

namespace tilewright::cli {

int run_space(const SpaceOptions& options) {
  const Checked<Inputs> inputs = load_inputs(options.input);
  if (refused(inputs)) return kBadInput;
  if (refuse_flexible(inputs.value->arch, "space")) return kBadInput;
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
  std::optional<BigUint> uneven;
  if (memories != 0) {
    const UnevenSize counted =
        count_uneven(*problem.value, kind, inputs.value->constraints, memories);
    if (refused(counted)) return kBadInput;
    uneven = counted.value;
  }
  const std::vector<std::string> remarks =
      remarks_on(*inputs.value->workload, inputs.value->arch, inputs.value->constraints);
  print_result(options.json ? report::space_json(*space.value, remarks, uneven)
                            : report::space_text(*space.value, remarks, uneven),
               options.json);
  return kGood;
}

}  // namespace tilewright::cli
