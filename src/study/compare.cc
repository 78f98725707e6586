#include <fmt/format.h>

#include <algorithm>

#include "chosen.h"
#include "jobs.h"
#include "tilewright/study.h"

namespace tilewright {

namespace {

struct Job {
  std::size_t variant = 0, network = 0, layer = 0;
};

Trial::OfLayer map_layer(const Workload& workload, const Architecture& arch,
                         const StudyOptions& options, const std::atomic<bool>& stop) {
  MapOutcome outcome = map_workload(workload, arch, study::options_of_job(options.map, stop));
  Trial::OfLayer result;
  result.found = outcome.found();
  result.proven = outcome.proof && outcome.proof->status == Proof::Status::Proven;
  result.infeasible = outcome.status == MapOutcome::Status::Infeasible;
  result.score = outcome.search.score;
  result.setting = outcome.setting;
  if (outcome.found() && outcome.setting) {
    result.tile = study::chosen_tile(outcome, parts_of(arch, *arch.flexibility)->tile);
    result.order = study::chosen_order(outcome);
  }
  result.problems = std::move(outcome.problems);
  return result;
}

// Copies what was mapped once to all its likes, and adds up.
void complete(Trial& trial, const Network& network) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::size_t first = first_with_same_work(network, i);
    if (first != i) trial.layers[i] = trial.layers[first];
    trial.total.add(trial.layers[i].score, network.layers[i].count);
  }
}

}  // namespace

bool Trial::complete() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const OfLayer& layer) { return layer.found; });
}

bool Trial::proven() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const OfLayer& layer) { return layer.found && layer.proven; });
}

bool Trial::infeasible() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const OfLayer& layer) { return layer.infeasible; });
}

Comparison compare(const std::vector<Variant>& variants, const std::vector<Network>& networks,
                   const Architecture& arch, const StudyOptions& options) {
  Comparison comparison;
  std::vector<Architecture> set;
  std::vector<Job> jobs;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    set.push_back(arch);
    set.back().flexibility = variants[v].flexibility;
    comparison.trials.emplace_back(networks.size());
    for (std::size_t n = 0; n < networks.size(); ++n) {
      comparison.trials[v][n].layers.resize(networks[n].layers.size());
      for (std::size_t i = 0; i < networks[n].layers.size(); ++i) {
        if (first_with_same_work(networks[n], i) == i) jobs.push_back({v, n, i});
      }
    }
  }
  std::size_t finished = 0;
  comparison.cancelled = !study::run_jobs(
      jobs.size(), options.threads, options.cancelled,
      [&](std::size_t i, const std::atomic<bool>& stop) {
        const Job& job = jobs[i];
        const Workload& workload = networks[job.network].layers[job.layer].workload;
        comparison.trials[job.variant][job.network].layers[job.layer] =
            map_layer(workload, set[job.variant], options, stop);
      },
      [&](std::size_t i) {
        if (!options.on_progress) return;
        options.on_progress(
            fmt::format("{} on {}", networks[jobs[i].network].name, variants[jobs[i].variant].name),
            static_cast<double>(++finished) / static_cast<double>(jobs.size()));
      });
  for (auto& of_variant : comparison.trials) {
    for (std::size_t n = 0; n < networks.size(); ++n) complete(of_variant[n], networks[n]);
  }
  return comparison;
}

}  // namespace tilewright
