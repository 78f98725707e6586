#include "base/json_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tilewright {

namespace {

constexpr int kMostNested = 64;

// The position after the text that begins here with a quotation mark.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
}

// What is too small for a double is as good as 0. Numbers out of range are far above 1 or
// far below it; which of the two, their length before the point and their exponent tell.
bool is_too_large(std::string_view number) {
  double value = 0;
  const char* end = number.data() + number.size();
  if (std::from_chars(number.data(), end, value).ec != std::errc::result_out_of_range) return false;
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  if (e == number.size()) return number.find('.') > 1;
  std::string_view digits = number.substr(e + 1);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  long exponent = 0;
  const auto read = std::from_chars(digits.data(), end, exponent);
  if (read.ec == std::errc::result_out_of_range || !negative) return !negative;
  return std::min(number.find('.'), e) > static_cast<std::size_t>(exponent);
}

std::string shortened(std::string_view number) {
  constexpr std::size_t kLongest = 24;
  if (number.size() <= kLongest) return std::string(number);
  return std::string(number.substr(0, kLongest)) + "...";
}

}  // namespace

std::optional<JsonProblem> find_json_problem(std::string_view text) {
  int nested = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_text(text, at);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      const std::size_t end = end_of_number(text, at);
      const std::string_view number = text.substr(at, end - at);
      if (is_too_large(number)) {
        return JsonProblem{at, "the number " + shortened(number) + " is too large"};
      }
      at = end;
    } else {
      if (c == '[' || c == '{') ++nested;
      if (c == ']' || c == '}') --nested;
      if (nested > kMostNested) return JsonProblem{at, "lists and maps are nested too deeply"};
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace tilewright
