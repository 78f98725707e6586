#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

int list_networks(const ModelsOptions& options) {
  std::vector<Network> all;
  for (const io::BuiltinFile& builtin : io::builtin_networks()) {
    Parsed<Network> network = io::load_network(builtin.name);
    if (!network.ok()) {
      complain(network.problems);
      return kBadInput;
    }
    all.push_back(std::move(*network.value));
  }
  print_result(report::network_list(all, options.json, options.width), options.json);
  return kGood;
}

int show_layer(const Network& network, const ModelsOptions& options) {
  const Parsed<Layer> layer = io::pick_layer(network, options.layer);
  if (!layer.ok()) {
    complain(layer.problems);
    return kBadInput;
  }
  const Workload& workload = layer.value->workload;
  show(workload, options.json, options.yaml);
  return kGood;
}

}  // namespace

int run_models(const ModelsOptions& options) {
  if (options.network.empty()) return list_networks(options);
  const Parsed<Network> network = load_network(options.network);
  if (!network.ok()) {
    complain(network.problems);
    return kBadInput;
  }
  if (!options.layer.empty()) return show_layer(*network.value, options);
  print_result(options.json ? report::network_json(*network.value)
                            : report::network_text(*network.value, options.width),
               options.json);
  return kGood;
}

}  // namespace tilewright::cli
