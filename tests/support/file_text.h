// Reads files of the checkout and of tests.
#pragma once

#include <filesystem>
#include <string>

namespace tilewright {

// All of a file; nothing if there is none.
std::string file_text(const std::filesystem::path& path);

}  // namespace tilewright
