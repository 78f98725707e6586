#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/names.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

// True where a size and a filter's width do not say how the window moves:
// strides, dilations, windows that slide over the output.
bool is_special(const Tensor& tensor, const Rank& rank) {
  const auto stretched = [](const Term& term) { return term.coefficient != 1; };
  return rank.size() > 1 &&
         (tensor.role == Role::Output || std::any_of(rank.begin(), rank.end(), stretched));
}

// "M=64 C=3 P=112 Q=112 R=7 S=7; I: 2*P+R, 2*Q+S"; sizes of 1 are left out.
std::string shape_text(const Workload& workload) {
  std::vector<std::string> sizes;
  for (const Dimension& dim : workload.dims) {
    if (dim.size > 1) sizes.push_back(fmt::format("{}={}", dim.name, dim.size));
  }
  std::string text = sizes.empty() ? "all sizes 1" : fmt::format("{}", fmt::join(sizes, " "));
  for (const Tensor& tensor : workload.tensors) {
    std::vector<std::string> windows;
    for (const Rank& rank : tensor.ranks) {
      if (is_special(tensor, rank)) windows.push_back(rank_text(workload, rank));
    }
    if (!windows.empty()) text += fmt::format("; {}: {}", tensor.name, fmt::join(windows, ", "));
  }
  return text;
}

constexpr std::size_t kTextWidth = 88;

// "Kept, not mapped: softmax (16), add (32)", each as often as the network has it.
std::string unmapped_text(const Network& network) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const Operator& op : network.graph.operators) {
    const auto* what = std::get_if<Unmapped>(&op.what);
    if (what == nullptr) continue;
    const std::string name = what->function.empty() ? to_string(what->kind) : what->function;
    const std::int64_t count = op.count * repetitions(network.graph, op.block).value_or(1);
    const auto known = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (known == counts.end()) {
      counts.emplace_back(name, count);
    } else {
      known->second += count;
    }
  }
  if (counts.empty()) return "";
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) add_text(texts, "{} ({})", name, grouped(count));
  const std::string all = fmt::format("kept, not mapped: {}", fmt::join(texts, ", "));
  return fmt::format("\n  {}\n", fmt::join(wrapped_lines(all, kTextWidth), "\n    "));
}

std::string heading(const Network& network) {
  std::string text = network.name + "\n";
  if (!network.description.empty()) text += "  " + indented(network.description, 2) + "\n";
  if (!network.source.empty()) text += "  source: " + indented(network.source, 4) + "\n";
  if (!network.sizes.empty()) {
    std::vector<std::string> sizes;
    for (const NetworkSize& size : network.sizes) add_text(sizes, "{}={}", size.name, size.value);
    const auto lines = wrapped_lines(fmt::format("{}", fmt::join(sizes, " ")), kTextWidth);
    text += fmt::format("  sizes: {}\n", fmt::join(lines, "\n    "));
  }
  const std::int64_t layers = layer_count(network);
  return text + fmt::format("  {} layer{}, {} distinct; {} MACs\n\n", grouped(layers),
                            layers == 1 ? "" : "s", network.layers.size(),
                            grouped(multiply_accumulates(network)));
}

}  // namespace

std::string network_text(const Network& network, int width) {
  const auto macs_of_all = static_cast<double>(multiply_accumulates(network));
  Table table({{"number"},
               {"layer", Align::Left},
               {"shape", Align::Left},
               {"MACs of one", Align::Right, 2},
               {"count", Align::Right, 1},
               {"share of MACs", Align::Right, 3}},
              width);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    const Int128 macs = multiply_accumulates(layer.workload);
    table.add({fmt::format("{}", l + 1), layer.name, shape_text(layer.workload), grouped(macs),
               grouped(layer.count), share(static_cast<double>(macs * layer.count), macs_of_all)});
  }
  return heading(network) + table.text() + unmapped_text(network);
}

std::string network_list(const std::vector<Network>& networks, bool json, int width) {
  if (json) return network_list_json(networks);
  Table table({{"network", Align::Left},
               {"layers"},
               {"distinct", Align::Right, 1},
               {"MACs"},
               {"source", Align::Left, 2}},
              width);
  for (const Network& network : networks) {
    table.add({network.name, grouped(layer_count(network)), grouped(std::ssize(network.layers)),
               grouped(multiply_accumulates(network)), network.source});
  }
  return table.text();
}

}  // namespace tilewright::report
