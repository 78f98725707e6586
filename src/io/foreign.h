// Files of other tools, which users hand to commands that do not read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/base.h"

namespace tilewright::io {

// How to import the file if it is one of Timeloop's, judged by its sections; otherwise nothing.
std::optional<Diagnostic> foreign_file(std::string_view text, const std::string& file);

}  // namespace tilewright::io
