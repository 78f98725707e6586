#include "reproduce/quickflow_spaces.h"

#include <algorithm>

#include "mappers/quickflow/quickflow.h"
#include "reproduce/common.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

Problem problem_of(const QuickflowSpace& space) {
  return Problem::create(space.kernel.workload, shipped_architecture(space.architecture))
      .value.value();
}

std::size_t type_of(std::size_t kernel) {
  std::size_t type = 0;
  while (kernel >= kKernelTypes[type].first + kKernelTypes[type].count) ++type;
  return type;
}

}  // namespace

std::vector<QuickflowSpace> quickflow_spaces() {
  const Network kernels = io::load_network("quickflow").value.value();
  std::vector<QuickflowSpace> spaces;
  for (const std::string_view architecture : kQuickflowArchitectures) {
    for (std::size_t k = 0; k < kernels.layers.size(); ++k) {
      spaces.push_back({std::string(architecture), kernels.layers[k], type_of(k)});
    }
  }
  return spaces;
}

std::vector<QuickflowSpace> quickflow_spaces(const std::vector<std::string>& kernels) {
  std::vector<QuickflowSpace> spaces = quickflow_spaces();
  std::erase_if(spaces, [&](const QuickflowSpace& space) {
    return std::find(kernels.begin(), kernels.end(), space.kernel.name) == kernels.end();
  });
  return spaces;
}

ReadySpace::ReadySpace(const QuickflowSpace& space)
    : evaluator(Evaluator::compile(problem_of(space)).value.value()),
      restrictions(Restrictions::create(evaluator.problem()).value.value()) {}

std::vector<Mapping> visited_mappings(const ReadySpace& space) {
  std::vector<Mapping> visited;
  QuickflowSettings settings;
  settings.on_visit = [&](const Mapping& mapping) { visited.push_back(mapping); };
  search_locally({space.evaluator, SpaceKind::Perfect, space.restrictions}, {}, settings);
  return visited;
}

}  // namespace tilewright::reproduce
