#include "text_check.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace tilewright::io {

namespace {

using Byte = unsigned char;

bool is_control(char c) {
  const auto byte = static_cast<Byte>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::optional<Diagnostic> check_text(std::string_view text, const std::string& file,
                                     const TextLimits& limits) {
  if (text.size() > limits.bytes) {
    return Diagnostic{
        {file},
        fmt::format("{} bytes are more than the limit of {} MiB", text.size(), limits.bytes >> 20U),
        ""};
  }
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const SourcePosition where{file, line, static_cast<int>(at - line_start) + 1};
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return Diagnostic{where, "the text is not UTF-8", "save the file as UTF-8"};
    if (is_control(text[at])) {
      return Diagnostic{where,
                        fmt::format("control character 0x{:02x}", static_cast<Byte>(text[at])),
                        "remove it"};
    }
    if (text[at] == '\n') {
      ++line;
      line_start = at + 1;
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace tilewright::io
