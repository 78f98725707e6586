#include "reproduce/tables.h"

#include <algorithm>

namespace tilewright::reproduce {

std::string_view reference(std::string_view name) {
  const auto& files = reference_files();
  const auto named = [&](const io::BuiltinFile& file) { return file.name == name; };
  return std::find_if(files.begin(), files.end(), named)->text;
}

}  // namespace tilewright::reproduce
