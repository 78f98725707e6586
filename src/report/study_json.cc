#include <cmath>

#include "report/json_values.h"
#include "report/names.h"

namespace tilewright::report {
namespace {

Json layers_json(const Network& network, const Trial& trial) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Trial::OfLayer& layer = trial.layers[i];
    layers.push_back(
        {{"name", network.layers[i].name},
         {"count", network.layers[i].count},
         {"cycles", layer.found ? Json(layer.score.cycles) : Json(nullptr)},
         {"energy_pj", layer.found ? Json(layer.score.energy_pj) : Json(nullptr)},
         {"setting", layer.setting ? Json(to_string(*layer.setting)) : Json(nullptr)}});
  }
  return layers;
}

Json variant_json(const StudyReport& report, std::size_t v) {
  const Variant& variant = report.variants[v];
  Json results = Json::array();
  for (std::size_t n = 0; n < report.networks.size(); ++n) {
    const Trial& trial = report.comparison.trials[v][n];
    const auto ratio = relative(report, report.options.objective, v, n);
    results.push_back(
        {{"network", report.networks[n].name},
         {"complete", trial.complete()},
         {"relative", optional_json(ratio)},
         {"proven", trial.proven()},
         {"cycles", trial.complete() ? Json(trial.total.cycles) : Json(nullptr)},
         {"energy_pj", trial.complete() ? Json(trial.total.energy_pj) : Json(nullptr)},
         {"layers", layers_json(report.networks[n], trial)}});
  }
  const auto flexion = v < report.flexion.size() ? report.flexion[v] : std::nullopt;
  return {{"name", variant.name},
          {"flexibility", to_string(variant.flexibility)},
          {"area_overhead", area_overhead(report, variant)},
          {"onchip_energy_overhead", area_overhead(report, variant)},
          {"hardware_flexion", flexion ? Json(flexion->hardware) : Json(nullptr)},
          {"workload_flexion", flexion ? Json(flexion->workload) : Json(nullptr)},
          {"results", std::move(results)}};
}

Json found_design_json(const std::optional<Design>& design) {
  if (!design) return nullptr;
  const bool bounded = std::isfinite(design->gap);
  return {{"proven", design->proven},
          {"gap", bounded ? Json(design->gap) : Json(nullptr)},
          {"stopped", to_string(design->stop)},
          {"nodes", design->nodes},
          {"designs_mapped", design->tried}};
}

}  // namespace

std::string study_json(const StudyReport& report) {
  Json variants = Json::array();
  for (std::size_t v = 0; v < report.variants.size(); ++v) {
    variants.push_back(variant_json(report, v));
  }
  return document("tilewright.flex_study.v1", {{"architecture", report.arch.name},
                                               {"objective", to_string(report.options.objective)},
                                               {"mapper", report.options.mapper->name},
                                               {"seed", seed_of(report.options)},
                                               {"design", found_design_json(report.design)},
                                               {"variants", std::move(variants)}});
}

}  // namespace tilewright::report
