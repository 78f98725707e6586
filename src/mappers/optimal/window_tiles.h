// The words of all tiles of a window of two dimensions, by their extents, at least: with a moving
// loop of which no more is known than how often it starts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "workload/window.h"

namespace tilewright::optimal {

class WindowTiles {
 public:
  // Which of the window's dimensions the loop moves, -1 if none, and how many tiles each of its
  // steps goes further.
  struct Moving {
    int position = -1;
    std::int64_t apart = 1;

    bool operator==(const Moving&) const = default;
  };
  // Whether the dimensions are small enough that all tiles can be looked at.
  static bool are_few(const Window& window, const std::array<std::int64_t, 2>& sizes);

  WindowTiles(const Window& window, const std::array<std::int64_t, 2>& sizes, const Moving& moving);

  const Window& window() const { return *window_; }
  const Moving& moving() const { return moving_; }
  // The least of all tiles with extents from the first to the last, if the loop starts in so many
  // passes at least. What is not known yet is found.
  std::int64_t least(const Extents& first, const Extents& last, std::int64_t passes);

 private:
  // Of all tiles at one place along the moving dimension, or of all.
  struct Words {
    std::int64_t start = -1;   // of the moving loop; -1 if it is not known
    std::int64_t further = 0;  // what is new at its further steps
  };

  const Words& words_of(const Extents& tile);
  Words find(const Extents& tile) const;

  const Window* window_;
  std::array<std::int64_t, 2> sizes_;
  Moving moving_;
  std::vector<Words> words_;  // by both extents
};

}  // namespace tilewright::optimal
