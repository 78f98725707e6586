#include "certificate/inputs.h"

#include <fmt/format.h>

namespace tilewright::certificate {

namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo). The length goes first, so that text
// cannot move from one part to the next.
void mix(std::uint64_t& hash, const std::string& text) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  for (const char c : std::to_string(text.size()) + ':' + text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  }
}

}  // namespace

std::string hash_of(const Certificate& certificate) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::string& part :
       {std::to_string(certificate.version), certificate.architecture, certificate.workload,
        certificate.constraints, to_string(certificate.mapspace),
        to_string(certificate.objective)}) {
    mix(hash, part);
  }
  return fmt::format("{:016x}", hash);
}

Parsed<Inputs> read_inputs(const Certificate& certificate) {
  const Parsed<Architecture> arch = io::read_architecture(certificate.architecture, "architecture");
  const Parsed<Workload> workload = io::read_workload(certificate.workload, "workload");
  if (!arch.ok()) return {std::nullopt, arch.problems};
  if (!workload.ok()) return {std::nullopt, workload.problems};
  std::vector<Constraint> constraints;
  if (!certificate.constraints.empty()) {
    Parsed<std::vector<Constraint>> read =
        io::read_constraints(certificate.constraints, "constraints", *arch.value);
    if (!read.ok()) return {std::nullopt, read.problems};
    constraints = std::move(*read.value);
  }
  Parsed<Problem> problem = Problem::create(*workload.value, *arch.value);
  if (!problem.ok()) return {std::nullopt, problem.problems};
  return {Inputs{std::move(*problem.value), std::move(constraints)}, {}};
}

int value_decimals(Objective objective, const Energies& energies) {
  return objective == Objective::Latency ? 0 : energies.decimals;
}

std::string value_text(Objective objective, const Energies& energies, const Cost& cost) {
  return decimal_text(value_of(objective, cost), value_decimals(objective, energies));
}

Target make_target(Objective objective, const BigUint& bound, const Cost& cost) {
  std::optional<Int128> tie;
  if (bound == value_of(objective, cost)) tie = cost.energy;
  return {objective, bound, tie};
}

}  // namespace tilewright::certificate
