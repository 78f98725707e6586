#include "reproduce/ruby_searches.h"

#include <fmt/format.h>

#include "reproduce/common.h"

namespace tilewright::reproduce {

std::optional<Score> Searches::best(const SearchTask& task) {
  const std::string what =
      fmt::format("{} on {}, {}", task.layer.name, task.arch.name, task.approach.name);
  const auto report = [&](double share) {
    tell_progress(options_, what,
                  (static_cast<double>(done_) + share) / static_cast<double>(total_));
  };
  MapOptions map = map_options(options_, "random");  // as the paper's
  map.space = task.approach.space;
  map.padded = task.approach.padded;
  map.objective = task.objective;
  map.mapper_options.set("patience", static_cast<std::int64_t>(task.patience));
  map.limits.on_progress = [&](const SearchProgress& progress) {
    // Padded workloads are searched one after the other, each from 0 to 1.
    report(map.padded ? 0 : progress.fraction.value_or(0));
  };
  if (cancelled()) return std::nullopt;
  report(0);
  const MapOutcome outcome = map_workload(task.layer.workload, task.arch, map);
  ++done_;
  if (!outcome.found() || cancelled()) return std::nullopt;
  return outcome.search.score;
}

std::optional<SpaceComparison> compare_spaces(Searches& searches, SearchTask task) {
  task.approach = kPfm;
  const std::optional<Score> pfm = searches.best(task);
  task.approach = kRubyS;
  const std::optional<Score> ruby_s = searches.best(task);
  if (!pfm || !ruby_s) return std::nullopt;
  return SpaceComparison{*pfm, *ruby_s};
}

void add(Score& total, const Score& score, std::int64_t count) {
  total.energy_pj += static_cast<double>(count) * score.energy_pj;
  total.cycles += count * score.cycles;
}

std::string shape_of(const Workload& workload) {
  std::string shape;
  for (const Dimension& dim : workload.dims) {
    if (dim.size == 1) continue;
    shape += fmt::format("{}{}{}", shape.empty() ? "" : " ", dim.name, dim.size);
  }
  return shape;
}

std::string patience_note(const RubyEffort& effort) {
  return fmt::format(
      "A search ends after {} valid mappings without improvement; the paper's ended after 3000, on "
      "24 threads.",
      effort.patience);
}

void note_if_incomplete(Figure& figure, const Searches& searches) {
  if (searches.cancelled()) {
    figure.notes.emplace_back("Incomplete: it was interrupted, and shows what was done by then.");
  }
}

}  // namespace tilewright::reproduce
