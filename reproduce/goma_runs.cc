#include "reproduce/goma_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/deadline.h"
#include "reproduce/common.h"

namespace tilewright::reproduce {

namespace {

// What GOMA's solver found; its mappings use every processing element.
std::optional<GomaResult> published_result(const GomaCase& evaluated, const Layer& layer,
                                           const Architecture& arch) {
  const std::optional<double> pj_per_mac = goma_optimum(evaluated, layer.name);
  if (!pj_per_mac) return std::nullopt;
  const Int128 macs = multiply_accumulates(layer.workload);
  GomaResult result;
  result.score.energy_pj = *pj_per_mac * static_cast<double>(macs);
  result.score.cycles = macs / physical_instances(arch, LevelId{arch.level_count() - 1});
  return result;
}

class GomaRunner {
 public:
  GomaRunner(const Options& options, const GomaEffort& effort, std::size_t cases)
      : options_(options), mappers_(goma_mappers(options, effort)), effort_(effort), cases_(cases) {
    for (const GomaMapper& mapper : mappers_) run_.mappers.push_back(mapper.name);
    run_.published = mappers_.size();
    run_.mappers.emplace_back("GOMA's solver");
  }

  void add(const GomaCase& evaluated) {
    const Architecture arch = shipped_architecture(evaluated.accelerator);
    const Network network = shortened(goma_network(evaluated.workload), effort_.layers);
    GomaCaseResult result{evaluated, {}};
    for (const Layer& layer : network.layers) {
      const double share =
          static_cast<double>(result.layers.size()) / static_cast<double>(network.layers.size());
      const std::string what =
          fmt::format("{} of {} on {}", layer.name, evaluated.workload, evaluated.accelerator);
      tell_progress(options_, what, (done_ + share) / static_cast<double>(cases_));
      std::optional<GomaLayer> mapped = map_all(evaluated, layer, arch);
      if (is_cancelled(options_)) return;
      if (!mapped) {
        run_.missing.push_back(what);
        break;
      }
      result.layers.push_back(std::move(*mapped));
    }
    ++done_;
    if (result.layers.size() == network.layers.size()) run_.cases.push_back(std::move(result));
  }

  GomaRun take() { return std::move(run_); }

 private:
  // By all mappers; nothing if one of ours finds none.
  std::optional<GomaLayer> map_all(const GomaCase& evaluated, const Layer& layer,
                                   const Architecture& arch) {
    GomaLayer mapped{layer, {}};
    for (const GomaMapper& mapper : mappers_) {
      const GomaResult result = best_of(layer.workload, arch, mapper);
      if (!result.found && !mapper.rival) return std::nullopt;
      mapped.results.push_back(result);
    }
    const auto published = published_result(evaluated, layer, arch);
    if (!published) return std::nullopt;
    mapped.results.push_back(*published);
    return mapped;
  }

  GomaResult best_of(const Workload& workload, const Architecture& arch, const GomaMapper& mapper) {
    std::string key = arch.name + " " + mapper.name;
    for (const Dimension& dim : workload.dims) key += fmt::format(" {}", dim.size);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(key, map(workload, arch, mapper)).first->second;
  }

  static GomaResult map(const Workload& workload, const Architecture& arch,
                        const GomaMapper& mapper) {
    MapOptions options = mapper.options;
    if (!mapper.rival) options.constraints = full_array(arch);
    if (mapper.fixed_bypass) {
      for (Constraint& more : fixed_bypass(arch)) options.constraints.push_back(std::move(more));
    }
    const Stopwatch stopwatch;
    const MapOutcome outcome = map_workload(workload, arch, options);
    const double seconds = stopwatch.seconds();
    return {outcome.search.score, seconds, outcome.found()};
  }

  const Options& options_;
  std::vector<GomaMapper> mappers_;
  GomaEffort effort_;
  std::size_t cases_;
  double done_ = 0;
  std::map<std::string, GomaResult> known_;
  GomaRun run_;
};

}  // namespace

std::vector<GomaMapper> goma_mappers(const Options& options, const GomaEffort& effort) {
  const MapOptions optimal = map_options(options, "optimal");
  const MapOptions quickflow = map_options(options, "quickflow");
  MapOptions random = map_options(options, "random");
  random.mapper_options.set("patience", static_cast<std::int64_t>(effort.patience));
  std::vector<GomaMapper> all = {
      {"optimal", optimal, false},     {"optimal, fixed bypass", optimal, true},
      {"quickflow", quickflow, false}, {"quickflow, fixed bypass", quickflow, true},
      {"random", random, false},       {"random, fixed bypass", random, true}};
  for (const auto& [name, row] : {std::pair("FactorFlow", "factorflow"), std::pair("LOMA", "loma"),
                                  std::pair("SALSA", "salsa")}) {
    all.push_back({name, map_options(options, row), /*fixed_bypass=*/true, /*rival=*/true});
  }
  // The only one of these that searches what to keep (section V-A).
  all.push_back({"Timeloop Hybrid", map_options(options, "timeloop-hybrid"),
                 /*fixed_bypass=*/false, /*rival=*/true});
  return all;
}

double GomaCaseResult::edp(std::size_t mapper) const {
  double sum = 0;
  for (const GomaLayer& layer : layers) {
    if (!layer.results[mapper].found) return std::numeric_limits<double>::quiet_NaN();
    sum += static_cast<double>(layer.layer.count) * layer.results[mapper].score.edp();
  }
  return sum;
}

double GomaCaseResult::seconds(std::size_t mapper) const {
  double sum = 0;
  for (const GomaLayer& layer : layers) sum += layer.results[mapper].seconds;
  return sum;
}

GomaRun run_goma(const std::vector<GomaCase>& cases, const Options& options,
                 const GomaEffort& effort) {
  std::string name = fmt::format("goma {} {}", effort.patience, effort.layers);
  for (const GomaCase& one : cases) name += fmt::format(" {}/{}", one.accelerator, one.workload);
  return shared_result(options, name, [&] {
    GomaRunner runner(options, effort, cases.size());
    for (const GomaCase& evaluated : cases) {
      if (is_cancelled(options)) break;
      runner.add(evaluated);
    }
    return runner.take();
  });
}

void add_edp_note(Figure& figure, const GomaRun& run) {
  figure.notes.push_back(
      fmt::format("EDP in pJ * cycles; that of a case is the sum over its products, each as often "
                  "as it occurs (equation 35). Others stand as multiples of \"{}\".",
                  run.mappers.front()));
}

void add_goma_notes(Figure& figure, const GomaRun& run, const Options& options,
                    const GomaEffort& effort) {
  add_notes(
      figure,
      {"All mappings use every processing element (equation 29). The sizes of all products allow "
       "it "
       "with perfect factors, also those of lm_head, which has one row: its columns and sums are "
       "spread.",
       fmt::format("random: ends after {} valid mappings without improvement. Fixed bypass: "
                   "memories keep what "
                   "they keep in the hardware that the template is named after; else that is "
                   "searched, too.",
                   effort.patience),
       "FactorFlow, LOMA, SALSA and Timeloop Hybrid are our rows of these names (docs/arena.md), "
       "under our model, the first three with fixed bypass as in the paper; they need not use "
       "every "
       "processing element. Cases in which one of them finds nothing do not count for it. CoSA is "
       "a "
       "row of the Python package (docs/arena.md), not of this program.",
       "GOMA's solver: the energies that the authors' repository records as optimal. Its sizes and "
       "energies are used here (docs/gemm.md, docs/architectures.md)."});
  if (!run.missing.empty()) {
    figure.notes.push_back(fmt::format("Cases left out because a product has no mapping: {}.",
                                       fmt::join(run.missing, ", ")));
  }
  note_cancellation(options, figure);
}

}  // namespace tilewright::reproduce
