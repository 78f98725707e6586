// The evaluation of GOMA, section V-A: workloads, accelerators, and what mappings
// must keep to there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/workload.h"

namespace tilewright::reproduce {

struct GomaCase {
  std::string accelerator;  // that ships
  std::string workload;     // a network that ships; goma_network() has its products
};
// 24 of them: the edge models on the Eyeriss-like and the Gemmini-like, the
// centre models on the A100-like and the TPUv1-like.
std::vector<GomaCase> goma_cases();

// The eight matrix products of a workload, in the sizes of GOMA's repository
// (github.com/ywlywl6/GOMA, commit b4015e4, layer_shapes). There the heads that
// share keys and values are one product, and Qwen3-32B has 152,064 tokens to
// choose from; in the network that ships, every head is one, and they are 151,936.
Network goma_network(const std::string& workload);

// What GOMA's solver found for a product, according to the logs that its authors
// published: pJ per multiply-accumulate without leakage, of a mapping that it reports as
// optimal, with a gap of 0.
std::optional<double> goma_optimum(const GomaCase& evaluated, const std::string& layer);

// Every processing element takes part (equation 29).
std::vector<Constraint> full_array(const Architecture& arch);

// What the memories keep in the hardware that gave the template its name.
std::vector<Constraint> fixed_bypass(const Architecture& arch);

}  // namespace tilewright::reproduce
