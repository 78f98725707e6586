// What the abstract, the text and the conclusion of Ruby say about the same experiments, which is
// not the same, beside the optima.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reproduce/common.h"
#include "reproduce/ruby_searches.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

// By how much Ruby-S is below PFM, in percent of EDP.
double gain_of(const SpaceComparison& compared) { return 100 * (1 - compared.edp_ratio()); }

// Of a network on an accelerator, without the layers that have no mapping or no proof.
struct NetworkGains {
  std::vector<double> layers;
  SpaceComparison total;
  double area_um2 = 0;
  std::size_t all = 0;  // layers

  double most() const { return *std::max_element(layers.begin(), layers.end()); }
};

NetworkGains gains_on(const Network& network, const Architecture& arch, Searches& searches) {
  NetworkGains gains;
  gains.area_um2 = total_area_um2(arch);
  gains.all = network.layers.size();
  for (const Layer& layer : network.layers) {
    const auto compared = compare_optima(searches, {.layer = layer, .arch = arch});
    if (!compared) continue;
    gains.layers.push_back(gain_of(*compared));
    add(gains.total, *compared, layer.count);
  }
  return gains;
}

// Of a network on the arrays of figure 14; `pareto` are those on which no smaller one is as good.
struct SweepGains {
  std::vector<double> all, pareto;
};

SweepGains gains_of_sweep(const Network& network, std::size_t arrays, Searches& searches) {
  std::vector<NetworkGains> swept;
  for (std::size_t a = 0; a < std::min(arrays, kSweptArrays.size()); ++a) {
    swept.push_back(gains_on(network, eyeriss_array(kSweptArrays[a]), searches));
  }
  SweepGains gains;
  for (const NetworkGains& one : swept) {
    gains.all.push_back(gain_of(one.total));
    const bool beaten = std::any_of(swept.begin(), swept.end(), [&](const NetworkGains& other) {
      return other.area_um2 < one.area_um2 && other.total.ruby_s.edp() <= one.total.ruby_s.edp();
    });
    if (!beaten) gains.pareto.push_back(gains.all.back());
  }
  return gains;
}

// Rows of one experiment; what the paper says comes from the table.
class ClaimRows {
 public:
  ClaimRows(Figure& figure, std::string experiment)
      : figure_(figure), experiment_(std::move(experiment)) {}

  void add(const char* what, double gain, const std::string& of = "") {
    figure_.rows.push_back({experiment_, what, "", "", "", fmt::format("{:.1f}", gain), of});
  }

 private:
  Figure& figure_;
  std::string experiment_;
};

void add_network_claims(Figure& figure, const std::string& experiment, const NetworkGains& gains) {
  if (gains.layers.empty()) return;
  ClaimRows rows(figure, experiment);
  const std::string of = fmt::format("{} of {}", gains.layers.size(), gains.all);
  rows.add("network", gain_of(gains.total), of);
  rows.add("mean of layers", mean(gains.layers), of);
  rows.add("most of a layer", gains.most(), of);
}

void add_sweep_claims(Figure& figure, const std::string& experiment, const SweepGains& gains) {
  ClaimRows rows(figure, experiment);
  rows.add("mean", mean(gains.all));
  rows.add("most", *std::max_element(gains.all.begin(), gains.all.end()));
  rows.add("mean of Pareto points", mean(gains.pareto));
}

}  // namespace

Figure ruby_claims(const Options& options, const RubyEffort& effort) {
  Figure figure{
      "What Ruby says that Ruby-S gains over PFM: EDP in percent",
      {"experiment", "what", "paper abstract", "paper text", "paper conclusion", "best", "layers"}};
  const Network resnet = shortened(network_of_width("resnet50", 16), effort.layers);
  const Network resnet8 = shortened(network_of_width("resnet50", 8), effort.layers);
  const Network deepbench = shortened(network_of_width("deepbench_inference", 16), effort.layers);
  const Network selection = shortened(deepbench_selection(), effort.layers);
  const std::size_t arrays = std::min(effort.arrays, kSweptArrays.size());
  Searches searches(options, 2 * (resnet.layers.size() * (3 + arrays) + deepbench.layers.size() +
                                  selection.layers.size() * arrays));
  const auto on = [&](const Network& network, const Architecture& arch) {
    return gains_on(network, arch, searches);
  };
  const NetworkGains eyeriss = on(resnet, eyeriss_array({14, 12}));
  const NetworkGains simba15 = on(resnet8, simba_array(15, 4));
  const NetworkGains simba9 = on(resnet8, simba_array(9, 3));
  const NetworkGains of_deepbench = on(deepbench, eyeriss_array({14, 12}));
  const SweepGains of_resnet = gains_of_sweep(resnet, arrays, searches);
  const SweepGains of_selection = gains_of_sweep(selection, arrays, searches);
  if (!searches.cancelled()) {
    add_network_claims(figure, "ResNet-50, Eyeriss-like", eyeriss);
    add_network_claims(figure, "ResNet-50, Simba-like of 15 PEs", simba15);
    add_network_claims(figure, "ResNet-50, Simba-like of 9 PEs", simba9);
    add_network_claims(figure, "DeepBench, Eyeriss-like", of_deepbench);
    add_sweep_claims(figure, "ResNet-50, Eyeriss-like arrays", of_resnet);
    add_sweep_claims(figure, "DeepBench selection, Eyeriss-like arrays", of_selection);
  }
  add_printed(figure, "ruby_claims");
  figure.notes = {
      "The paper gives different numbers for the same thing in its abstract, in section IV and in "
      "its conclusion, which also says \"NVDLA-like\" of what is Simba-like elsewhere. It does not "
      "say whether an average is over layers, over shapes or over arrays; its words are put where "
      "they fit best.",
      "Best: of the optima of both map-spaces, proven. Network: energies and cycles summed, each "
      "layer as often as it occurs; the other means count each once. Pareto: of area and EDP of "
      "Ruby-S. Layers that no mapping fits are left out, and those without a proof within 10 s."};
  note_if_incomplete(figure, searches);
  return figure;
}

}  // namespace tilewright::reproduce
