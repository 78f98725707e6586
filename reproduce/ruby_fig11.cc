// DeepBench on the Eyeriss-like.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/common.h"
#include "reproduce/ruby_searches.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

// Ruby-S over PFM, of one problem; or of all, what a function makes of them.
struct ShapeRatios {
  double edp = 0, latency = 0;            // as searched
  double best_edp = 0, best_latency = 0;  // of the optima
};

std::vector<std::string> shape_row(const Layer& layer, const SearchedAndBest& for_edp,
                                   const SearchedAndBest& for_latency, const ShapeRatios& ratios) {
  return {layer.name,
          shape_of(layer.workload),
          fmt::format("{:.6g}", for_edp.searched.pfm.edp()),
          fmt::format("{:.6g}", for_edp.searched.ruby_s.edp()),
          fmt::format("{:.4f}", ratios.edp),
          "",
          fmt::format("{}", for_latency.searched.pfm.cycles),
          fmt::format("{}", for_latency.searched.ruby_s.cycles),
          fmt::format("{:.4f}", ratios.latency),
          "",
          fmt::format("{:.4f}", ratios.best_edp),
          fmt::format("{:.4f}", ratios.best_latency)};
}

// A row of what a function makes of the ratios of all problems.
void add_summary(Figure& figure, const char* what, const std::vector<ShapeRatios>& all,
                 double (*function)(const std::vector<double>&)) {
  const auto of = [&](double ShapeRatios::* ratio) {
    std::vector<double> values;
    for (const ShapeRatios& ratios : all) values.push_back(ratios.*ratio);
    return fmt::format("{:.4f}", function(values));
  };
  figure.rows.push_back({what, "of the ratios", "", "", of(&ShapeRatios::edp), "", "", "",
                         of(&ShapeRatios::latency), "", of(&ShapeRatios::best_edp),
                         of(&ShapeRatios::best_latency)});
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

void add_shape_notes(Figure& figure, const RubyEffort& effort,
                     const std::vector<std::string>& without) {
  figure.notes = {
      "EDP in pJ * cycles of mappings searched for EDP, cycles of mappings searched for latency. "
      "Ratios are Ruby-S over PFM; above 1, the search missed what it found in PFM, which Ruby-S "
      "contains. All shapes count alike in the mean.",
      "Least: section IV-D says up to 33 % lower in EDP, the abstract up to 45 %.",
      "The problems are all of deepbench_inference: DeepBench's own convolutions, one image each, "
      "and its matrix products. The paper shows a selection that it does not list.",
      patience_note(effort), proof_note()};
  if (without.empty()) return;
  figure.notes.push_back(
      fmt::format("Left out, having no mapping: {}. All columns of a filter (S) must stand on the "
                  "12 rows of the array.",
                  fmt::join(without, ", ")));
}

}  // namespace

Figure ruby_fig11(const Options& options, const RubyEffort& effort) {
  Figure figure{
      "Figure 11: DeepBench on the Eyeriss-like, Ruby-S over PFM",
      {"layer", "shape", "EDP PFM", "EDP Ruby-S", "EDP ratio", "EDP paper", "cycles PFM",
       "cycles Ruby-S", "cycles ratio", "cycles paper", "best EDP ratio", "best cycles ratio"}};
  const Architecture arch = eyeriss_array({14, 12});
  const Network network = shortened(network_of_width("deepbench_inference", 16), effort.layers);
  Searches searches(options, 8 * network.layers.size());
  std::vector<ShapeRatios> all;
  std::vector<std::string> without;
  for (const Layer& layer : network.layers) {
    SearchTask task{.layer = layer, .arch = arch, .patience = effort.patience};
    const auto for_edp = compare_spaces(searches, task);
    task.objective = Objective::Latency;
    const auto for_latency = compare_spaces(searches, task);
    if (searches.cancelled()) break;
    if (!for_edp || !for_latency || !for_edp->best || !for_latency->best) {
      without.push_back(layer.name);
      continue;
    }
    all.push_back({for_edp->searched.edp_ratio(), for_latency->searched.cycles_ratio(),
                   for_edp->best->edp_ratio(), for_latency->best->cycles_ratio()});
    figure.rows.push_back(shape_row(layer, *for_edp, *for_latency, all.back()));
  }
  if (!all.empty()) {
    add_summary(figure, "mean", all, mean);
    add_summary(figure, "least", all, least);
  }
  add_printed(figure, "ruby_fig11");
  add_shape_notes(figure, effort, without);
  note_if_incomplete(figure, searches);
  return figure;
}

}  // namespace tilewright::reproduce
