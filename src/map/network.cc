#include "parts.h"

namespace tilewright {

namespace {

// Two layers are the same work if only their names differ.
bool same_work(const Workload& a, const Workload& b) {
  return a.dims == b.dims && a.tensors == b.tensors;
}

// Remarks speak of each layer on its own, whatever its mapping in the network.
void keep_remarks(const NetworkOutcome& of_each, NetworkOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    outcome.layers[i].outcome.remarks = of_each.layers[i].outcome.remarks;
    outcome.layers[i].outcome.remainders = of_each.layers[i].outcome.remainders;
    outcome.layers[i].outcome.roles = of_each.layers[i].outcome.roles;
  }
}

}  // namespace

std::size_t first_with_same_work(const Network& network, std::size_t layer) {
  std::size_t first = 0;
  while (!same_work(network.layers[first].workload, network.layers[layer].workload)) ++first;
  return first;
}

NetworkOutcome map_network(const Network& network, const Architecture& arch,
                           const MapOptions& options,
                           const std::function<void(const NetworkProgress&)>& on_progress) {
  NetworkOutcome outcome;
  NetworkProgress progress;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    outcome.layers.push_back({network.layers[i].count, first_with_same_work(network, i), {}});
    progress.distinct += outcome.layers[i].first == i ? 1 : 0;
  }
  MapOptions of_layer = options;
  of_layer.limits.on_progress = [&](const SearchProgress& search) {
    progress.search = search;
    if (on_progress) on_progress(progress);
  };
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (outcome.layers[i].first != i) continue;
    if (map::is_cancelled(options)) break;
    progress.layer = i;
    of_layer.limits.on_progress({});
    outcome.layers[i].outcome = map_workload(network.layers[i].workload, arch, of_layer);
    ++progress.done;
  }
  const bool product =
      options.objective.energy > 0 && options.objective.cycles > 0 && !options.each_layer;
  if (product && outcome.missing() == 0 && !map::is_cancelled(options)) {
    of_layer.remarks = false;
    const NetworkOutcome of_each = outcome;
    map::lower_network_edp(network, arch, of_layer, outcome, [&](std::size_t layer, int price) {
      progress.done = price == progress.price ? progress.done + 1 : 0;
      progress.layer = layer;
      progress.price = price;
      of_layer.limits.on_progress({});
    });
    keep_remarks(of_each, outcome);
  }
  outcome.cancelled = map::is_cancelled(options);
  return outcome;
}

std::size_t NetworkOutcome::missing() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) count += of(i).found() ? 0 : 1;
  return count;
}

Score total_of(const NetworkOutcome& outcome) {
  Score total;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    if (!outcome.of(i).found()) continue;
    const Score& score = outcome.of(i).search.score;
    total.energy_pj += static_cast<double>(outcome.layers[i].count) * score.energy_pj;
    total.cycles += outcome.layers[i].count * score.cycles;
  }
  return total;
}

}  // namespace tilewright
