// DeepBench on the Eyeriss-like.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/ruby_arrays.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/ruby_searches.h"

namespace tilewright::reproduce {

namespace {

// Ratios of all shapes, Ruby-S over PFM.
struct Ratios {
  std::vector<double> values;

  double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  double least() const { return *std::min_element(values.begin(), values.end()); }
};

std::vector<std::string> row_of(const Layer& layer, const Comparison& for_edp,
                                const Comparison& for_latency) {
  return {layer.name,
          shape_of(layer.workload),
          fmt::format("{:.6g}", for_edp.pfm.edp()),
          fmt::format("{:.6g}", for_edp.ruby_s.edp()),
          fmt::format("{:.4f}", for_edp.edp_ratio()),
          "",
          fmt::format("{}", for_latency.pfm.cycles),
          fmt::format("{}", for_latency.ruby_s.cycles),
          fmt::format("{:.4f}", for_latency.cycles_ratio()),
          ""};
}

void add_summary(Figure& figure, const Ratios& edp, const Ratios& latency) {
  if (edp.values.empty()) return;
  const auto text = [](double ratio) { return fmt::format("{:.4f}", ratio); };
  figure.rows.push_back({"mean", "of the ratios", "", "", text(edp.mean()), "0.90", "", "",
                         text(latency.mean()), "0.86"});
  figure.rows.push_back({"least", "of the ratios", "", "", text(edp.least()), "0.67", "", "",
                         text(latency.least()), ""});
}

void add_notes(Figure& figure, const Effort& effort, const std::vector<std::string>& without) {
  figure.notes = {
      "EDP in pJ * cycles of mappings searched for EDP, cycles of mappings searched for latency. "
      "Ratios are Ruby-S over PFM; above 1, the search missed what it found in PFM, which Ruby-S "
      "contains. All shapes count alike in the mean.",
      "Least: section IV-D says up to 33 % lower in EDP, the abstract up to 45 %.",
      "The shapes are the convolutions of CoSA's files, whose P and Q are the input's width and "
      "height, not divided by the stride: strided layers are larger than in DeepBench. The paper "
      "shows a selection that it does not list.",
      patience_note(effort)};
  if (without.empty()) return;
  figure.notes.push_back(
      fmt::format("Left out, having no mapping: {}. All columns of a filter (S) must stand on "
                  "the 12 rows of the array.",
                  fmt::join(without, ", ")));
}

}  // namespace

Figure ruby_fig11(const Options& options, const Effort& effort) {
  Figure figure;
  figure.name = "fig11";
  figure.title = "Figure 11: DeepBench on the Eyeriss-like, Ruby-S over PFM";
  figure.headings = {"layer",     "shape",      "EDP PFM",       "EDP Ruby-S",   "EDP ratio",
                     "EDP paper", "cycles PFM", "cycles Ruby-S", "cycles ratio", "cycles paper"};
  const Architecture arch = eyeriss_array({14, 12});
  const Network network = shortened(network_of_width("deepbench", 16), effort.layers);
  Searches searches(options, 4 * network.layers.size());
  Ratios edp, latency;
  std::vector<std::string> without;
  for (const Layer& layer : network.layers) {
    SearchTask task{.layer = layer, .arch = arch, .patience = effort.patience};
    const auto for_edp = compare(searches, task);
    task.objective = Objective::Latency;
    const auto for_latency = compare(searches, task);
    if (searches.cancelled()) break;
    if (!for_edp || !for_latency) {
      without.push_back(layer.name);
      continue;
    }
    figure.rows.push_back(row_of(layer, *for_edp, *for_latency));
    edp.values.push_back(for_edp->edp_ratio());
    latency.values.push_back(for_latency->cycles_ratio());
  }
  add_summary(figure, edp, latency);
  add_notes(figure, effort, without);
  note_if_incomplete(figure, searches);
  return figure;
}

Figure ruby_fig11(const Options& options) { return ruby_fig11(options, {.patience = 20'000}); }

}  // namespace tilewright::reproduce
