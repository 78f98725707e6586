// fuse --model: the contractions of a network that hand on what they write.
#include <fmt/format.h>

#include <algorithm>

#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "proofs/network_task.h"
#include "proofs/proof_commands.h"
#include "tilewright/certificate.h"
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
        std::string price;
        if (progress.price > 0) price = fmt::format(", price {} of a cycle", progress.price);
        line.show(fmt::format("{} {}/{} {}{}", bar(static_cast<double>(progress.done) / distinct),
                              progress.done, progress.distinct,
                              parts.parts[progress.part].cascade.name, price));
      });
}

// Writes what the checker makes of each part, and says which parts it makes nothing of.
int save_network_certificate(const FuseCommandOptions& options, const FuseOptions& search,
                             const report::FusedNetworkReport& shown) {
  ProgressLine line(options.quiet);
  line.show("proving");
  const CertifiedNetwork made = certified_network(shown.network, shown.arch, shown.fused, search,
                                                  thread_count(options.threads));
  line.clear();
  for (const std::string& why : made.complaints) {
    complain(fmt::format("{}: no certificate: {}", options.certificate, why));
  }
  if (!made.certificate) return kDiffers;
  const auto& parts = made.certificate->parts;
  const auto unproven = std::count_if(parts.begin(), parts.end(),
                                      [](const auto& part) { return !part.unproven.empty(); });
  if (unproven > 0) {
    complain(fmt::format("{}: {} of {} kinds of parts have no proof; `tilewright check` says which",
                         options.certificate, unproven, parts.size()));
  }
  const std::string text = certificate::write_certificate(*made.certificate);
  return write_file(options.certificate, text) ? kGood : kBadInput;
}

}  // namespace

int run_fuse_network(const FuseCommandOptions& options, const FuseOptions& search) {
  std::vector<Diagnostic> problems =
      standard_input_twice({{"--arch", options.arch}, {"--model", options.model}});
  if (!options.certificate.empty()) {
    const auto refuse = [&](const char* what, const char* other) {
      problems.push_back({{"--certificate"},
                          fmt::format("there are no certificates yet of networks {}", what),
                          fmt::format("leave it out, or {}", other)});
    };
    if (search.objective != Objective::Energy) refuse("where time counts", "--objective");
    if (search.uneven_nests) refuse("with uneven nests", "--uneven");
  }
  if (!search.also_shared.empty()) {
    problems.push_back(
        {{"--shared"}, "groups of networks share one memory", "name one, or take a cascade"});
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
  if (arch) {
    for (Diagnostic& unknown : unknown_memories(*arch, search)) {
      problems.push_back(std::move(unknown));
    }
  }
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  if (refuse_flexible(*arch, "fuse") || !try_optional_folder(options.out) ||
      !try_file(options.certificate)) {
    return kBadInput;
  }
  const FuseOptions within = options.certificate.empty() ? search : search_to_certify(search);
  report::FusedNetworkReport shown{*network, *arch, *shared,
                                   fuse_parts(options, *network, *arch, within), options.command};
  print_result(options.json ? report::fused_network_json(shown) : report::fused_network_text(shown),
               options.json);
  if (!options.out.empty() && !write_parts(options.out, shown.fused)) return kBadInput;
  if (shown.fused.missing() > 0) return kInfeasible;
  return options.certificate.empty() ? kGood : save_network_certificate(options, search, shown);
}

}  // namespace tilewright::cli
