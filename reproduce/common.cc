#include "reproduce/common.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tilewright/io.h"

namespace tilewright::reproduce {

Architecture shipped_architecture(const std::string& name) {
  return io::load_architecture(name).value.value();
}

bool is_cancelled(const Options& options) {
  return options.cancelled != nullptr && options.cancelled->load();
}

void tell_progress(const Options& options, const std::string& what, double fraction) {
  if (options.on_progress) options.on_progress(what, fraction);
}

void tell_progress(const Options& options, const std::string& what, std::size_t done,
                   std::size_t all) {
  tell_progress(options, what, static_cast<double>(done) / static_cast<double>(all));
}

void add_notes(Figure& figure, const std::vector<std::string>& notes) {
  figure.notes.insert(figure.notes.end(), notes.begin(), notes.end());
}

void note_cancellation(const Options& options, Figure& figure) {
  if (is_cancelled(options)) figure.notes.emplace_back("Incomplete: it was interrupted.");
}

SamplingOptions search_options(const Options& options) {
  SamplingOptions search;
  search.threads = options.threads;
  search.cancelled = options.cancelled;
  return search;
}

MapOptions map_options(const Options& options, const char* mapper) {
  MapOptions map;
  map.mapper = find_mapper(mapper);
  map.mapper_options.set("seed", static_cast<std::int64_t>(options.seed));
  map.limits = search_options(options);
  return map;
}

Workload with_bits(Workload workload, std::int64_t bits) {
  for (Tensor& tensor : workload.tensors) tensor.bits = bits;
  return workload;
}

Network shortened(Network network, std::size_t layers) {
  if (network.layers.size() > layers) network.layers.resize(layers);
  return network;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double geometric_mean(const std::vector<double>& values) {
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}

}  // namespace tilewright::reproduce
