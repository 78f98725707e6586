// Where the tests find this checkout and the tool built from it.
#pragma once

#include <string>

namespace tilewright {

std::string checkout_folder();
std::string tool_path();

}  // namespace tilewright
