// fuse --model: the contractions of a network that hand on what they write.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/fusion.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

// A cascade and its plan for every part that was fused, each kind once.
bool write_parts(const std::string& folder, const FusedNetwork& fused) {
  if (!make_folder(folder)) return false;
  for (std::size_t i = 0; i < fused.outcomes.size(); ++i) {
    const FusedPart& outcome = fused.outcomes[i];
    if (outcome.first != i || !outcome.plan) continue;
    const Cascade& cascade = fused.parts.parts[i].cascade;
    const std::filesystem::path base = std::filesystem::path(folder) / fmt::format("{}", i + 1);
    if (!write_file(base.string() + ".cascade.yaml", io::write_cascade(cascade)) ||
        !write_file(base.string() + ".plan.yaml", io::write_plan(cascade, *outcome.plan))) {
      return false;
    }
  }
  return true;
}

FusedNetwork fuse_parts(const FuseCommandOptions& options, const Network& network,
                        const Architecture& arch, const FuseOptions& search) {
  ProgressLine line(options.quiet);
  const NetworkParts parts = parts_of(network, arch);
  return fuse_network(
      network, arch, search, thread_count(options.threads), [&](const FuseProgress& progress) {
        const auto distinct = static_cast<double>(progress.distinct);
        line.show(fmt::format("{} {}/{} {}", bar(static_cast<double>(progress.done) / distinct),
                              progress.done, progress.distinct,
                              parts.parts[progress.part].cascade.name));
      });
}

}  // namespace

int run_fuse_network(const FuseCommandOptions& options, const FuseOptions& search) {
  std::vector<Diagnostic> problems =
      standard_input_twice({{"--arch", options.arch}, {"--model", options.model}});
  if (search.objective != Objective::Energy) {
    problems.push_back({{"--objective"},
                        "parts of networks are mapped for the least energy alone",
                        "leave it out, or take a cascade"});
  }
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  const auto arch = taken(load_architecture(options.arch, options.set), problems);
  const auto network = taken(load_network(options.model, options.sizes), problems);
  const auto shared =
      options.shared.empty() && arch ? default_shared_memory(*arch) : std::optional(options.shared);
  if (arch && !shared) {
    problems.push_back({{}, "the architecture has no second memory to be shared", ""});
  }
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  if (refuse_flexible(*arch, "fuse") || !try_optional_folder(options.out)) return kBadInput;
  report::FusedNetworkReport shown{*network, *arch, *shared,
                                   fuse_parts(options, *network, *arch, search), options.command};
  print_result(options.json ? report::fused_network_json(shown) : report::fused_network_text(shown),
               options.json);
  if (!options.out.empty() && !write_parts(options.out, shown.fused)) return kBadInput;
  return shown.fused.missing() == 0 ? kGood : kInfeasible;
}

}  // namespace tilewright::cli
