#include <fmt/format.h>

#include <cmath>

#include "report/names.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

std::string introduction(const StudyReport& report, const std::string& what) {
  const std::string mapper(report.options.mapper->name);
  return fmt::format("{} on {}, lowest {} of every layer by {} search; {}: {}\n\n", what,
                     report.arch.name, to_string(report.options.objective), mapper,
                     report.variants.front().name, to_string(report.variants.front().flexibility));
}

std::string design_note(const StudyReport& report) {
  const Design& design = *report.design;
  const std::string what = fmt::format("the fixed design for {}", report.networks.front().name);
  if (design.proven) return fmt::format("  {} is proven to be the best\n", what);
  if (!std::isfinite(design.gap)) {
    return fmt::format("  {} is not proven to be the best\n", what);
  }
  return fmt::format("  {} is at most {:.2f} % above the best ({})\n", what, 100 * design.gap,
                     to_string(design.stop));
}

// What the shares of area stand on, and whether all is proven.
std::string conclusion(const StudyReport& report) {
  const bool given = total_area_um2(report.arch) > 0;
  std::string text = fmt::format(
      "\n  area is added to {:.0f} um2, {}; energy on the chip is taken to rise by the same share, "
      "which the columns leave out\n",
      base_area_um2(report.arch),
      given ? "as the architecture gives it (what is added is of 15 nm)"
            : "the study's 15 nm accelerator grown with PEs and buffer");
  bool proven = true;
  for (const auto& of_variant : report.comparison.trials) {
    for (const Trial& trial : of_variant) proven = proven && trial.proven();
  }
  if (report.design) text += design_note(report);
  if (!proven) text += "  not every mapping is proven to be the best\n";
  return text;
}

std::string overhead_text(const StudyReport& report, const Variant& variant) {
  return fmt::format("{:+.3f} %", 100 * area_overhead(report, variant));
}

}  // namespace

double area_overhead(const StudyReport& report, const Variant& variant) {
  Architecture arch = report.arch;
  arch.flexibility = variant.flexibility;
  return overhead_of(arch).sum() / base_area_um2(arch);
}

std::optional<double> relative(const StudyReport& report, Objective objective, std::size_t variant,
                               std::size_t network) {
  const Trial& trial = report.comparison.trials[variant][network];
  const Trial& first = report.comparison.trials.front()[network];
  if (!trial.complete() || !first.complete()) return std::nullopt;
  return value_of(objective, trial.total) / value_of(objective, first.total);
}

std::string isolation_text(const StudyReport& report, int width) {
  Table table({{"accelerator", Align::Left},
               {"runtime"},
               {"energy"},
               {"EDP"},
               {"area", Align::Right, 1},
               {"H-F", Align::Right, 3},
               {"W-F", Align::Right, 2},
               {"flexibility", Align::Left, 4}},
              width);
  for (std::size_t v = 0; v < report.variants.size(); ++v) {
    std::vector<std::string> row = {report.variants[v].name};
    for (const Objective objective : {Objective::Latency, Objective::Energy, Objective::Edp}) {
      const auto ratio = relative(report, objective, v, 0);
      row.push_back(ratio ? ratio_text(*ratio) : "-");
    }
    row.push_back(overhead_text(report, report.variants[v]));
    const auto flexion = v < report.flexion.size() ? report.flexion[v] : std::nullopt;
    row.push_back(flexion ? ratio_text(flexion->hardware) : "-");
    row.push_back(flexion ? ratio_text(flexion->workload) : "-");
    row.push_back(to_string(report.variants[v].flexibility));
    table.add(std::move(row));
  }
  const Trial& first = report.comparison.trials.front().front();
  std::string text =
      introduction(report, report.networks.front().name) + table.text() + conclusion(report);
  if (!first.complete()) return text;
  return text + fmt::format("  1 is {} cycles and {:.4g} uJ\n", grouped(first.total.cycles),
                            first.total.energy_pj / 1e6);
}

std::string futureproof_text(const StudyReport& report, int width) {
  std::vector<Table::Column> columns = {{"accelerator", Align::Left}};
  for (const Network& network : report.networks) {
    columns.push_back({network.name, Align::Right, 2});
  }
  columns.push_back({"geomean"});
  columns.push_back({"area", Align::Right, 1});
  Table table(columns, width);
  for (std::size_t v = 0; v < report.variants.size(); ++v) {
    std::vector<std::string> row = {report.variants[v].name};
    double logs = 0;
    bool whole = true;
    for (std::size_t n = 0; n < report.networks.size(); ++n) {
      const auto ratio = relative(report, report.options.objective, v, n);
      row.push_back(ratio ? ratio_text(*ratio) : "-");
      whole = whole && ratio;
      logs += ratio ? std::log(*ratio) : 0;
    }
    const auto count = static_cast<double>(report.networks.size());
    row.push_back(whole ? ratio_text(std::exp(logs / count)) : "-");
    row.push_back(overhead_text(report, report.variants[v]));
    table.add(std::move(row));
  }
  return introduction(report, "networks") + table.text() + conclusion(report);
}

std::string study_csv(const StudyReport& report) {
  std::string text = csv_row({"accelerator", "flexibility", "area_overhead", "network", "layer",
                              "count", "cycles", "energy_pj", "setting"});
  for (std::size_t v = 0; v < report.variants.size(); ++v) {
    const Variant& variant = report.variants[v];
    for (std::size_t n = 0; n < report.networks.size(); ++n) {
      const Network& network = report.networks[n];
      for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Trial::OfLayer& layer = report.comparison.trials[v][n].layers[i];
        text += csv_row({variant.name, to_string(variant.flexibility),
                         fmt::format("{:.6f}", area_overhead(report, variant)), network.name,
                         network.layers[i].name, fmt::format("{}", network.layers[i].count),
                         layer.found ? fmt::format("{}", layer.score.cycles) : "",
                         layer.found ? fmt::format("{}", layer.score.energy_pj) : "",
                         layer.setting ? to_string(*layer.setting) : ""});
      }
    }
  }
  return text;
}

}  // namespace tilewright::report
