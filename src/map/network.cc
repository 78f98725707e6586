#include <algorithm>

#include "parts.h"

namespace tilewright {

namespace {

// The order of a tensor's indices says how it lies in memory, which nothing here counts.
bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.role == b.role && a.bits == b.bits &&
         std::is_permutation(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end());
}

// Two layers are the same work if only their names differ, or the order of indices.
bool same_work(const Workload& a, const Workload& b) {
  return a.dims == b.dims && std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(),
                                        b.tensors.end(), same_tensor);
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
    map::lower_network_edp(network, arch, of_layer, outcome, [&](std::size_t layer, int price) {
      progress.done = price == progress.price ? progress.done + 1 : 0;
      progress.layer = layer;
      progress.price = price;
      of_layer.limits.on_progress({});
    });
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
    if (outcome.of(i).found()) total.add(outcome.of(i).search.score, outcome.layers[i].count);
  }
  return total;
}

}  // namespace tilewright
