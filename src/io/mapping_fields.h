// The fields of a mapping file.
#pragma once

#include "fields.h"
#include "tilewright/io.h"

namespace tilewright::io {

// Each part is a node for the reader, which needs the problem to make sense of
// it, and a text for the writer.
struct MappingPart {
  const Node* node = nullptr;
  std::string text;
};

struct MappingFile {
  MappingPart padded, levels;
};

struct MemoryEntry {
  MappingPart loops, keep, bypass;
};

struct FanoutEntry {
  MappingPart x, y;
};

FieldTable<MappingFile> mapping_fields();
FieldTable<MemoryEntry> memory_entry_fields();
FieldTable<FanoutEntry> fanout_entry_fields();

// A mapping, and the problem that it is of, from a document or a part of one. Nothing after
// complaints, also earlier ones.
std::optional<PaddedMapping> mapping_from(Context& context, const Node& root,
                                          const Problem& problem);

inline constexpr const char* kPaddedForm = "a map such as \"{P: 14}\"";
inline constexpr const char* kLoopsForm = "a list such as \"[M 4, P 17 last 4]\"";

}  // namespace tilewright::io
