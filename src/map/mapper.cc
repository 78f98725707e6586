#include <charconv>

#include "tilewright/map.h"

namespace tilewright {

namespace {

template <typename T>
T fallback_of(const MapperOption& option) {
  T value{};
  std::from_chars(option.fallback.data(), option.fallback.data() + option.fallback.size(), value);
  return value;
}

}  // namespace

std::int64_t OptionValues::count(const MapperOption& option) const {
  const auto found = values_.find(std::string(option.name));
  return found != values_.end() ? std::get<std::int64_t>(found->second)
                                : fallback_of<std::int64_t>(option);
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
  switch (stop) {
    case SearchResult::Stop::LocalOptimum:
      return "no neighbour is better";
    case SearchResult::Stop::Generations:
      return "all generations were bred";
    case SearchResult::Stop::Patience:
      return "no improvement for as long as was asked";
    case SearchResult::Stop::Evaluations:
      return "the limit of evaluations was reached";
    case SearchResult::Stop::Time:
      return "the time was up";
    case SearchResult::Stop::Target:
      return "the target was reached";
    case SearchResult::Stop::Cancelled:
      return "it was interrupted";
    case SearchResult::Stop::Hopeless:
      return "nothing valid came up";
    case SearchResult::Stop::Complete:
      break;
  }
  return "the whole space was seen";
}

std::string to_string(Proof::Stop stop) {
  switch (stop) {
    case Proof::Stop::Gap:
      return "within the gap asked for";
    case Proof::Stop::Time:
      return "out of time";
    case Proof::Stop::Memory:
      return "out of memory allowed";
    case Proof::Stop::Cancelled:
      return "interrupted";
    case Proof::Stop::Inexact:
      return "all of the space settled, but for the last digits of energies that have too many";
    case Proof::Stop::Complete:
      break;
  }
  return "all of the space settled";
}

}  // namespace tilewright
