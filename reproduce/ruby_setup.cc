#include "reproduce/ruby_setup.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "reproduce/common.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

void set_axes(Architecture& arch, const std::string& fanout, std::int64_t x, std::int64_t y) {
  auto& level = arch.levels[static_cast<std::size_t>(index_of(arch.find_level(fanout).value()))];
  std::get<Fanout>(level).x.size = x;
  std::get<Fanout>(level).y.size = y;
}

}  // namespace

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

std::string to_string(const ArraySize& size) {
  return fmt::format("{}x{}", size.columns, size.rows);
}

Architecture eyeriss_array(const ArraySize& size) {
  Architecture arch = shipped_architecture("ruby_eyeriss_14x12");
  arch.name = "ruby_eyeriss_" + to_string(size);
  set_axes(arch, "Columns", size.columns, 1);
  set_axes(arch, "Rows", 1, size.rows);
  return arch;
}

Architecture simba_array(std::int64_t elements, std::int64_t vector_macs) {
  Architecture arch = shipped_architecture("ruby_simba");
  arch.name = fmt::format("ruby_simba_{}x{}x{}", elements, vector_macs, vector_macs);
  set_axes(arch, "PEs", elements, 1);
  set_axes(arch, "DistributionBuffers", vector_macs, 1);
  set_axes(arch, "RegMac", vector_macs, 1);
  return arch;
}

Network deepbench_selection() {
  Network selection = network_of_width("deepbench_inference", 16);
  std::vector<Layer> layers;
  std::size_t suitable = 0;
  for (const Layer& layer : selection.layers) {
    const std::optional<DimId> columns = layer.workload.find_dim("S");
    if (columns && layer.workload.dim(*columns).size > 7) continue;
    if (suitable++ % 4 == 0) layers.push_back(layer);
  }
  selection.layers = std::move(layers);
  return selection;
}

Network network_of_width(const std::string& name, std::int64_t bits) {
  Network network = io::load_network(name).value.value();
  for (Layer& layer : network.layers) layer.workload = with_bits(std::move(layer.workload), bits);
  return network;
}

}  // namespace tilewright::reproduce
