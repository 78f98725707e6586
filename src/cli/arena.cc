#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/report.h"
#include "tilewright/study.h"

namespace tilewright::cli {
namespace {

void take_mappers(const std::string& names, const std::vector<const Mapper*>& table,
                  report::ArenaReport& report, std::vector<Diagnostic>& problems) {
  report.mappers = {table.front()};  // what the others are held against
  for (const std::string_view word : split(names, ',')) {
    const std::string name(word);
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Mapper* row) { return row->name == name; });
    if (found == table.end()) {
      std::vector<std::string> known;
      for (const Mapper* row : table) known.emplace_back(row->name);
      problems.push_back({{"--mappers"},
                          fmt::format("there is no mapper {}", name),
                          fmt::format("choose among {}", fmt::join(known, ", "))});
    } else if (std::find(report.mappers.begin(), report.mappers.end(), *found) ==
               report.mappers.end()) {
      report.mappers.push_back(*found);
    }
  }
}

std::vector<Diagnostic> read_twice(const ArenaOptions& options) {
  std::vector<NamedFile> files;
  for (const std::string& arch : options.archs) files.push_back({"--arch", arch});
  for (const std::string& model : options.models) files.push_back({"--model", model});
  return standard_input_twice(files);
}

void take_files(const ArenaOptions& options, report::ArenaReport& report,
                std::vector<Diagnostic>& problems) {
  for (const std::string& name : options.archs) {
    if (auto arch = taken(load_architecture(name), problems)) {
      report.archs.push_back(std::move(*arch));
    }
  }
  for (const std::string& name : options.models) {
    if (auto network = taken(load_network(name, options.sizes), problems)) {
      report.networks.push_back(std::move(*network));
    }
  }
  if (options.layer.empty() || report.networks.empty()) return;
  auto layer = taken(io::pick_layer(report.networks.front(), options.layer), problems);
  if (layer) keep_only(report.networks.front(), std::move(*layer));
}

Checked<report::ArenaReport> load_arena(const ArenaOptions& options) {
  std::vector<Diagnostic> problems = read_twice(options);
  report::ArenaReport report;
  if (problems.empty()) take_files(options, report, problems);
  if (!options.layer.empty() && options.models.size() > 1) {
    problems.push_back({{"--layer"}, "there are several networks", "name one network"});
  }
  std::string names = options.mappers;
  if (names.empty()) {
    for (const Mapper* mapper : options.table) {
      if (mapper->name != "exhaustive")
        names += (names.empty() ? "" : ",") + std::string(mapper->name);
    }
  }
  take_mappers(names, options.table, report, problems);
  report.options.space = space_kind(options.mapspace).value_or(SpaceKind::Perfect);
  report.options.objective = objective_named(options.objective).value_or(Objective::Edp);
  report.options.mapper_options.set("seed", options.seed);
  const auto seconds = taken(read_duration(options.time, "--time"), problems);
  if (seconds) report.options.limits.seconds = *seconds;
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(report), {}};
}

// Layers on which nobody found anything say why.
std::vector<std::string> layers_without_mapping(const report::ArenaReport& report) {
  std::vector<std::string> lines;
  for (const Bout& bout : report.arena.bouts) {
    if (bout.best) continue;
    const Network& network = report.networks[bout.network];
    lines.push_back(fmt::format("no mapper found a mapping of {} of {} on {}",
                                network.layers[bout.layer].name, network.name,
                                report.archs[bout.arch].name));
  }
  return lines;
}

}  // namespace

int run_arena(const ArenaOptions& options) {
  Checked<report::ArenaReport> loaded = load_arena(options);
  if (refused(loaded)) return kBadInput;
  report::ArenaReport& report = *loaded.value;
  const bool writable = options.convergence.empty() || try_file(options.convergence);
  if (!try_csv(options.output) || !writable) return kBadInput;
  ProgressLine line(options.output.quiet);
  StudyOptions how;
  how.map = report.options;
  how.cancelled = &catch_interrupts();
  if (line.is_shown()) {
    how.on_progress = [&line](const std::string& what, double fraction) {
      line.show(fmt::format("{} {}", bar(fraction), what));
    };
  }
  report.arena = hold_arena(report.archs, report.networks, report.mappers, how);
  line.clear();
  if (report.arena.cancelled) complain("interrupted: what follows is of the layers before");
  const std::vector<std::string> gaps = layers_without_mapping(report);
  for (const std::string& gap : gaps) complain(gap);
  bool saved =
      present(options.output, report, {report::arena_json, report::arena_text, report::arena_csv});
  if (!options.convergence.empty()) {
    saved = write_file(options.convergence, report::convergence_csv(report)) && saved;
  }
  if (report.arena.cancelled) return kInterrupted;
  if (!saved) return kBadInput;
  return gaps.empty() ? kGood : kInfeasible;
}

}  // namespace tilewright::cli
