// The best fixed design for a network.
#include <fmt/format.h>

#include <cmath>

#include "report/json_values.h"
#include "report/names.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

double share_of_pes(const DesignReport& report, const Trial::OfLayer& layer) {
  return static_cast<double>(layer.score.instances) /
         static_cast<double>(physical_instances(report.arch, report.arch.compute_level()));
}

std::string proof_text(const DesignReport& report) {
  const Design& design = report.design;
  const std::string name = to_string(report.options.objective);
  if (design.proven) return fmt::format("proven: no fixed design has a lower {}", name);
  const std::string ended =
      design.stop == Design::Stop::Gap ? "" : fmt::format("; ended: {}", to_string(design.stop));
  if (!std::isfinite(design.gap)) return "not proven to be the best" + ended;
  return fmt::format("{:.2f} % above what no fixed design can beat{}", 100 * design.gap, ended);
}

std::string layers_text(const DesignReport& report, int width) {
  Table table({{"number"},
               {"layer", Align::Left},
               {"count"},
               {"cycles"},
               {"energy"},
               {"utilisation", Align::Right, 1}},
              width);
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    const Layer& layer = report.network.layers[i];
    const Trial::OfLayer& mapped = report.design.trial.layers[i];
    table.add({fmt::format("{}", i + 1), layer.name, fmt::format("{}", layer.count),
               grouped(mapped.score.cycles), energy(mapped.score.energy_pj),
               percent(share_of_pes(report, mapped))});
  }
  return table.text();
}

}  // namespace

std::string design_text(const DesignReport& report, int width) {
  const Design& design = report.design;
  std::string text =
      fmt::format("{} on {}: the fixed design with the lowest {}\n\n", report.network.name,
                  report.arch.name, to_string(report.options.objective));
  text += fmt::format("  design   {}\n", to_string(design.flexibility));
  text += fmt::format("  cycles   {}\n", grouped(design.trial.total.cycles));
  text += fmt::format("  energy   {}\n", energy(design.trial.total.energy_pj));
  text += fmt::format("  EDP      {}\n", edp(design.trial.total.edp()));
  text += fmt::format("  result   {}\n", proof_text(report));
  text +=
      fmt::format("  search   {} parts of all designs bounded, {} designs mapped, {}\n\n",
                  grouped(static_cast<std::int64_t>(design.nodes)),
                  grouped(static_cast<std::int64_t>(design.tried)), duration_text(design.seconds));
  return text + layers_text(report, width);
}

std::string design_json(const DesignReport& report) {
  const Design& design = report.design;
  Json layers = Json::array();
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    const Trial::OfLayer& mapped = design.trial.layers[i];
    layers.push_back({{"name", report.network.layers[i].name},
                      {"count", report.network.layers[i].count},
                      {"cycles", mapped.score.cycles},
                      {"energy_pj", mapped.score.energy_pj},
                      {"utilisation", share_of_pes(report, mapped)}});
  }
  const bool bounded = design.bound > 0 && std::isfinite(design.gap);
  return document("tilewright.flex_design.v1",
                  {{"network", report.network.name},
                   {"architecture", report.arch.name},
                   {"objective", to_string(report.options.objective)},
                   {"freedom", to_string(*report.arch.flexibility)},
                   {"design", to_string(design.flexibility)},
                   {"cycles", design.trial.total.cycles},
                   {"energy_pj", design.trial.total.energy_pj},
                   {"value", design.value},
                   {"proven", design.proven},
                   {"bound", bounded ? Json(design.bound) : Json(nullptr)},
                   {"gap", bounded ? Json(design.gap) : Json(nullptr)},
                   {"stopped", to_string(design.stop)},
                   {"nodes", design.nodes},
                   {"designs_mapped", design.tried},
                   {"seconds", design.seconds},
                   {"layers", std::move(layers)}});
}

std::string design_csv(const DesignReport& report) {
  std::string text = csv_row({"design", "layer", "count", "cycles", "energy_pj", "utilisation"});
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    const Trial::OfLayer& mapped = report.design.trial.layers[i];
    text +=
        csv_row({to_string(report.design.flexibility), report.network.layers[i].name,
                 fmt::format("{}", report.network.layers[i].count),
                 fmt::format("{}", mapped.score.cycles), fmt::format("{}", mapped.score.energy_pj),
                 fmt::format("{:.6f}", share_of_pes(report, mapped))});
  }
  return text;
}

}  // namespace tilewright::report
