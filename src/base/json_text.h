// What a JSON text has to keep to before a library reads it: that takes memory for
// every level of nesting, and says nothing of where a number is too large.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

struct JsonProblem {
  std::size_t byte = 0;  // where it begins, from 0
  std::string message;
};

// Lists and objects in each other more than 64 deep, or a number that no double holds.
std::optional<JsonProblem> find_json_problem(std::string_view text);

}  // namespace tilewright
