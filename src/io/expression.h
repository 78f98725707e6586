// Arithmetic in files: "2 * rows * 16", with variables that the file gives values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "context.h"

namespace tilewright::io {

// Letters, digits and underscores, not starting with a digit.
bool is_variable_name(std::string_view text);

// Whether a text begins with something to be worked out rather than with a plain decimal, or
// a fraction of two: "2 * 3 KiB", "rows", "(1 + 2) / 3 words", but not "3/8 words/cycle".
bool starts_with_arithmetic(std::string_view text, const Variables& variables);

struct Arithmetic {
  std::optional<Fraction> value;  // nothing after an error
  std::size_t length = 0;         // of what was read; the rest is a unit
  // What is wrong, where, and what to write instead. No message without a value: a
  // variable's own value was complained about already.
  std::size_t error_at = 0;
  std::string message, hint;
};
// Works out the sum that a text begins with: numbers, variables, + - * /, parentheses, and the
// functions min, max and ceil.
Arithmetic evaluate_arithmetic(std::string_view text, const Variables& variables);
// Reads numbers by name; values may use the names before them. A name that is none and a value
// that is none are complained about; values are read by `read`.
using ReadNumber = std::optional<Fraction> (*)(Context&, const Node&, const Variables&);
void read_variables(Context& context, const Node& map, ReadNumber read, Variables& variables);

// Says so, unless it was said before; `offset` is where the sum starts in the node's text.
void complain_about(Context& context, const Node& node, std::size_t offset,
                    const Arithmetic& arithmetic);

}  // namespace tilewright::io
