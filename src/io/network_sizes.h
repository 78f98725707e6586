// Sizes of a network by name, and other values for them.
#pragma once

#include <string>
#include <vector>

#include "context.h"

namespace tilewright::io {

// Puts other values into the document, such as "tokens=8192"; complains about names that it
// lacks.
void set_sizes(Context& context, Node& root, const std::vector<std::string>& sizes);
// The complaint about each of the sizes, for a network that has none.
void refuse_sizes(Context& context, const std::vector<std::string>& sizes);

// The sizes of a document, whole numbers from 1 on.
Variables read_sizes(Context& context, const Node& root);
// Complains about sizes that nothing in the document uses.
void check_sizes_are_used(Context& context, const Node& root);

}  // namespace tilewright::io
