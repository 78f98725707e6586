#include "certificate/closer.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

Certificate describe(const Claim& claim, const Terms& terms, const Cost& cost) {
  Certificate made;
  made.architecture = io::write_architecture(claim.problem.arch());
  made.workload = io::write_workload(claim.problem.workload());
  if (!claim.constraints.empty()) made.constraints = io::write_constraints(claim.constraints);
  made.mapspace = claim.mapspace;
  made.objective = claim.objective;
  made.mapping = io::write_mapping(claim.problem, canonical(claim.problem, claim.mapping));
  made.energy_pj = decimal_text(big(cost.energy), terms.energies.decimals);
  made.cycles = cost.cycles;
  made.instances = cost.instances;
  made.value = value_text(claim.objective, terms.energies, cost);
  made.bound = claim.bound.value_or(made.value);
  return made;
}

// False if a frame has something better.
bool write_down(Closer& closer, int threads, Proof& proof) {
  const std::size_t frames = closer.frames();
  std::vector<Closed> ways(closer.placements().size() * frames);
  const auto failed = for_each_frame(closer, threads, [&](Closer& own, std::size_t number) {
    const std::optional<Closed> how = own.close(number / frames, number % frames);
    if (how) ways[number] = *how;
    return how.has_value();
  });
  if (failed) return false;
  for (std::size_t p = 0; p < closer.placements().size(); ++p) {
    std::vector<Run>& runs = proof.placements.emplace_back();
    for (std::size_t f = 0; f < frames; ++f) {
      const Closed how = ways[p * frames + f];
      if (runs.empty() || runs.back().how != how) runs.push_back({how, 0});
      ++runs.back().frames;
    }
  }
  return true;
}

void run_proof(const Claim& claim, Proven& proven) {
  const auto refuse = [&](const std::string& why) {
    proven.problems.push_back({.where = {}, .message = why, .hint = {}});
  };
  Checked<Rules> rules = read_rules(claim.problem, claim.mapspace, claim.constraints);
  if (!rules.ok()) {
    proven.problems = std::move(rules.problems);
    return;
  }
  for (const std::string& why : broken_rules(claim.problem, *rules.value, claim.mapping)) {
    refuse("the mapping is not in the map-space: " + why);
  }
  if (!proven.problems.empty()) return;
  const Terms terms(claim.problem);
  const Counter counter(terms, claim.mapping);
  for (const std::string& why : counter.overflows()) refuse(why);
  if (!proven.problems.empty()) return;
  const Cost cost = counter.cost();
  Certificate made = describe(claim, terms, cost);
  const auto bound = read_decimal(made.bound, value_decimals(claim.objective, terms.energies));
  if (!bound || *bound > value_of(claim.objective, cost)) {
    return refuse("the bound " + made.bound + " is no decimal up to the value " + made.value);
  }
  const Target target = make_target(claim.objective, *bound, cost);
  Closer closer(terms, *rules.value, target);
  if (write_down(closer, claim.threads, made.proof)) {
    proven.certificate = std::move(made);
  } else {
    proven.better = closer.better();
  }
  proven.statistics = closer.statistics();
}

}  // namespace

Proven prove(const Claim& claim) {
  Proven proven;
  try {
    run_proof(claim, proven);
  } catch (const Unverifiable& limit) {
    proven.problems.push_back(
        {.where = {}, .message = std::string("cannot prove: ") + limit.what(), .hint = {}});
  }
  return proven;
}

}  // namespace tilewright::certificate
