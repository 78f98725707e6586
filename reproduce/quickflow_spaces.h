// The evaluation of QuickFlow, section V-A: 20 kernels on three accelerators.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/mapspace.h"
#include "tilewright/model.h"
#include "tilewright/workload.h"

namespace tilewright::reproduce {

inline constexpr std::array<std::string_view, 3> kQuickflowArchitectures = {"eyeriss", "simba",
                                                                            "tpu_v1"};

// Kernels that Table III takes together.
struct KernelType {
  std::string_view name;
  std::string_view kernels;  // by their numbers in Table I
  std::size_t first = 0, count = 0;
};
inline constexpr std::array<KernelType, 5> kKernelTypes = {{
    {"simple", "I-X", 0, 10},
    {"pointwise", "XI-XII", 10, 2},
    {"stride & dilation", "XIII-XV", 12, 3},
    {"transposed", "XVI-XVII", 15, 2},
    {"batched", "XVIII-XX", 17, 3},
}};

// A kernel on an architecture, both of which ship.
struct QuickflowSpace {
  std::string architecture;
  Layer kernel;
  std::size_t type = 0;  // of kKernelTypes

  std::string name() const { return kernel.name + " on " + architecture; }
};
// All 60, or those of some kernels; one architecture after the other.
std::vector<QuickflowSpace> quickflow_spaces();
std::vector<QuickflowSpace> quickflow_spaces(const std::vector<std::string>& kernels);

// What it takes to search a map-space. Factors are perfect, as the paper's.
struct ReadySpace {
  Evaluator evaluator;
  Restrictions restrictions;

  explicit ReadySpace(const QuickflowSpace& space);
};

// The mappings that the local search looks at on its way to the lowest EDP, each in
// the orders that it chose.
std::vector<Mapping> visited_mappings(const ReadySpace& space);

}  // namespace tilewright::reproduce
