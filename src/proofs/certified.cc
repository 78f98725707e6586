#include "proofs/certified.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/files.h"
#include "cli/output.h"
#include "proofs/proof_commands.h"

namespace tilewright::cli {
namespace {

// A setting as --flex takes it.
std::string line_of(const Setting& setting) {
  return fmt::format("P={},S={}{}", to_string(setting.pair), to_string(setting.shape),
                     setting.order ? ",O=" + to_string(*setting.order) : "");
}

certificate::Among among_of(Evenness evenness) {
  using certificate::Among;
  if (evenness == Evenness::Even) return Among::Even;
  return evenness == Evenness::Marked ? Among::Marked : Among::All;
}

}  // namespace

certificate::Proven certified(const Inputs& inputs, const MapOptions& options,
                              const MapOutcome& outcome) {
  const Proof& proof = *outcome.proof;
  // An uneven mapping is of a problem with storage points, the claim of that without.
  const bool has_points = tilewright::has_points(*outcome.problem);
  const bool as_given = has_points || outcome.setting;
  const Problem whole =
      as_given ? *Problem::create(*inputs.workload, inputs.arch).value : *outcome.problem;
  certificate::Claim claim{whole,
                           options.space,
                           options.constraints,
                           options.objective,
                           *outcome.search.best,
                           std::nullopt,
                           options.limits.threads};
  claim.among = among_of(options.evenness);
  if (has_points) claim.apart = *outcome.problem;
  if (outcome.setting) claim.setting = line_of(*outcome.setting);
  claim.cancelled = options.limits.cancelled;
  if (options.limits.seconds) {
    claim.seconds = std::max(0.0, *options.limits.seconds - proof.seconds);
  }
  const bool optimal = proof.status == Proof::Status::Proven && proof.gap == 0;
  if (!optimal) {
    // A whole number is a decimal in any unit. A bound that is the value would
    // claim more of latency: that no mapping as fast takes less energy.
    const double value = value_of(options.objective, outcome.search.score);
    claim.bound = fmt::format("{:.0f}", std::floor(proof.bound) - (proof.bound >= value ? 1 : 0));
  }
  return certificate::prove(claim);
}

std::vector<std::string> complaints_of(const certificate::Proven& proven) {
  std::vector<std::string> lines;
  for (const Diagnostic& problem : proven.problems) {
    lines.push_back(fmt::format("no certificate: {}", to_string(problem)));
  }
  if (proven.better) lines.emplace_back("no certificate: the checker knows a better mapping");
  return lines;
}

namespace {

// Writes what the checker makes of the mapper's claim.
int save_certificate(const std::string& path, const Inputs& inputs, const MapOptions& options,
                     const MapOutcome& outcome) {
  const certificate::Proven proven = certified(inputs, options, outcome);
  if (proven.certificate) {
    return write_file(path, certificate::write_certificate(*proven.certificate)) ? kGood
                                                                                 : kBadInput;
  }
  for (const std::string& line : complaints_of(proven)) complain(fmt::format("{}: {}", path, line));
  return kDiffers;
}

}  // namespace

int run_map_certified(const MapCommandOptions& options) {
  return run_map(options, save_certificate);
}

}  // namespace tilewright::cli
