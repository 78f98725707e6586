// Certificates as JSON: objects with certain keys and no others.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::certificate {

using Json = nlohmann::ordered_json;

// Carries a complaint about the value of a key out of the readers below.
struct BadKey : std::runtime_error {
  BadKey(std::string which, const std::string& message, std::string what_to_write)
      : std::runtime_error(message), key(std::move(which)), hint(std::move(what_to_write)) {}
  std::string key, hint;
};

// The value of a key, which has to be there; throws BadKey.
const Json& value_of_key(const Json& object, const char* key);
std::string text_of(const Json& object, const char* key);
std::int64_t number_of(const Json& object, const char* key);
// Numbers that other programs may not read as whole ones are texts.
Int128 wide_number_of(const Json& object, const char* key);
Json wide_number(Int128 number);
// Refuses an object inside another one that has other keys than these, and what is no object.
// `what` says what it is.
void expect_keys(const Json& object, const std::vector<std::string>& keys, const char* within,
                 const std::string& what);
// As files of this project have it.
std::string text_of_json(const Json& object);

// Gives the object to `take`, which may throw BadKey; or says what is wrong with the text. Each key
// of an object stands once; those of the outer one are known.
std::vector<Diagnostic> read_json_object(std::string_view text, const std::string& file,
                                         const std::vector<std::string>& keys,
                                         const std::function<void(const Json&)>& take);

template <typename T>
Checked<T> read_json_keys(std::string_view text, const std::string& file,
                          const std::vector<std::string>& keys, T (*from_json)(const Json&)) {
  Checked<T> read;
  read.problems = read_json_object(text, file, keys,
                                   [&](const Json& object) { read.value = from_json(object); });
  if (!read.problems.empty()) read.value.reset();
  return read;
}

}  // namespace tilewright::certificate
