// ResNet-50 layer by layer: figure 10 on the Eyeriss-like, 12 on the Simba-like.
#include <fmt/format.h>

#include "reproduce/common.h"
#include "reproduce/ruby_searches.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

struct Machine {
  std::string name;
  Architecture arch;
};

// What a row is about.
struct Subject {
  std::string layer, shape;
  std::int64_t count = 0;
};

std::vector<std::string> compared_row(const Machine& machine, const Subject& subject,
                                      const SearchedAndBest& compared) {
  const auto& [searched, best] = compared;
  return {machine.name,
          subject.layer,
          subject.shape,
          fmt::format("{}", subject.count),
          fmt::format("{:.6g}", searched.pfm.edp()),
          fmt::format("{:.6g}", searched.ruby_s.edp()),
          fmt::format("{:.4f}", searched.edp_ratio()),
          "",
          fmt::format("{:.4f}", searched.energy_ratio()),
          "",
          fmt::format("{:.4f}", searched.cycles_ratio()),
          "",
          best ? fmt::format("{:.6g}", best->pfm.edp()) : "",
          best ? fmt::format("{:.6g}", best->ruby_s.edp()) : "",
          best ? fmt::format("{:.4f}", best->edp_ratio()) : "",
          best ? fmt::format("{:.4f}", best->energy_ratio()) : "",
          best ? fmt::format("{:.4f}", best->cycles_ratio()) : ""};
}

// A row per layer, and one for the network.
void add_machine(Figure& figure, Searches& searches, const Network& network, const Machine& machine,
                 const RubyEffort& effort) {
  SearchedAndBest total{{}, SpaceComparison{}};
  for (const Layer& layer : network.layers) {
    const auto compared = compare_spaces(
        searches, {.layer = layer, .arch = machine.arch, .patience = effort.patience});
    if (!compared && !searches.cancelled()) {
      figure.notes.push_back(
          fmt::format("Left out of {}, having no mapping: {}.", machine.name, layer.name));
    }
    if (!compared) continue;
    add(total.searched, compared->searched, layer.count);
    if (!compared->best) total.best.reset();
    if (total.best) add(*total.best, *compared->best, layer.count);
    figure.rows.push_back(
        compared_row(machine, {layer.name, shape_of(layer.workload), layer.count}, *compared));
  }
  if (searches.cancelled()) return;
  figure.rows.push_back(
      compared_row(machine, {"network", "all layers", layer_count(network)}, total));
}

Figure resnet(const Options& options, const RubyEffort& effort, std::int64_t bits,
              const std::vector<Machine>& machines) {
  Figure figure;
  figure.headings = {"machine",          "layer",           "shape",          "count",
                     "EDP PFM",          "EDP Ruby-S",      "EDP ratio",      "EDP paper",
                     "energy ratio",     "energy paper",    "cycles ratio",   "cycles paper",
                     "best EDP PFM",     "best EDP Ruby-S", "best EDP ratio", "best energy ratio",
                     "best cycles ratio"};
  const Network network = shortened(network_of_width("resnet50", bits), effort.layers);
  Searches searches(options, 4 * network.layers.size() * machines.size());
  for (const Machine& machine : machines) {
    add_machine(figure, searches, network, machine, effort);
  }
  figure.notes = {
      "EDP in pJ * cycles. Ratios are Ruby-S over PFM: below 1, Ruby-S is better; above 1, the "
      "search missed what it found in PFM, which Ruby-S contains.",
      "Network: energies and cycles of all layers summed, each as often as it occurs, then "
      "multiplied.",
      patience_note(effort), proof_note()};
  note_if_incomplete(figure, searches);
  return figure;
}

}  // namespace

Figure ruby_fig10(const Options& options, const RubyEffort& effort) {
  Figure figure = resnet(options, effort, 16, {{"14x12", eyeriss_array({14, 12})}});
  add_printed(figure, "ruby_fig10");
  figure.title = "Figure 10: ResNet-50 on the Eyeriss-like, Ruby-S over PFM";
  add_notes(figure,
            {"The paper prints no energies; these are of the public design that it builds on.",
             "Random search: another seed moves the network's ratios by some hundredths."});
  return figure;
}

Figure ruby_fig12(const Options& options, const RubyEffort& effort) {
  Figure figure =
      resnet(options, effort, 8,
             {{"15 PEs of 4x4", simba_array(15, 4)}, {"9 PEs of 3x3", simba_array(9, 3)}});
  add_printed(figure, "ruby_fig12");
  figure.title = "Figure 12: ResNet-50 on the Simba-like, Ruby-S over PFM";
  add_notes(
      figure,
      {"The paper prints neither energies nor buffer sizes; these are of the public design that it "
       "builds on (architectures/ruby_simba.yaml).",
       "In the paper Ruby-S is worse for the first layer, which it puts down to the search in a "
       "larger space. So it is: the best of Ruby-S is never worse.",
       "Another seed moves the network's ratios by some hundredths; the patience is what the time "
       "allows."});
  return figure;
}

}  // namespace tilewright::reproduce
