#include "reproduce/ruby_setup.h"

#include <utility>

#include "reproduce/making.h"

namespace tilewright::reproduce {

Architecture ruby_toy(std::int64_t elements) {
  Architecture arch = shipped_architecture("toy_linear");
  Level& buffer = arch.levels[1];
  Level& array = arch.levels[2];
  std::get<Memory>(buffer).name = "Scratchpad";
  std::get<Fanout>(array).x.size = elements;
  std::swap(buffer, array);
  return arch;
}

Workload ruby_elements(std::int64_t size) {
  const Rank x = {{DimId{0}, 1}};
  return {.name = "elements",
          .dims = {{"X", size}},
          .tensors = {{.name = "I", .role = Role::Input, .ranks = {x}},
                      {.name = "O", .role = Role::Output, .ranks = {x}}}};
}

Workload with_16_bits(Workload workload) {
  for (Tensor& tensor : workload.tensors) tensor.bits = 16;
  return workload;
}

}  // namespace tilewright::reproduce
