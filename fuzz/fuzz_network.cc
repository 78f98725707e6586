// Any text is read as a network or refused; each layer of a network is sound, and its graph
// survives being written.
#include <cstdint>
#include <string_view>

#include "check_workload.h"
#include "fuzz_target.h"

FUZZ_TARGET(network)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto network = tilewright::io::read_network(text, "fuzz");
  if (network.value.has_value() == !network.problems.empty()) std::abort();
  if (!network.value) return 0;
  if (network.value->layers.empty()) std::abort();
  if (tilewright::multiply_accumulates(*network.value) > tilewright::kMostMacs) std::abort();
  for (const tilewright::Layer& layer : network.value->layers) {
    check_workload({layer.workload, {}});
    const auto picked = tilewright::io::pick_layer(*network.value, layer.name);
    if (!picked.ok() || !(*picked.value == layer)) std::abort();
  }
  const std::string written = tilewright::io::write_network(*network.value);
  if (written.size() > tilewright::io::kMaxTextBytes) return 0;
  const auto again = tilewright::io::read_network(written, "again");
  if (again.ok() && again.value->graph == network.value->graph) return 0;
  // The writer says more than a reader of short forms needs, up to the limit of values.
  constexpr std::size_t kFewOperators = 2000;
  if (network.value->graph.operators.size() < kFewOperators) std::abort();
  return 0;
}
