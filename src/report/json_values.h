// JSON values that several files of the report make.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "tilewright/report.h"

namespace tilewright::report {

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
