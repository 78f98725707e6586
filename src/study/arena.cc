#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/deadline.h"
#include "tilewright/study.h"

namespace tilewright {
namespace {

struct Entry {
  std::size_t arch = 0, network = 0, layer = 0;
};

std::vector<Entry> entries_of(const std::vector<Architecture>& archs,
                              const std::vector<Network>& networks) {
  std::vector<Entry> entries;
  for (std::size_t a = 0; a < archs.size(); ++a) {
    for (std::size_t n = 0; n < networks.size(); ++n) {
      for (std::size_t l = 0; l < networks[n].layers.size(); ++l) {
        if (first_with_same_work(networks[n], l) == l) entries.push_back({a, n, l});
      }
    }
  }
  return entries;
}

MapOutcome run_mapper(const Workload& workload, const Architecture& arch, const Mapper& mapper,
                      const StudyOptions& options) {
  MapOptions how = options.map;
  how.mapper = &mapper;
  how.limits.threads = 1;
  how.limits.cancelled = options.cancelled;
  how.limits.on_progress = nullptr;
  return map_workload(workload, arch, how);
}

Bout::Run run_of(const MapOutcome& outcome, double seconds) {
  Bout::Run run;
  run.status = outcome.status;
  run.score = outcome.search.score;
  run.seconds = seconds;
  run.seen = outcome.proof ? outcome.proof->mappings_evaluated : outcome.search.seen;
  run.valid = outcome.search.valid;
  run.steps = outcome.search.steps;
  return run;
}

bool is_proven(const MapOutcome& outcome) {
  return outcome.found() && outcome.proof && outcome.proof->status == Proof::Status::Proven;
}

void settle_best(Objective objective, Bout& bout) {
  for (const Bout::Run& run : bout.runs) {
    if (!run.found()) continue;
    const double value = value_of(objective, run.score);
    if (!bout.best || value < *bout.best) bout.best = value;
  }
}

// False if it was cancelled.
bool fight(const Workload& workload, const Architecture& arch,
           const std::vector<const Mapper*>& mappers, const StudyOptions& options, Bout& bout) {
  for (const Mapper* mapper : mappers) {
    const Stopwatch stopwatch;
    const MapOutcome outcome = run_mapper(workload, arch, *mapper, options);
    if (outcome.cancelled) return false;
    bout.runs.push_back(run_of(outcome, stopwatch.seconds()));
    bout.proven = bout.proven || is_proven(outcome);
  }
  settle_best(options.map.objective, bout);
  return true;
}

}  // namespace

Arena hold_arena(const std::vector<Architecture>& archs, const std::vector<Network>& networks,
                 const std::vector<const Mapper*>& mappers, const StudyOptions& options) {
  const std::vector<Entry> entries = entries_of(archs, networks);
  Arena arena;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [a, n, l] = entries[i];
    const Layer& layer = networks[n].layers[l];
    if (options.on_progress) {
      options.on_progress(fmt::format("{} on {}", layer.name, archs[a].name),
                          static_cast<double>(i) / static_cast<double>(entries.size()));
    }
    Bout bout;
    bout.arch = a;
    bout.network = n;
    bout.layer = l;
    if (!fight(layer.workload, archs[a], mappers, options, bout)) {
      arena.cancelled = true;
      break;
    }
    arena.bouts.push_back(std::move(bout));
  }
  return arena;
}

Standing standing_of(const Arena& arena, std::size_t mapper, Objective objective) {
  constexpr double kClose = 1.01;
  Standing standing;
  double logarithms = 0;
  for (const Bout& bout : arena.bouts) {
    if (!bout.best) continue;
    const Bout::Run& run = bout.runs[mapper];
    ++standing.bouts;
    standing.seconds += run.seconds;
    standing.seen += run.seen;
    if (!run.found()) continue;
    const double ratio = value_of(objective, run.score) / *bout.best;
    ++standing.found;
    if (ratio <= kClose) ++standing.within_percent;
    logarithms += std::log(ratio);
    standing.worst = std::max(standing.worst, ratio);
  }
  if (standing.found > 0)
    standing.mean = std::exp(logarithms / static_cast<double>(standing.found));
  return standing;
}

}  // namespace tilewright
