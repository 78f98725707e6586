#include "reproduce/ruby_arrays.h"

#include <fmt/format.h>

#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

void set_axes(Architecture& arch, const std::string& fanout, std::int64_t x, std::int64_t y) {
  auto& level = arch.levels[static_cast<std::size_t>(index_of(arch.find_level(fanout).value()))];
  std::get<Fanout>(level).x.size = x;
  std::get<Fanout>(level).y.size = y;
}

}  // namespace

std::string to_string(const ArraySize& size) {
  return fmt::format("{}x{}", size.columns, size.rows);
}

Architecture eyeriss_array(const ArraySize& size) {
  Architecture arch = io::load_architecture("ruby_eyeriss_14x12").value.value();
  arch.name = "ruby_eyeriss_" + to_string(size);
  set_axes(arch, "Columns", size.columns, 1);
  set_axes(arch, "Rows", 1, size.rows);
  return arch;
}

Architecture simba_array(std::int64_t elements, std::int64_t vector_macs) {
  Architecture arch = io::load_architecture("simba").value.value();
  arch.name = fmt::format("simba_{}x{}x{}", elements, vector_macs, vector_macs);
  set_axes(arch, "PEs", elements, 1);
  set_axes(arch, "DistributionBuffers", vector_macs, 1);
  set_axes(arch, "RegMac", vector_macs, 1);
  return arch;
}

Network network_of_width(const std::string& name, std::int64_t bits) {
  Network network = io::load_network(name).value.value();
  for (Layer& layer : network.layers) {
    for (Tensor& tensor : layer.workload.tensors) tensor.bits = bits;
  }
  return network;
}

}  // namespace tilewright::reproduce
