#include "cli/study_task.h"

#include <fmt/format.h>

#include "cli/inputs.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

constexpr const char* kTable2 = "T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,P=CK,S=";

// The baseline's shape is the array's unless it says another.
std::optional<Flexibility> read_baseline(const std::string& text, const Architecture& arch,
                                         std::vector<Diagnostic>& problems) {
  Architecture plain = arch;
  plain.flexibility.emplace();
  if (arch.flexibility) {
    plain.flexibility->array = arch.flexibility->array;
    plain.flexibility->buffer = arch.flexibility->buffer;
    plain.flexibility->tile_of = arch.flexibility->tile_of;
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

// With --layer that layer of the first network alone.
void pick_layer(const std::string& which, Study& study, std::vector<Diagnostic>& problems) {
  Network& network = study.networks.front();
  auto layer = taken(io::pick_layer(network, which), problems);
  if (layer) keep_only(network, std::move(*layer));
}

// How much each variant supports of the axis that it frees; nothing for those that free none or
// all.
std::vector<std::optional<MeanFlexion>> flexion_of_axes(const Study& study,
                                                        const std::vector<Variant>& variants,
                                                        const FlexionOptions& counting,
                                                        std::vector<Diagnostic>& problems) {
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
    append(problems, mean.problems);
    all.back() = mean.value;
  }
  return all;
}

// Nothing free, each axis in part and as far as can be, and all of them.
std::vector<Variant> isolated_variants(const Flexibility& fixed, std::int64_t pes) {
  std::vector<Variant> variants = {{"InFlex-0000", fixed}};
  for (const TopsAxis axis : kTopsAxes) {
    const TopsAxes axes = axes_of(axis);
    const Flexibility some = with_some_freedom(fixed, axes, pes);
    if (degree_of(some, axis, pes) == Degree::Partial) {
      variants.push_back({"PartFlex-" + bits_text(axes), some});
    }
    variants.push_back({"FullFlex-" + bits_text(axes), with_freedom(fixed, axes)});
  }
  variants.push_back({"FullFlex-1111", with_freedom(fixed, kEveryAxis)});
  return variants;
}

}  // namespace

void complete_study(std::optional<Architecture> arch, const FlexStudyOptions& options,
                    bool needs_baseline, Study& study, std::vector<Diagnostic>& problems) {
  if (!options.layer.empty() && problems.empty()) pick_layer(options.layer, study, problems);
  if (arch) take_architecture(std::move(*arch), options, needs_baseline, study, problems);
  if (options.time.empty()) return;
  study.seconds = taken(read_duration(options.time, "--time"), problems).value_or(0);
}

StudyOptions study_options(const FlexStudyOptions& options, double seconds) {
  StudyOptions result = usual_study();
  result.threads = thread_count(options.threads);
  result.map.mapper_options.set("seed", options.seed);
  result.map.objective = *objective_named(options.objective);
  result.map.mapper = find_mapper(options.mapper);
  if (seconds > 0) result.map.limits.seconds = seconds;
  return result;
}

report::StudyReport isolate(const Study& study, const StudyOptions& how, std::int64_t seed,
                            const OnStage& on_stage, std::vector<Diagnostic>& problems) {
  const std::vector<Variant> variants = isolated_variants(*study.baseline, study.pes);
  const Comparison comparison = compare(variants, study.networks, study.arch, how);
  on_stage("counting what is supported");
  FlexionOptions counting;
  counting.seed = static_cast<std::uint64_t>(seed);
  counting.cancelled = how.cancelled;
  return {study.arch, variants, study.networks,
          comparison, how.map,  flexion_of_axes(study, variants, counting, problems)};
}

void restrict_design(const std::string& flex, Study& study, std::vector<Diagnostic>& problems) {
  if (flex.empty()) return;
  auto read = taken(io::read_flexibility_line(flex, "--flex", study.arch), problems);
  if (!read) return;
  if (read->tile.kind == TileFreedom::Kind::Hard) {
    problems.push_back({{"--flex"},
                        "a design has one tile; a buffer in hard parts is for tiles that change",
                        "leave T out, or write one tile such as T=fixed(K64,C16,Y3,X3,R3,S3)"});
  }
  study.arch.flexibility = std::move(*read);
}

DesignLimits design_limits(const FlexDesignOptions& options, const Study& study) {
  DesignLimits limits;
  if (study.seconds > 0) limits.seconds = study.seconds;
  limits.nodes = static_cast<std::uint64_t>(options.nodes);
  limits.gap = options.gap;
  return limits;
}

Futureproof futureproof(const Study& study, StudyOptions how, const OnStage& on_stage) {
  how.map.settle_ties = false;  // the table has the objective alone
  std::optional<Flexibility> fixed = study.baseline;
  std::optional<Design> design;
  const Network& first = study.networks.front();
  if (!fixed) {
    on_stage(fmt::format("designing for {}", first.name));
    design = design_fixed(first, study.arch, how);
    if (!design->found) {
      const bool interrupted = how.cancelled != nullptr && how.cancelled->load();
      return {std::nullopt,
              fmt::format("{} on {}: {}", first.name, study.arch.name,
                          interrupted ? "interrupted before there was a design"
                                      : "no design: " + design->problem),
              interrupted};
    }
    fixed = design->flexibility;
  }
  how.map.only_value = true;
  const std::vector<Variant> variants = class_variants(*fixed, study.pes);
  const Comparison comparison = compare(variants, study.networks, study.arch, how);
  return {
      report::StudyReport{study.arch, variants, study.networks, comparison, how.map, {}, design},
      "", false};
}

std::vector<std::string> gaps_of(const report::StudyReport& report) {
  std::vector<std::string> lines;
  for (std::size_t v = 0; v < report.variants.size(); ++v) {
    for (std::size_t n = 0; n < report.networks.size(); ++n) {
      const Trial& trial = report.comparison.trials[v][n];
      for (std::size_t i = 0; i < trial.layers.size(); ++i) {
        if (trial.layers[i].found || trial.layers[i].problems.empty()) continue;
        lines.push_back(fmt::format("{} on {}, layer {}: {}", report.networks[n].name,
                                    report.variants[v].name, report.networks[n].layers[i].name,
                                    to_string(trial.layers[i].problems.front())));
        break;
      }
    }
  }
  return lines;
}

}  // namespace tilewright::cli
