#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tilewright/io.h"

namespace tilewright::io {

namespace {

// The position of the number-th layer, if `text` is such a number.
std::optional<std::size_t> position(const Network& network, const std::string& text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < 1 || number > network.layers.size()) {
    return std::nullopt;
  }
  return number - 1;
}

}  // namespace

Parsed<Layer> pick_layer(const Network& network, const std::string& which) {
  const auto named = std::find_if(network.layers.begin(), network.layers.end(),
                                  [&](const Layer& layer) { return layer.name == which; });
  if (named != network.layers.end()) return {*named, {}};
  if (const auto at = position(network, which)) return {network.layers[*at], {}};
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  const auto match = closest_match(which, names);
  return {std::nullopt,
          {{{network.name},
            fmt::format("no layer is named \"{}\"", which),
            fmt::format("{}write the name of a layer or a number from 1 to {}",
                        match ? fmt::format("did you mean {}? ", *match) : "", names.size())}}};
}

}  // namespace tilewright::io
