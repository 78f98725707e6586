// Values in place of those that a file gives: "GlobalBuffer.capacity=64KiB".
#pragma once

#include <string>
#include <vector>

#include "context.h"

namespace tilewright::io {

// Changes the document of an architecture, or complains. Whether a key exists and a value means
// something is for the reader to say; it then names the change.
void apply_changes(Context& context, Node& root, const std::vector<std::string>& changes);

}  // namespace tilewright::io
