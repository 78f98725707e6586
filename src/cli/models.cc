#include "cli/commands.h"
#include "cli/output.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

int list_networks(bool json) {
  std::vector<Network> all;
  for (const io::BuiltinFile& builtin : io::builtin_networks()) {
    Parsed<Network> network = io::load_network(builtin.name);
    if (!network.ok()) {
      complain(network.problems);
      return kBadInput;
    }
    all.push_back(std::move(*network.value));
  }
  print(report::network_list(all, json));
  return kGood;
}

int show_layer(const Network& network, const ModelsOptions& options) {
  const Parsed<Layer> layer = io::pick_layer(network, options.layer);
  if (!layer.ok()) {
    complain(layer.problems);
    return kBadInput;
  }
  const Workload& workload = layer.value->workload;
  print(options.json   ? report::workload_json(workload)
        : options.yaml ? io::write_workload(workload)
                       : report::workload_text(workload));
  return kGood;
}

}  // namespace

int run_models(const ModelsOptions& options) {
  if (options.network.empty()) return list_networks(options.json);
  const Parsed<Network> network = io::load_network(options.network);
  if (!network.ok()) {
    complain(network.problems);
    return kBadInput;
  }
  if (!options.layer.empty()) return show_layer(*network.value, options);
  print(options.json ? report::network_json(*network.value) : report::network_text(*network.value));
  return kGood;
}

}  // namespace tilewright::cli
