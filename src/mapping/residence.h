// What a memory says of a tensor, by its name or else by its role.
#pragma once

#include "tilewright/mapping.h"

namespace tilewright {

Residence residence_of(const Memory& memory, const Tensor& tensor);
// The tensor's own share, if it has one.
std::optional<Capacity> partition_of(const Memory& memory, const Tensor& tensor);

}  // namespace tilewright
