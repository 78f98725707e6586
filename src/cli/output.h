// What commands say, and to whom: results to standard output, complaints to
// standard error.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::cli {

void print(const std::string& text);
// Writes a whole file; false after a complaint.
bool write_file(const std::filesystem::path& path, const std::string& text);
void complain(const std::string& line);
void complain(const std::vector<Diagnostic>& problems);

}  // namespace tilewright::cli
