// What several modules do to texts.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

// "a,b," has three parts, the last of them empty.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// Lines of at most so many letters, broken between words.
inline std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

// "-1234567" as "-1,234,567"
inline std::string with_commas(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t left = digits.size(); left > first + 3;) digits.insert(left -= 3, ",");
  return digits;
}

// "a", "a and b", "a, b and c"
inline std::string list_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

// Takes a number off the front of a text; nothing if it does not start with one that fits.
template <typename T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The number that is the whole text; nothing if there is anything else.
template <typename T>
std::optional<T> number_in(std::string_view text) {
  const auto value = take_number<T>(text);
  return text.empty() ? value : std::nullopt;
}

// Adds a sentence to a list.
template <typename... Args>
void add_text(std::vector<std::string>& texts, fmt::format_string<Args...> form, Args&&... args) {
  texts.push_back(fmt::format(form, std::forward<Args>(args)...));
}

}  // namespace tilewright
