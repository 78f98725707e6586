// Mappings as files, with comments that say where they come from.
#pragma once

#include <span>
#include <string>

#include "tilewright/mapping.h"
#include "tilewright/model.h"

namespace tilewright::cli {

// The command line as a shell would take it again.
std::string quoted_command(std::span<char* const> words);

struct MappingFile {
  const Problem& problem;
  const Mapping& mapping;
  const Score& score;
  const std::string& command;
  const Workload& given;     // the problem may have it with padded dimensions
  std::string setting = "";  // of a flexible architecture
};
// Text that `tilewright eval --mapping` reads back.
std::string mapping_file_text(const MappingFile& file);

}  // namespace tilewright::cli
