// JSON values that several files of the report make. Only for .cc files here:
// the library behind it is slow to compile.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tilewright/report.h"

// Whole numbers that JSON's library has no type for: text() below writes them as numbers.
template <>
struct nlohmann::adl_serializer<tilewright::Int128> {
  static constexpr char kMark = '\x02';  // before the digits, which are a string until then

  template <typename AnyJson>
  static void to_json(AnyJson& json, tilewright::Int128 number) {
    if (number == static_cast<std::int64_t>(number)) {
      json = static_cast<std::int64_t>(number);
    } else {
      json = kMark + fmt::format("{}", number);
    }
  }
};

namespace tilewright::report {

using Json = nlohmann::ordered_json;

Json workload_value(const Workload& workload);
Json graph_value(const Graph& graph);
// Without the name of the schema.
Json architecture_value(const Architecture& arch);
// What documents of results begin with: the command line that asked, and the hardware if any.
Json origin_value(const std::string& command, const Architecture* arch);
// Without the name of the schema.
Json evaluation_value(const Result& result);
Json score_value(const Score& score);
// What a clock makes of a score.
struct Speed;
Json speed_value(const Speed& speed);
// A value, or null.
template <typename T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
// What a function makes of each element of a list.
template <typename List, typename Make>
Json array_of(const List& list, const Make& make) {
  Json array = Json::array();
  for (const auto& element : list) array.push_back(make(element));
  return array;
}
// A document, as the tool prints it.
std::string document(const std::string& schema, const Json& value);

}  // namespace tilewright::report
