#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

// The position of the number-th layer, if `text` is such a number.
std::optional<std::size_t> position(const Network& network, std::string_view text) {
  const auto number = number_in<std::size_t>(text);
  if (!number || *number < 1 || *number > network.layers.size()) return std::nullopt;
  return *number - 1;
}

// "1st", "22nd", "113th"
std::string ordinal(std::size_t number) {
  const std::size_t ones = number % 10;
  const bool teen = number / 10 % 10 == 1;
  const char* ending = teen || ones == 0 || ones > 3 ? "th"
                       : ones == 1                   ? "st"
                       : ones == 2                   ? "nd"
                                                     : "rd";
  return fmt::format("{}{}", number, ending);
}

// What to write for a layer that was not found.
std::string hint_for(const Network& network, const std::string& which) {
  if (const auto at = position(network, which)) {
    return fmt::format("write '#{}' for the {} layer, or its name {}", which, ordinal(*at + 1),
                       network.layers[*at].name);
  }
  const std::vector<std::string> names = names_of(network.layers);
  const auto match = closest_match(which, names);
  return fmt::format("{}write the name of a layer, such as {}, or a number from '#1' to '#{}'",
                     match ? fmt::format("did you mean {}? ", *match) : "", names.front(),
                     names.size());
}

}  // namespace

Checked<Layer> pick_layer(const Network& network, const std::string& which) {
  const auto named = std::find_if(network.layers.begin(), network.layers.end(),
                                  [&](const Layer& layer) { return layer.name == which; });
  if (named != network.layers.end()) return {*named, {}};
  const bool numbered = which.starts_with('#');
  const auto at = numbered ? position(network, std::string_view(which).substr(1)) : std::nullopt;
  if (at) return {network.layers[*at], {}};
  return {std::nullopt,
          {{{network.name},
            numbered ? fmt::format("there is no layer {}", which)
                     : fmt::format("no layer is named \"{}\"", which),
            hint_for(network, which)}}};
}

}  // namespace tilewright::io
