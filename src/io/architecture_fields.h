// The fields of an architecture file.
#pragma once

#include "fields.h"
#include "tilewright/arch.h"

namespace tilewright::io {

FieldTable<Architecture> architecture_fields();
FieldTable<Memory> memory_fields();
// The key of a memory that shares the room of another one.
inline constexpr char kSharesKey[] = "shares";
FieldTable<Memory> part_fields();
FieldTable<Fanout> fanout_fields();
FieldTable<FanoutAxis> axis_fields();
FieldTable<Compute> compute_fields();
// A block of the file, or one line.
FieldTable<Flexibility> flexibility_fields();
inline constexpr const char* kFlexibilityKey = "flexibility";
inline constexpr const char* kVariablesKey = "variables";
inline constexpr const char* kVariablesForm = "numbers such as \"{rows: 256, banks: rows / 64}\"";

// The list of levels, which the table of the architecture refers to.
void read_levels(Context& context, const Node& node, Architecture& arch);
std::optional<std::string> write_levels(const Architecture& arch);

}  // namespace tilewright::io
