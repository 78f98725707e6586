// The flexibility of an architecture: a block of its file, or one line.
#pragma once

#include "fields.h"
#include "tilewright/arch.h"

namespace tilewright::io {

inline constexpr const char* kFlexibilityKey = "flexibility";

FieldTable<Flexibility> flexibility_fields();

}  // namespace tilewright::io
