// Characters of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright {

// How many bytes the character takes that the text begins with; 0 if it begins with none.
std::size_t utf8_length(std::string_view text);

}  // namespace tilewright
