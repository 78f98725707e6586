// What chips were measured to do, beside what the model says of them.
#pragma once

#include <string>
#include <vector>

#include "reproduce/figure.h"
#include "tilewright/model.h"

namespace tilewright::reproduce {

// A layer of AlexNet on the chip, as Eyeriss's paper gives it (JSSC 2017, Tables III and V).
struct ChipLayer {
  std::string name;
  // Channels of all groups; height and width are equal.
  std::int64_t filters, channels, output, filter, stride, groups;
  // The row-stationary mapping: m filters whose sums are in the global buffer, n images in a pass,
  // e columns of PEs in a set; a set runs p filters and q channels in each PE; r sets run other
  // channels and t sets other filters.
  std::int64_t m, n, e, p, q, r, t;
  double pes, milliseconds, buffer_mb, dram_mb;
  std::string zeros_percent;
};
std::vector<ChipLayer> eyeriss_layers();

// The mapping as a file of `eyeriss_chip` says it, and what the model makes of it.
std::string eyeriss_mapping(const ChipLayer& layer);
Evaluation eyeriss_evaluation(const ChipLayer& layer);
Workload eyeriss_workload(const ChipLayer& layer);
double milliseconds_of(const Evaluation& evaluation);
// With the cycle in which a PE adds the sum that its neighbour passes on, once for each sum.
double milliseconds_with_sums(const ChipLayer& layer, const Evaluation& evaluation);

Figure silicon_eyeriss(const Options& options);
Figure silicon_dram(const Options& options);
Figure silicon_mapped(const Options& options);
Figure silicon_tpu(const Options& options);

}  // namespace tilewright::reproduce
