// Figures of the flexibility of one axis.
#include <fmt/format.h>

#include "reproduce/common.h"
#include "reproduce/flexibility_setup.h"
#include "reproduce/tables.h"
#include "tilewright/flexibility.h"

namespace tilewright::reproduce {

namespace {

std::string share_text(double value) {
  return value != 0 && value < 0.01 ? fmt::format("{:.4f}", value) : fmt::format("{:.3f}", value);
}

// "K64 C16 Y3 X3 R3 S3"
std::string tile_text(const ConvSizes& tile) {
  std::string text;
  for (const ConvDim loop : kAllConvDims) {
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", letter_of(loop), tile[index_of(loop)]);
  }
  return text;
}

class IsolationRows {
 public:
  IsolationRows(const Isolation& isolation, const Options& options)
      : isolation_(isolation),
        network_(isolation.network),
        comparison_(compare(isolation.variants, {network_}, isolation.arch, study_of(options))) {}

  Comparison make(Figure& figure) {
    figure.headings = {"layer", "accelerator", "runtime", "paper", "energy", "paper",  "EDP",
                       "paper", "H-F",         "paper",   "W-F",   "paper",  "chosen", "paper"};
    if (comparison_.cancelled) return comparison_;
    for (const std::size_t layer : isolation_.layers) {
      for (std::size_t v = 0; v < isolation_.variants.size(); ++v) {
        figure.rows.push_back(row(layer, v));
      }
    }
    return comparison_;
  }

 private:
  // The place of a layer of MnasNet, whose names are their numbers.
  std::size_t place_of(std::size_t layer) const {
    std::size_t place = 0;
    while (network_.layers[place].name != std::to_string(layer)) ++place;
    return place;
  }

  // What one variant takes, of a layer or of all.
  Score score(std::size_t variant, std::size_t layer) const {
    const Trial& trial = comparison_.trials[variant].front();
    return layer == 0 ? trial.total : trial.layers[place_of(layer)].score;
  }

  // H-F and W-F of the axis.
  std::pair<double, double> flexion(std::size_t variant, std::size_t layer) const {
    Architecture arch = isolation_.arch;
    arch.flexibility = isolation_.variants[variant].flexibility;
    if (layer == 0) {
      const auto mean = mean_flexion_of(network_, arch, isolation_.axis);
      return {mean.value->hardware, mean.value->workload};
    }
    const auto one = flexion_of(network_.layers[place_of(layer)].workload, arch, isolation_.axis);
    return {one.value->hardware(), one.value->workload()};
  }

  std::string chosen(std::size_t variant, std::size_t layer) const {
    if (layer == 0) return "";
    const Trial::OfLayer& mapped = comparison_.trials[variant].front().layers[place_of(layer)];
    switch (isolation_.axis) {
      case TopsAxis::Order:
        return to_string(*mapped.order);
      case TopsAxis::Parallel:
        return to_string(mapped.setting->pair);
      case TopsAxis::Shape:
        return to_string(mapped.setting->shape);
      case TopsAxis::Tile:
        break;
    }
    return tile_text(*mapped.tile);
  }

  std::vector<std::string> row(std::size_t layer, std::size_t v) const {
    const Score ours = score(v, layer);
    const Score base = score(0, layer);
    const bool everything = v + 1 == isolation_.variants.size();
    const auto [hardware, workload] = everything ? std::pair(0.0, 0.0) : flexion(v, layer);
    return {layer == 0 ? "model" : fmt::format("{}", layer),
            isolation_.variants[v].name,
            share_text(static_cast<double>(ours.cycles) / static_cast<double>(base.cycles)),
            "",
            share_text(ours.energy_pj / base.energy_pj),
            "",
            share_text(ours.edp() / base.edp()),
            "",
            everything ? "" : share_text(hardware),
            "",
            everything ? "" : share_text(workload),
            "",
            chosen(v, layer),
            ""};
  }

  const Isolation& isolation_;
  const Network& network_;
  Comparison comparison_;
};

}  // namespace

Comparison isolate(const Isolation& isolation, const Options& options, Figure& figure) {
  Comparison comparison = IsolationRows(isolation, options).make(figure);
  add_printed(figure, isolation.printed);
  note_cancellation(options, figure);
  return comparison;
}

}  // namespace tilewright::reproduce
