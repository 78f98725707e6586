#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/io.h"
#include "tilewright/report.h"
#include "tilewright/study.h"

namespace tilewright::cli {
namespace {

// What both studies work on.
struct Study {
  Architecture arch;  // as flexible as can be
  std::optional<Flexibility> baseline;
  std::vector<Network> networks;
  std::int64_t pes = 1;
  double seconds = 0;  // for each layer; 0: no limit
};

constexpr const char* kTable2 = "T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,P=CK,S=";

// The baseline's shape is the array's unless it says another.
std::optional<Flexibility> read_baseline(const std::string& text, const Architecture& arch,
                                         std::vector<Diagnostic>& problems) {
  Architecture plain = arch;
  plain.flexibility.emplace();
  if (arch.flexibility) {
    plain.flexibility->array = arch.flexibility->array;
    plain.flexibility->buffer = arch.flexibility->buffer;
  }
  auto read = taken(io::read_flexibility_line(text, "--baseline", plain), problems);
  if (!read) return std::nullopt;
  const std::int64_t pes = parts_of(plain, *read)->pes;
  for (const TopsAxis axis : kTopsAxes) {
    if (degree_of(*read, axis, pes) == Degree::Inflexible) continue;
    problems.push_back(
        {{"--baseline"},
         fmt::format("the axis {} is not fixed: {}", to_string(axis), axis_text(*read, axis)),
         "write one tile, one order, one pair and one shape, such as "
         "\"T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,P=CK,S=16x64\""});
  }
  return read;
}

// "16x64": the shape that the array has in its file.
std::string array_shape(const Architecture& arch) {
  Flexibility nothing = arch.flexibility.value_or(Flexibility{});
  nothing.shape = {};
  settle_shape(arch, nothing);
  return axis_text(nothing, TopsAxis::Shape);
}

// All networks; with --layer the first, and of it that layer alone.
void load_networks(const FlexStudyOptions& options, Study& study,
                   std::vector<Diagnostic>& problems) {
  for (const std::string& model : options.models) {
    auto network = taken(load_network(model), problems);
    if (network) study.networks.push_back(std::move(*network));
  }
  if (options.layer.empty() || !problems.empty()) return;
  Network& network = study.networks.front();
  auto layer = taken(io::pick_layer(network, options.layer), problems);
  if (layer) network.layers = {std::move(*layer)};
}

// Gives the study the architecture with every freedom, and the baseline on it.
void take_architecture(Architecture arch, const FlexStudyOptions& options, bool needs_baseline,
                       Study& study, std::vector<Diagnostic>& problems) {
  const Flexibility given = arch.flexibility.value_or(Flexibility{});
  const auto check = [&](const Flexibility& flexibility, const char* hint) {
    for (const std::string& problem : problems_of(arch, flexibility)) {
      problems.push_back({{options.arch}, problem, hint});
    }
  };
  if (!parts_of(arch, given)) return check(given, "say it with the key \"flexibility\"");
  const bool usual = options.baseline.empty() && needs_baseline;
  const std::string baseline = usual ? kTable2 + array_shape(arch) : options.baseline;
  if (!baseline.empty()) study.baseline = read_baseline(baseline, arch, problems);
  const Flexibility free = with_freedom(given, kEveryAxis);
  check(free, "");
  if (problems.empty()) study.pes = parts_of(arch, free)->pes;
  arch.flexibility = free;
  study.arch = std::move(arch);
}

Checked<Study> load_study(const FlexStudyOptions& options, bool needs_baseline) {
  std::vector<NamedFile> files = {{"--arch", options.arch}};
  for (const std::string& model : options.models) files.push_back({"models", model});
  std::vector<Diagnostic> problems = standard_input_twice(files);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  Study study;
  auto arch = taken(load_architecture(options.arch), problems);
  load_networks(options, study, problems);
  if (arch) take_architecture(std::move(*arch), options, needs_baseline, study, problems);
  if (!options.time.empty()) {
    study.seconds = taken(read_duration(options.time, "--time"), problems).value_or(0);
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(study), {}};
}

StudyOptions study_options(const FlexStudyOptions& options, double seconds, ProgressLine& line) {
  StudyOptions result = usual_study();
  result.threads = thread_count(options.threads);
  result.cancelled = &catch_interrupts();
  result.map.mapper_options.set("seed", options.seed);
  result.map.objective = *objective_named(options.objective);
  result.map.mapper = find_mapper(options.mapper);
  if (seconds > 0) result.map.limits.seconds = seconds;
  if (line.is_shown()) {
    result.on_progress = [&line](const std::string& what, double fraction) {
      line.show(fmt::format("{} {}", bar(fraction), what));
    };
  }
  return result;
}

// Layers without a mapping, once each.
int complain_about_gaps(const report::StudyReport& report) {
  int code = kGood;
  for (std::size_t v = 0; v < report.variants.size(); ++v) {
    for (std::size_t n = 0; n < report.networks.size(); ++n) {
      const Trial& trial = report.comparison.trials[v][n];
      for (std::size_t i = 0; i < trial.layers.size(); ++i) {
        if (trial.layers[i].found || trial.layers[i].problems.empty()) continue;
        complain(fmt::format("{} on {}, layer {}: {}", report.networks[n].name,
                             report.variants[v].name, report.networks[n].layers[i].name,
                             to_string(trial.layers[i].problems.front())));
        code = kInfeasible;
        break;
      }
    }
  }
  return code;
}

int present_study(const FlexStudyOptions& options, const report::StudyReport& report,
                  std::string (*text)(const report::StudyReport&, int)) {
  if (report.comparison.cancelled) {
    complain("interrupted: not everything was mapped, so there is nothing to compare");
    return kInterrupted;
  }
  const int code = complain_about_gaps(report);
  const bool saved = present(options.output, report, {report::study_json, text, report::study_csv});
  return saved ? code : kBadInput;
}

// How much each variant supports of the axis that it frees; nothing for those that free none or
// all.
std::vector<std::optional<MeanFlexion>> flexion_of_axes(const Study& study,
                                                        const std::vector<Variant>& variants,
                                                        const FlexStudyOptions& options) {
  FlexionOptions counting;
  counting.seed = static_cast<std::uint64_t>(options.seed);
  counting.cancelled = &catch_interrupts();
  std::vector<std::optional<MeanFlexion>> all;
  Architecture arch = study.arch;
  for (const Variant& variant : variants) {
    all.emplace_back();
    arch.flexibility = variant.flexibility;
    std::vector<TopsAxis> free;
    for (const TopsAxis axis : kTopsAxes) {
      if (degree_of(variant.flexibility, axis, study.pes) != Degree::Inflexible) {
        free.push_back(axis);
      }
    }
    if (free.size() != 1) continue;
    const Checked<MeanFlexion> mean =
        mean_flexion_of(study.networks.front(), arch, free.front(), counting);
    complain(mean.problems);
    all.back() = mean.value;
  }
  return all;
}

}  // namespace

int run_flex_isolate(const FlexStudyOptions& options) {
  const Checked<Study> study = load_study(options, /*needs_baseline=*/true);
  if (refused(study)) return kBadInput;
  if (!try_csv(options.output)) return kBadInput;
  const Flexibility& fixed = *study.value->baseline;
  std::vector<Variant> variants = {{"InFlex-0000", fixed}};
  for (const TopsAxis axis : kTopsAxes) {
    const TopsAxes axes = axes_of(axis);
    const Flexibility some = with_some_freedom(fixed, axes, study.value->pes);
    if (degree_of(some, axis, study.value->pes) == Degree::Partial) {
      variants.push_back({"PartFlex-" + bits_text(axes), some});
    }
    variants.push_back({"FullFlex-" + bits_text(axes), with_freedom(fixed, axes)});
  }
  variants.push_back({"FullFlex-1111", with_freedom(fixed, kEveryAxis)});
  ProgressLine line(options.output.quiet);
  const StudyOptions how = study_options(options, study.value->seconds, line);
  const Comparison comparison = compare(variants, study.value->networks, study.value->arch, how);
  line.show("counting what is supported");
  const auto flexion = flexion_of_axes(*study.value, variants, options);
  line.clear();
  return present_study(
      options, {study.value->arch, variants, study.value->networks, comparison, how.map, flexion},
      report::isolation_text);
}

int run_flex_futureproof(const FlexStudyOptions& options) {
  const Checked<Study> study = load_study(options, /*needs_baseline=*/false);
  if (refused(study)) return kBadInput;
  if (!try_csv(options.output)) return kBadInput;
  ProgressLine line(options.output.quiet);
  StudyOptions how = study_options(options, study.value->seconds, line);
  how.map.settle_ties = false;  // the table has the objective alone
  const Network& first = study.value->networks.front();
  std::optional<Flexibility> fixed = study.value->baseline;
  if (!fixed) {
    line.show(fmt::format("designing for {}", first.name));
    const Design design = design_fixed(first, study.value->arch, how);
    if (!design.found) {
      line.clear();
      const bool interrupted = how.cancelled->load();
      complain(fmt::format(
          "{} on {}: {}", first.name, study.value->arch.name,
          interrupted ? "interrupted before there was a design" : "no design: " + design.problem));
      return interrupted ? kInterrupted : kInfeasible;
    }
    fixed = design.flexibility;
  }
  const std::vector<Variant> variants = class_variants(*fixed, study.value->pes);
  const Comparison comparison = compare(variants, study.value->networks, study.value->arch, how);
  line.clear();
  return present_study(options,
                       {study.value->arch, variants, study.value->networks, comparison, how.map},
                       report::futureproof_text);
}

}  // namespace tilewright::cli
