#include <array>

#include "base/text.h"
#include "tilewright/map.h"

namespace tilewright {

namespace {

template <typename T>
T fallback_of(const MapperOption& option) {
  std::string_view text = option.fallback;
  return take_number<T>(text).value_or(T{});
}

}  // namespace

std::int64_t OptionValues::count(const MapperOption& option) const {
  const auto found = values_.find(std::string(option.name));
  return found != values_.end() ? std::get<std::int64_t>(found->second)
                                : fallback_of<std::int64_t>(option);
}

std::string_view OptionValues::choice(const MapperOption& option) const {
  return has(option) ? option.choices[static_cast<std::size_t>(count(option))] : option.fallback;
}

double OptionValues::number(const MapperOption& option) const {
  const auto found = values_.find(std::string(option.name));
  return found != values_.end() ? std::get<double>(found->second) : fallback_of<double>(option);
}

const MapperOption* Mapper::find(std::string_view option) const {
  for (const MapperOption& known : options) {
    if (known.name == option) return &known;
  }
  return nullptr;
}

const Mapper* find_mapper(std::string_view name) {
  for (const Mapper* mapper : mappers()) {
    if (mapper->name == name) return mapper;
  }
  return nullptr;
}

std::string to_string(SearchResult::Stop stop) {
  constexpr std::array<const char*, 10> kTexts = {"the whole space was seen",
                                                  "no neighbour is better",
                                                  "all generations were bred",
                                                  "all that it tries was tried",
                                                  "no improvement for as long as was asked",
                                                  "the limit of evaluations was reached",
                                                  "the time was up",
                                                  "the target was reached",
                                                  "it was interrupted",
                                                  "nothing valid came up"};
  return kTexts[static_cast<std::size_t>(stop)];
}

std::string to_string(Proof::Stop stop) {
  constexpr std::array<const char*, 7> kTexts = {
      "all of the space settled",
      "within the gap asked for",
      "out of time",
      "out of memory allowed",
      "interrupted",
      "all of the space settled, but for the last digits of energies that have too many",
      "parts of the space were left open that take too many steps"};
  return kTexts[static_cast<std::size_t>(stop)];
}

}  // namespace tilewright
