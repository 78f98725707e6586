// Figures 11 and 12: array shapes. Time is that of the multipliers, whose folds have a
// closed form; the mapper has to find the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/common.h"
#include "reproduce/flexibility_figures.h"
#include "tilewright/flexibility.h"

namespace tilewright::reproduce {

namespace {

// ceil(C / rows) * ceil(K / columns) passes over the other loops; the channels
// of a depthwise layer fill the whole array.
std::int64_t folded_cycles(const Workload& workload, ArrayShape shape, std::int64_t pes) {
  const ConvView view = *ConvView::create(workload).value;
  const bool depthwise = view.size(ConvDim::K) == 1;
  std::int64_t cycles = depthwise ? ceil_div(view.size(ConvDim::C), pes)
                                  : ceil_div(view.size(ConvDim::C), shape.rows) *
                                        ceil_div(view.size(ConvDim::K), shape.columns);
  for (const ConvDim loop : {ConvDim::Y, ConvDim::X, ConvDim::R, ConvDim::S}) {
    cycles *= view.size(loop);
  }
  return cycles;
}

// With the best shape for the layer.
std::int64_t least_folded(const Workload& workload, const ShapeFreedom& shapes, std::int64_t pes) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const ArrayShape& shape : shapes_of(shapes, pes)) {
    least = std::min(least, folded_cycles(workload, shape, pes));
  }
  return least;
}

// Sums over a layer of the network, or over all of it.
std::int64_t folded_total(const Network& network, std::size_t layer, const ShapeFreedom& shapes,
                          std::int64_t pes) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (layer != 0 && layer != i + 1) continue;
    total += network.layers[i].count * least_folded(network.layers[i].workload, shapes, pes);
  }
  return total;
}

std::string closed_note(const Isolation& isolation, const Comparison& comparison) {
  const Network network = gamma_network("gamma_mnasnet");
  std::string text;
  int equal = 0;
  int all = 0;
  for (const std::size_t layer : isolation.layers) {
    text += fmt::format("{}{}:", text.empty() ? "" : "; ",
                        layer == 0 ? "model" : fmt::format("layer {}", layer));
    const ShapeFreedom& fixed = isolation.variants.front().flexibility.shape;
    const std::int64_t base = folded_total(network, layer, fixed, 1024);
    for (std::size_t v = 0; v + 2 < isolation.variants.size(); ++v) {
      const ShapeFreedom& shapes = isolation.variants[v].flexibility.shape;
      const std::int64_t folded = folded_total(network, layer, shapes, 1024);
      text += fmt::format(" {:.4f}", static_cast<double>(folded) / static_cast<double>(base));
      const Trial& trial = comparison.trials[v].front();
      const Int128 mapped = layer == 0 ? trial.total.cycles : trial.layers[layer - 1].score.cycles;
      equal += mapped == folded ? 1 : 0;
      ++all;
    }
  }
  return fmt::format(
      "The closed form ceil(C/r) * ceil(K/floor(1024/r)) * Y*X*R*S gives {}. The optimal mapper "
      "finds the same number of cycles in {} of these {} cases.",
      text, equal, all);
}

}  // namespace

Figure flexibility_fig11(const Options& options) {
  Figure figure;
  figure.title = "Fig. 11: shape flexibility alone, MnasNet";
  const Flexibility fixed = axes("T=soft,O=all,P=CK,S=32x32");
  const auto shaped = [&](const std::string& line) {
    Flexibility flexibility = fixed;
    flexibility.shape = axes(line).shape;
    return flexibility;
  };
  const Isolation isolation{TopsAxis::Shape,
                            gamma_network("gamma_mnasnet"),
                            flexible_accelerator(Bandwidth::Unlimited),
                            {{"InFlex-0001", fixed},
                             {"PartFlex-0001-A", shaped("S=bands(16)")},
                             {"PartFlex-0001-B", shaped("S=bands(4)")},
                             {"FullFlex-0001", shaped("S=any")},
                             {"whole 16x16 blocks", shaped("S=blocks(16x16)")},
                             {"FullFlex-1111", with_freedom(fixed, kEveryAxis)}},
                            {15, 16, 25, 0},
                            "flexibility_fig11"};
  const Comparison comparison = isolate(isolation, options, figure);
  if (comparison.cancelled) return figure;
  add_notes(
      figure,
      {closed_note(isolation, comparison),
       "Time is that of the multipliers: DRAM is not limited, tiles and orders are free. Rows hold "
       "C, columns K.",
       "The printed runtimes of A and B need bands: rows in multiples of 16 or 4, with all the "
       "columns that the PEs allow (48x21 for layer 15). Of whole 16x16 blocks layer 15 can make "
       "16x64 at best, 0.83. The printed 16x48 and 24x42 of layer 25 do not give the printed "
       "runtimes; 16x64 and 27x37 do.",
       "The printed 0.04 of FullFlex-1111 on layers 15 and 16 is below what 1024 multipliers can "
       "do: 2205 and 3675 cycles are 0.47 and 0.59 of InFlex here."});
  return figure;
}

Figure flexibility_fig12(const Options& options) {
  Figure figure{"Fig. 12: FullFlex-0001 with arrays of all sizes, MnasNet",
                {"array", "PEs", "W-F", "closed form", "mapped", "runtime"}};
  const Network network = gamma_network("gamma_mnasnet");
  const Flexibility free = axes("T=soft,O=all,P=CK,S=any");
  std::optional<double> first;
  constexpr std::array<std::int64_t, 9> kSides = {8, 16, 24, 32, 40, 45, 48, 56, 64};
  for (std::size_t i = 0; i < kSides.size() && !is_cancelled(options); ++i) {
    const std::int64_t side = kSides[i];
    Architecture arch = flexible_accelerator(Bandwidth::Unlimited);
    const FlexibleParts parts = *parts_of(arch, free);
    auto& array = std::get<Fanout>(arch.levels[static_cast<std::size_t>(index_of(parts.array))]);
    array.x.size = array.y.size = side;
    arch.flexibility = free;
    Options quiet = options;
    quiet.on_progress = {};
    tell_progress(options, fmt::format("{0}x{0}", side), i, kSides.size());
    const Comparison comparison = compare({{"", free}}, {network}, arch, study_of(quiet));
    if (comparison.cancelled) break;
    const auto cycles = static_cast<double>(comparison.trials[0][0].total.cycles);
    if (!first) first = cycles;
    const auto flexion = mean_flexion_of(network, arch, TopsAxis::Shape);
    figure.rows.push_back({fmt::format("{0}x{0}", side), fmt::format("{}", side * side),
                           fmt::format("{:.3f}", flexion.value->workload),
                           fmt::format("{}", folded_total(network, 0, free.shape, side * side)),
                           fmt::format("{:.0f}", cycles), fmt::format("{:.3f}", cycles / *first)});
  }
  figure.notes = {
      "The paper draws a curve and prints no numbers: more PEs stop paying between 45x45 and "
      "64x64, as they do here.",
      "DRAM is not limited. The closed form lets the channels of a depthwise layer fill all PEs; "
      "an array of r x floor(PEs / r) can be a little smaller."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
