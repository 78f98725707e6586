#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/names.h"
#include "report/spending.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

// A layer that has a mapping, every occurrence of it together.
struct Part {
  std::size_t layer = 0;
  double pj = 0, cycles = 0;
  std::string bottleneck;
};

// What all layers with a mapping take.
struct Sums {
  std::vector<Part> parts;
  std::vector<Spending> spendings;
  std::map<std::string, double> cycles_by_bottleneck;
  double pj = 0, cycles = 0;
};

void add_layer(const NetworkReport& report, std::size_t layer, Sums& sums,
               std::map<std::string, double>& pj_by_what) {
  const Result result = result_of(report.outcome.of(layer));
  const Evaluation& evaluation = result.evaluation;
  const auto count = static_cast<double>(report.network.layers[layer].count);
  const Part part{layer, count * evaluation.score.energy_pj,
                  count * static_cast<double>(evaluation.score.cycles),
                  bottleneck_text(result.problem, evaluation.bottleneck)};
  for (const Spending& one : spendings(result)) pj_by_what[one.what] += count * one.pj;
  sums.cycles_by_bottleneck[part.bottleneck] += part.cycles;
  sums.pj += part.pj;
  sums.cycles += part.cycles;
  sums.parts.push_back(part);
}

Sums sums_of(const NetworkReport& report) {
  Sums sums;
  std::map<std::string, double> pj_by_what;
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    if (report.outcome.of(i).found()) add_layer(report, i, sums, pj_by_what);
  }
  for (const auto& [what, pj] : pj_by_what) sums.spendings.push_back({pj, what, ""});
  return sums;
}

std::string time_paragraph(const Sums& sums) {
  std::vector<std::pair<std::string, double>> all(sums.cycles_by_bottleneck.begin(),
                                                  sums.cycles_by_bottleneck.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text =
      fmt::format("Time: {} cycles\n", grouped(static_cast<std::int64_t>(sums.cycles)));
  for (const auto& [bottleneck, cycles] : all) {
    text += fmt::format("  {:>7}  in layers limited by {}\n", percent(cycles / sums.cycles),
                        bottleneck);
  }
  return text;
}

// The layers that take longest, until half of the time is named.
std::string layers_paragraph(const NetworkReport& report, Sums sums) {
  std::stable_sort(sums.parts.begin(), sums.parts.end(),
                   [](const Part& a, const Part& b) { return a.cycles > b.cycles; });
  std::string text = "Layers that take longest\n";
  double named = 0;
  for (const Part& part : sums.parts) {
    if (named >= sums.cycles / 2) break;
    named += part.cycles;
    const Layer& layer = report.network.layers[part.layer];
    text += fmt::format("  {:>7}  {}{}, limited by {}; {} of the energy\n",
                        percent(part.cycles / sums.cycles), layer.name,
                        layer.count == 1 ? "" : fmt::format(" ({} times)", grouped(layer.count)),
                        part.bottleneck, share(part.pj, sums.pj));
  }
  return text;
}

}  // namespace

std::string network_explanation(const NetworkReport& report) {
  const Sums sums = sums_of(report);
  if (sums.parts.empty()) return "";
  const bool whole = sums.parts.size() == report.network.layers.size();
  return (whole ? "" : "Of the layers that were mapped:\n\n") +
         energy_paragraph(sums.spendings, sums.pj) + "\n" + time_paragraph(sums) + "\n" +
         layers_paragraph(report, sums);
}

}  // namespace tilewright::report
