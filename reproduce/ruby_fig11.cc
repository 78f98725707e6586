// DeepBench on the Eyeriss-like.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/common.h"
#include "reproduce/ruby_searches.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

std::vector<std::string> shape_row(const Layer& layer, const SpaceComparison& for_edp,
                                   const SpaceComparison& for_latency) {
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

// Adds the mean and the least of the ratios of all shapes.
void add_ratios(Figure& figure, const std::vector<double>& edp,
                const std::vector<double>& latency) {
  if (edp.empty()) return;
  const auto add = [&](const char* what, double of_edp, double of_latency) {
    figure.rows.push_back({what, "of the ratios", "", "", fmt::format("{:.4f}", of_edp), "", "", "",
                           fmt::format("{:.4f}", of_latency), ""});
  };
  add("mean", mean(edp), mean(latency));
  add("least", *std::min_element(edp.begin(), edp.end()),
      *std::min_element(latency.begin(), latency.end()));
}

void add_shape_notes(Figure& figure, const RubyEffort& effort,
                     const std::vector<std::string>& without) {
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
      fmt::format("Left out, having no mapping: {}. All columns of a filter (S) must stand on the "
                  "12 rows of the array.",
                  fmt::join(without, ", ")));
}

}  // namespace

Figure ruby_fig11(const Options& options, const RubyEffort& effort) {
  Figure figure{"Figure 11: DeepBench on the Eyeriss-like, Ruby-S over PFM",
                {"layer", "shape", "EDP PFM", "EDP Ruby-S", "EDP ratio", "EDP paper", "cycles PFM",
                 "cycles Ruby-S", "cycles ratio", "cycles paper"}};
  const Architecture arch = eyeriss_array({14, 12});
  const Network network = shortened(network_of_width("deepbench", 16), effort.layers);
  Searches searches(options, 4 * network.layers.size());
  std::vector<double> edp, latency;
  std::vector<std::string> without;
  for (const Layer& layer : network.layers) {
    SearchTask task{.layer = layer, .arch = arch, .patience = effort.patience};
    const auto for_edp = compare_spaces(searches, task);
    task.objective = Objective::Latency;
    const auto for_latency = compare_spaces(searches, task);
    if (searches.cancelled()) break;
    if (!for_edp || !for_latency) {
      without.push_back(layer.name);
      continue;
    }
    figure.rows.push_back(shape_row(layer, *for_edp, *for_latency));
    edp.push_back(for_edp->edp_ratio());
    latency.push_back(for_latency->cycles_ratio());
  }
  add_ratios(figure, edp, latency);
  add_printed(figure, "ruby_fig11");
  add_shape_notes(figure, effort, without);
  note_if_incomplete(figure, searches);
  return figure;
}

}  // namespace tilewright::reproduce
