#include "reproduce/ruby_searches.h"

#include <fmt/format.h>

#include "reproduce/common.h"

namespace tilewright::reproduce {

namespace {

// Most proofs take milliseconds; some of Ruby-S on the Simba-like do not come to an end.
constexpr double kProofSeconds = 10;

}  // namespace

std::optional<Score> Searches::best(const SearchTask& task) {
  const std::string what =
      fmt::format("{} on {}, {}", task.layer.name, task.arch.name, task.approach.name);
  const auto report = [&](double share) {
    tell_progress(options_, what,
                  (static_cast<double>(done_) + share) / static_cast<double>(total_));
  };
  MapOptions map = map_options(options_, task.approach.proven ? "optimal" : "random");
  map.space = task.approach.space;
  map.padded = task.approach.padded;
  map.objective = task.objective;
  if (task.approach.proven) {
    map.limits.seconds = kProofSeconds;
  } else {
    map.mapper_options.set("patience", static_cast<std::int64_t>(task.patience));
  }
  map.limits.on_progress = [&](const SearchProgress& progress) {
    // Padded workloads are searched one after the other, each from 0 to 1.
    report(map.padded ? 0 : progress.fraction.value_or(0));
  };
  if (cancelled()) return std::nullopt;
  report(0);
  const MapOutcome outcome = map_workload(task.layer.workload, task.arch, map);
  ++done_;
  if (!outcome.found() || cancelled()) return std::nullopt;
  if (task.approach.proven && outcome.proof->status != Proof::Status::Proven) return std::nullopt;
  return outcome.search.score;
}

namespace {

std::optional<SpaceComparison> compared(Searches& searches, SearchTask task, const Approach& pfm,
                                        const Approach& ruby_s) {
  task.approach = pfm;
  const std::optional<Score> with_perfect = searches.best(task);
  task.approach = ruby_s;
  const std::optional<Score> with_remainders = searches.best(task);
  if (!with_perfect || !with_remainders) return std::nullopt;
  return SpaceComparison{*with_perfect, *with_remainders};
}

}  // namespace

std::optional<SpaceComparison> compare_optima(Searches& searches, SearchTask task) {
  return compared(searches, task, kBestPfm, kBestRubyS);
}

std::optional<SearchedAndBest> compare_spaces(Searches& searches, const SearchTask& task) {
  const auto searched = compared(searches, task, kPfm, kRubyS);
  if (!searched) return std::nullopt;
  return SearchedAndBest{*searched, compare_optima(searches, task)};
}

void add(Score& total, const Score& score, std::int64_t count) {
  total.energy_pj += static_cast<double>(count) * score.energy_pj;
  total.cycles += count * score.cycles;
}

void add(SpaceComparison& total, const SpaceComparison& compared, std::int64_t count) {
  add(total.pfm, compared.pfm, count);
  add(total.ruby_s, compared.ruby_s, count);
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

std::string proof_note() {
  return "Columns that begin with \"best\": the optima of the two map-spaces, proven by the "
         "optimal "
         "mapper; no search and no seed has a part in them. Ruby-S has every mapping of PFM, so "
         "that no such ratio is above 1. Empty: no proof within 10 s.";
}

void note_if_incomplete(Figure& figure, const Searches& searches) {
  if (searches.cancelled()) {
    figure.notes.emplace_back("Incomplete: it was interrupted, and shows what was done by then.");
  }
}

}  // namespace tilewright::reproduce
