// Identifiers and numbers as indices of containers: list[at(dim)].
#pragma once

#include <cstddef>

#include "tilewright/base.h"

namespace tilewright {

constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }
constexpr std::size_t at(DimId dim) { return static_cast<std::size_t>(dim); }
constexpr std::size_t at(TensorId tensor) { return static_cast<std::size_t>(tensor); }
constexpr std::size_t at(LevelId level) { return static_cast<std::size_t>(level); }
constexpr std::size_t at(MemoryId memory) { return static_cast<std::size_t>(memory); }

}  // namespace tilewright
