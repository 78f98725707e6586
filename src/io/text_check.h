// What a text must be before any reader looks at it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/base.h"

namespace tilewright::io {

bool is_utf8(std::string_view text);

// Nothing if the text is UTF-8 of acceptable size without control characters.
std::optional<Diagnostic> check_text(std::string_view text, const std::string& file);

}  // namespace tilewright::io
