// What figures of all papers need while they are being made.
#pragma once

#include <string>
#include <vector>

#include "mappers/sampling/sampling.h"
#include "reproduce/figure.h"
#include "tilewright/arch.h"
#include "tilewright/map.h"

namespace tilewright::reproduce {

// An architecture that ships; the name must be right.
Architecture shipped_architecture(const std::string& name);

bool is_cancelled(const Options& options);
void tell_progress(const Options& options, const std::string& what, double fraction);
// That so many of all are done.
void tell_progress(const Options& options, const std::string& what, std::size_t done,
                   std::size_t all);
void add_notes(Figure& figure, const std::vector<std::string>& notes);
// Says in a note that the figure lacks something, if it was cancelled.
void note_cancellation(const Options& options, Figure& figure);

// What `make` gives, or gave before for a figure of the same call under the same name.
template <typename Make>
auto shared_result(const Options& options, const std::string& name, Make make) {
  using Result = decltype(make());
  if (options.shared == nullptr) return make();
  std::any& result = (*options.shared)[name];
  if (!result.has_value()) result = make();
  return std::any_cast<Result>(result);
}

// The threads and the cancellation of a figure, without limits.
SamplingOptions search_options(const Options& options);
// A mapper with these, and with the seed.
MapOptions map_options(const Options& options, const char* mapper);

// The same with tensors whose elements have this width.
Workload with_bits(Workload workload, std::int64_t bits);

// The first layers of a network.
Network shortened(Network network, std::size_t layers);

// Not of none.
double median(std::vector<double> values);
double mean(const std::vector<double>& values);
double geometric_mean(const std::vector<double>& values);

}  // namespace tilewright::reproduce
