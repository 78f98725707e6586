// ResNet-50 layer by layer: figure 10 on the Eyeriss-like, 12 on the Simba-like.
#include <fmt/format.h>

#include "reproduce/ruby_arrays.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/ruby_searches.h"

namespace tilewright::reproduce {

namespace {

// What the text states of the whole network, Ruby-S over PFM; empty if nothing.
struct Printed {
  std::string edp, energy, cycles;
};

struct Machine {
  std::string name;
  Architecture arch;
  Printed printed;
};

// What a row is about.
struct Subject {
  std::string layer, shape;
  std::int64_t count = 0;
};

std::vector<std::string> row_of(const Machine& machine, const Subject& subject,
                                const Comparison& compared, const Printed& printed) {
  return {machine.name,
          subject.layer,
          subject.shape,
          fmt::format("{}", subject.count),
          fmt::format("{:.6g}", compared.pfm.edp()),
          fmt::format("{:.6g}", compared.ruby_s.edp()),
          fmt::format("{:.4f}", compared.edp_ratio()),
          printed.edp,
          fmt::format("{:.4f}", compared.energy_ratio()),
          printed.energy,
          fmt::format("{:.4f}", compared.cycles_ratio()),
          printed.cycles};
}

// A row per layer, and one for the network.
void add_machine(Figure& figure, Searches& searches, const Network& network, const Machine& machine,
                 const Effort& effort) {
  Comparison total;
  for (const Layer& layer : network.layers) {
    const auto compared =
        compare(searches, {.layer = layer, .arch = machine.arch, .patience = effort.patience});
    if (!compared) continue;
    add(total.pfm, compared->pfm, layer.count);
    add(total.ruby_s, compared->ruby_s, layer.count);
    figure.rows.push_back(
        row_of(machine, {layer.name, shape_of(layer.workload), layer.count}, *compared, {}));
  }
  if (searches.cancelled()) return;
  figure.rows.push_back(
      row_of(machine, {"network", "all layers", layer_count(network)}, total, machine.printed));
}

Figure resnet(const Options& options, const Effort& effort, std::int64_t bits,
              const std::vector<Machine>& machines) {
  Figure figure;
  figure.headings = {"machine",      "layer",        "shape",        "count",
                     "EDP PFM",      "EDP Ruby-S",   "EDP ratio",    "EDP paper",
                     "energy ratio", "energy paper", "cycles ratio", "cycles paper"};
  const Network network = shortened(network_of_width("resnet50", bits), effort.layers);
  Searches searches(options, 2 * network.layers.size() * machines.size());
  for (const Machine& machine : machines) {
    add_machine(figure, searches, network, machine, effort);
  }
  figure.notes = {
      "EDP in pJ * cycles. Ratios are Ruby-S over PFM: below 1, Ruby-S is better; above 1, the "
      "search missed what it found in PFM, which Ruby-S contains.",
      "Network: energies and cycles of all layers summed, each as often as it occurs, then "
      "multiplied.",
      patience_note(effort)};
  note_if_incomplete(figure, searches);
  return figure;
}

}  // namespace

Figure ruby_fig10(const Options& options, const Effort& effort) {
  Figure figure =
      resnet(options, effort, 16, {{"14x12", eyeriss_array({14, 12}), {"0.86", "1.02", "0.83"}}});
  figure.name = "fig10";
  figure.title = "Figure 10: ResNet-50 on the Eyeriss-like, Ruby-S over PFM";
  figure.notes.emplace_back(
      "The paper prints no energies; these are of the public design that it builds on.");
  figure.notes.emplace_back(
      "Chance: at patience 100000 the network's EDP ratio is 0.88, 0.85 and 0.87 with seeds 1 to "
      "3; "
      "with seed 1 it is 0.83, 0.85, 0.84 and 0.85 at patience 3000, 10000, 30000 and 300000.");
  return figure;
}

Figure ruby_fig12(const Options& options, const Effort& effort) {
  Figure figure = resnet(options, effort, 8,
                         {{"15 PEs of 4x4", simba_array(15, 4), {"0.90", "", ""}},
                          {"9 PEs of 3x3", simba_array(9, 3), {"0.55", "", ""}}});
  figure.name = "fig12";
  figure.title = "Figure 12: ResNet-50 on the Simba-like, Ruby-S over PFM";
  figure.notes.emplace_back(
      "The paper prints neither energies nor buffer sizes; these are of the built-in simba.");
  figure.notes.emplace_back(
      "In the paper Ruby-S is worse for the first layer. Here one mapping in ten to thirty fits, "
      "and chance decides that layer: on 15 PEs with seed 1 its EDP ratio is 0.52, 0.94 and 2.10 "
      "at patience 3000, 15000 and 30000.");
  figure.notes.emplace_back(
      "Chance, whole network, seed 1: at patience 3000, 10000, 15000 and 30000 the EDP ratio is "
      "0.81, 0.85, 0.82 and 0.87 on 15 PEs, and 0.52, 0.50, 0.47 and 0.47 on 9. The patience here "
      "is what the time allows.");
  return figure;
}

Figure ruby_fig10(const Options& options) { return ruby_fig10(options, {.patience = 100'000}); }

Figure ruby_fig12(const Options& options) { return ruby_fig12(options, {.patience = 10'000}); }

}  // namespace tilewright::reproduce
