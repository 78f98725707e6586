// From YAML text to nodes.
#pragma once

#include <string>
#include <string_view>

#include "node.h"
#include "text_check.h"
#include "tilewright/base.h"

namespace tilewright::io {

// Aliases and tags are refused: the formats need neither, and aliases let a
// small file stand for an enormous one. A file must say something; `start` is what an
// empty one should start with.
Checked<Node> parse_document(std::string_view text, const std::string& file, const char* start,
                             const TextLimits& limits = {});

}  // namespace tilewright::io
