// Tables that others made, from files inside the program.
#pragma once

#include <string_view>
#include <vector>

#include "tilewright/io.h"

namespace tilewright::reproduce {

// references/*.csv
const std::vector<io::BuiltinFile>& reference_files();

// The text of one of them; the name must be right.
std::string_view reference(std::string_view name);

}  // namespace tilewright::reproduce
