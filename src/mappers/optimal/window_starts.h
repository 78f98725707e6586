// How many branches of a fan-out start at different places of a window.
#pragma once

#include <array>
#include <cstdint>

#include "tilewright/base.h"
#include "workload/window.h"

namespace tilewright::optimal {

// A dimension of a window that a fan-out unrolls.
struct UnrolledDim {
  std::int64_t branches = 1;
  std::int64_t size = 1;  // of the dimension
  std::int64_t most = 1;  // extent of a branch's tile
  bool divides = false;   // whether tiles and branches divide the dimension
  bool is_whole = false;  // whether tiles do
  // How far fan-outs further in unroll it, and how far those of them do that no memory separates
  // from this one. Tiles are multiples of that.
  std::int64_t inside = 1, beside = 1;
};
using UnrolledDims = std::array<UnrolledDim, kMaxWindowDims>;  // in the window's order

// So many of these branches of a window of two dimensions start at different places with such
// tiles.
std::int64_t starts_of_pair(const Window& window, const std::array<std::int64_t, 2>& branches,
                            const std::array<std::int64_t, 2>& tiles);
// The share that starts at different places, of all branches in all steps that have something,
// with such tiles.
Rational share_of_starts(const Window& window, const UnrolledDims& dims, const Extents& tiles);
// The same with any tiles at least.
Rational least_share_of_starts(const Window& window, const UnrolledDims& dims);

}  // namespace tilewright::optimal
