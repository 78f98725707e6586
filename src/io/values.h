// Values without a unit: names, numbers, choices, lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context.h"
#include "tilewright/arch.h"

namespace tilewright::io {

// Readers complain and give nothing when the node is something else.
std::optional<std::string> read_text(Context& context, const Node& node, std::string_view form);
// From 1 to kCountLimit; with variables around, it may be arithmetic.
std::optional<std::int64_t> read_count(Context& context, const Node& node);
// A number, or arithmetic with the variables given.
std::optional<Fraction> read_arithmetic(Context& context, const Node& node,
                                        const Variables& variables);
std::optional<bool> read_bool(Context& context, const Node& node);
// The position of the word in `choices`.
std::optional<std::size_t> read_choice(Context& context, const Node& node,
                                       const std::vector<std::string>& choices);
// Elements that are no names are complained about and left out.
std::optional<std::vector<std::string>> read_names(Context& context, const Node& node,
                                                   std::string_view form);

// The levels that may have loops.
std::vector<std::string> looping_levels(const Architecture& arch);

// The beginning of a long text and its length, for complaints.
std::string abbreviated(const std::string& text);

// A scalar in any place of a document, quoted where YAML needs it.
std::string quoted_if_needed(const std::string& text);
std::string names_text(const std::vector<std::string>& names);

// "name=value" taken apart, without spaces around either; nothing if one of them is missing.
struct Assignment {
  std::string name, value;
};
std::optional<Assignment> assignment_in(std::string_view text);

// Without spaces at either end.
std::string_view trimmed(std::string_view text);
// Commas count as spaces: "P 17, last 4" has four words.
std::vector<std::string> words_of(std::string_view text);

inline constexpr const char* kCountForm = "a whole number from 1 on";
inline constexpr const char* kArithmeticForm = "a number, or arithmetic such as \"2 * 16\"";
inline constexpr const char* kBoolForm = "true or false";
inline constexpr const char* kNameForm = "a name";
inline constexpr const char* kTensorsForm = "a list such as \"[input, weight, output]\"";
inline constexpr const char* kDimsForm = "a list of dimensions such as \"[C, M]\"";

}  // namespace tilewright::io
