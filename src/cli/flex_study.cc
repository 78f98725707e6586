#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "cli/study_task.h"
#include "tilewright/report.h"
#include "tilewright/study.h"

namespace tilewright::cli {
namespace {

Checked<Study> load_study(const FlexStudyOptions& options, bool needs_baseline) {
  std::vector<NamedFile> files = {{"--arch", options.arch}};
  for (const std::string& model : options.models) files.push_back({"models", model});
  std::vector<Diagnostic> problems = standard_input_twice(files);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  Study study;
  std::optional<Architecture> arch = taken(load_architecture(options.arch, options.set), problems);
  for (const std::string& model : options.models) {
    auto network = taken(load_network(model, options.sizes), problems);
    if (network) study.networks.push_back(std::move(*network));
  }
  complete_study(std::move(arch), options, needs_baseline, study, problems);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(study), {}};
}

// How to map, with somebody at a terminal.
StudyOptions attended_study(const FlexStudyOptions& options, double seconds, ProgressLine& line) {
  StudyOptions result = study_options(options, seconds);
  result.cancelled = &catch_interrupts();
  if (line.is_shown()) {
    result.on_progress = [&line](const std::string& what, double fraction) {
      line.show(fmt::format("{} {}", bar(fraction), what));
    };
  }
  return result;
}

int present_study(const FlexStudyOptions& options, const report::StudyReport& report,
                  std::string (*text)(const report::StudyReport&, int)) {
  if (report.comparison.cancelled) {
    complain("interrupted: not everything was mapped, so there is nothing to compare");
    return kInterrupted;
  }
  const std::vector<std::string> gaps = gaps_of(report);
  for (const std::string& line : gaps) complain(line);
  const bool saved = present(options.output, report, {report::study_json, text, report::study_csv});
  if (!saved) return kBadInput;
  return gaps.empty() ? kGood : kInfeasible;
}

}  // namespace

int run_flex_isolate(const FlexStudyOptions& options) {
  const Checked<Study> study = load_study(options, /*needs_baseline=*/true);
  if (refused(study)) return kBadInput;
  if (!try_csv(options.output)) return kBadInput;
  ProgressLine line(options.output.quiet);
  const StudyOptions how = attended_study(options, study.value->seconds, line);
  std::vector<Diagnostic> problems;
  const report::StudyReport report = isolate(
      *study.value, how, options.seed, [&](const std::string& what) { line.show(what); }, problems);
  line.clear();
  complain(problems);
  return present_study(options, report, report::isolation_text);
}

int run_flex_futureproof(const FlexStudyOptions& options) {
  const Checked<Study> study = load_study(options, /*needs_baseline=*/false);
  if (refused(study)) return kBadInput;
  if (!try_csv(options.output)) return kBadInput;
  ProgressLine line(options.output.quiet);
  const StudyOptions how = attended_study(options, study.value->seconds, line);
  const Futureproof outcome =
      futureproof(*study.value, how, [&](const std::string& what) { line.show(what); });
  line.clear();
  if (!outcome.report) {
    complain(outcome.problem);
    return outcome.interrupted ? kInterrupted : kInfeasible;
  }
  return present_study(options, *outcome.report, report::futureproof_text);
}

int run_flex_design(const FlexDesignOptions& options) {
  Checked<Study> study = load_study(options.study, /*needs_baseline=*/false);
  if (study.value) restrict_design(options.flex, *study.value, study.problems);
  if (refused(study)) return kBadInput;
  if (!try_csv(options.study.output)) return kBadInput;
  ProgressLine line(options.study.output.quiet);
  const StudyOptions how = attended_study(options.study, 0, line);
  const Network& network = study.value->networks.front();
  line.show(fmt::format("designing for {}", network.name));
  const Design design =
      design_fixed(network, study.value->arch, how, design_limits(options, *study.value));
  line.clear();
  if (!design.found) {
    const bool interrupted = how.cancelled->load();
    complain(fmt::format(
        "{} on {}: {}", network.name, study.value->arch.name,
        interrupted ? "interrupted before there was a design" : "no design: " + design.problem));
    return interrupted ? kInterrupted : kInfeasible;
  }
  const report::DesignReport report{study.value->arch, network, design, how.map};
  const bool saved = present(options.study.output, report,
                             {report::design_json, report::design_text, report::design_csv});
  return saved ? kGood : kBadInput;
}

}  // namespace tilewright::cli
