#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "expression.h"
#include "tilewright/base.h"

namespace tilewright::io {

std::optional<std::string> read_text(Context& context, const Node& node, std::string_view form) {
  if (!context.expect_scalar(node, form)) return std::nullopt;
  if (node.text.empty()) {
    context.complain(node, "the text is empty", fmt::format("write {}", form));
    return std::nullopt;
  }
  return node.text;
}

std::optional<Fraction> read_arithmetic(Context& context, const Node& node,
                                        const Variables& variables) {
  if (!context.expect_scalar(node, kArithmeticForm)) return std::nullopt;
  const Arithmetic found = evaluate_arithmetic(node.text, variables);
  if (!found.value) {
    complain_about(context, node, 0, found);
    return std::nullopt;
  }
  const std::string_view rest = std::string_view(node.text).substr(found.length);
  if (trimmed(rest).empty()) return found.value;
  context.complain_inside(
      node, found.length + rest.find_first_not_of(' '),
      fmt::format("\"{}\" does not belong to a number", abbreviated(std::string(trimmed(rest)))),
      fmt::format("write {}", kArithmeticForm));
  return std::nullopt;
}

namespace {

std::optional<std::int64_t> read_computed_count(Context& context, const Node& node) {
  const auto value = read_arithmetic(context, node, *context.around().variables);
  if (!value) return std::nullopt;
  const auto whole = to_whole_number(*value);
  if (whole && *whole >= 1) return whole;
  context.complain(
      node, fmt::format("\"{}\" is not a whole number from 1 to 2^60", abbreviated(node.text)));
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> read_count(Context& context, const Node& node) {
  if (!context.expect_scalar(node, kCountForm)) return std::nullopt;
  const Variables* variables = context.around().variables;
  if (variables != nullptr && starts_with_arithmetic(node.text, *variables)) {
    return read_computed_count(context, node);
  }
  std::int64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (node.text.empty() || stop != end || error == std::errc::invalid_argument) {
    context.complain(node, fmt::format("\"{}\" is not a whole number", abbreviated(node.text)),
                     fmt::format("write {}", kCountForm));
    return std::nullopt;
  }
  if (error != std::errc{} || value < 1 || value > kCountLimit) {
    const bool small = error == std::errc{} ? value < 1 : node.text.starts_with('-');
    context.complain(node,
                     fmt::format("{} is too {}", abbreviated(node.text), small ? "small" : "large"),
                     "write a whole number from 1 to 2^60");
    return std::nullopt;
  }
  return value;
}

std::optional<bool> read_bool(Context& context, const Node& node) {
  if (!context.expect_scalar(node, kBoolForm)) return std::nullopt;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  context.complain(node, fmt::format("\"{}\" is neither true nor false", node.text),
                   fmt::format("write {}", kBoolForm));
  return std::nullopt;
}

std::optional<std::size_t> read_choice(Context& context, const Node& node,
                                       const std::vector<std::string>& choices) {
  const std::string form = join(choices, " or ");
  if (!context.expect_scalar(node, form)) return std::nullopt;
  const auto found = std::find(choices.begin(), choices.end(), node.text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  context.complain(node, fmt::format("\"{}\" is not a choice here", node.text),
                   fmt::format("write {}", form));
  return std::nullopt;
}

std::optional<std::vector<std::string>> read_names(Context& context, const Node& node,
                                                   std::string_view form) {
  if (!context.expect_list(node, form)) return std::nullopt;
  std::vector<std::string> names;
  for (const Node& item : node.children) {
    if (auto name = read_text(context, item, kNameForm)) names.push_back(std::move(*name));
  }
  return names;
}

namespace {

// Plain text that means itself in every context, also between the brackets of
// a list, and that YAML does not take for "nothing".
bool is_plain(const std::string& text) {
  constexpr std::array<std::string_view, 4> kNulls = {"", "null", "Null", "NULL"};
  if (std::find(kNulls.begin(), kNulls.end(), text) != kNulls.end()) return false;
  const auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto allowed = [&](char c) {
    return is_alnum(c) || c == ' ' || c == '.' || c == '-' || c == '/' || c == '+';
  };
  return is_alnum(text.front()) && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), allowed);
}

std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) return fmt::format("\\x{:02x}", byte);
  return {c};
}

}  // namespace

std::vector<std::string> looping_levels(const Architecture& arch) {
  std::vector<std::string> names;
  for (const Level& level : arch.levels) {
    if (!std::holds_alternative<Compute>(level)) names.push_back(name_of(level));
  }
  return names;
}

std::string abbreviated(const std::string& text) {
  constexpr std::size_t kMost = 40;
  constexpr std::size_t kStart = 12;
  if (text.size() <= kMost) return text;
  return fmt::format("{}... ({} characters)", text.substr(0, kStart), text.size());
}

std::string quoted_if_needed(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += escaped(c);
  return quoted + '"';
}

std::optional<Assignment> assignment_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  Assignment found{std::string(trimmed(text.substr(0, equals))),
                   std::string(trimmed(text.substr(equals + 1)))};
  if (found.name.empty() || found.value.empty()) return std::nullopt;
  return found;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view kBetween = " \t\n,";
  std::vector<std::string> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(kBetween);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(quoted_if_needed(name));
  return fmt::format("[{}]", join(quoted, ", "));
}

}  // namespace tilewright::io
