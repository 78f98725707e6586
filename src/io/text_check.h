// What a text must be before any reader looks at it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/base.h"
#include "tilewright/io.h"

namespace tilewright::io {

// How large a file may be. A value takes some hundred bytes.
struct TextLimits {
  std::size_t bytes = kMaxTextBytes;
  std::size_t values = 100'000;
};
inline constexpr TextLimits kNetworkLimits = {kMaxNetworkBytes, 1'600'000};

bool is_utf8(std::string_view text);

// Nothing if the text is UTF-8 of acceptable size without control characters.
std::optional<Diagnostic> check_text(std::string_view text, const std::string& file,
                                     const TextLimits& limits = {});

}  // namespace tilewright::io
