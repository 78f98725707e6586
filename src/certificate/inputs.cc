#include "certificate/inputs.h"

namespace tilewright::certificate {

Checked<Inputs> read_inputs(const Certificate& certificate) {
  const Checked<Architecture> arch =
      io::read_architecture(certificate.architecture, "architecture");
  const Checked<Workload> workload = io::read_workload(certificate.workload, "workload");
  if (!arch.ok()) return {std::nullopt, arch.problems};
  if (!workload.ok()) return {std::nullopt, workload.problems};
  std::vector<Constraint> constraints;
  if (!certificate.constraints.empty()) {
    Checked<std::vector<Constraint>> read =
        io::read_constraints(certificate.constraints, "constraints", *arch.value);
    if (!read.ok()) return {std::nullopt, read.problems};
    constraints = std::move(*read.value);
  }
  Checked<Problem> problem = Problem::create(*workload.value, *arch.value);
  if (!problem.ok()) return {std::nullopt, problem.problems};
  return {Inputs{std::move(*problem.value), std::move(constraints)}, {}};
}

int value_decimals(Objective objective, const Energies& energies) {
  return objective.energy * energies.decimals;
}

std::string value_text(Objective objective, const Energies& energies, const Cost& cost) {
  return decimal_text(value_of(objective, cost), value_decimals(objective, energies));
}

Target make_target(Objective objective, const BigUint& bound, const Cost& cost) {
  std::optional<Cost> reached;
  if (bound == value_of(objective, cost)) reached = cost;
  return {objective, bound, reached};
}

}  // namespace tilewright::certificate
