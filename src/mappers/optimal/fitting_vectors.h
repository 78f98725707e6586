// Which vectors of extents fit a memory, found when it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mappers/optimal/fit.h"
#include "mappers/optimal/reached_places.h"
#include "mappers/optimal/tile_words.h"
#include "mappers/optimal/vector_sums.h"

namespace tilewright::optimal {

// Extents ascend, so that of those with equal extents in all dimensions but the last, the first
// ones fit.
class FittingVectors {
 public:
  FittingVectors(const Subproblem& sub, int memory, const ExtentLists& extents);

  // Takes the values of the others away; the last dimension is the fastest of the table.
  void leave_out_others(Values& values);
  void leave_out_others(ReachedPlaces& places);

 private:
  static constexpr std::int32_t kUnknown = -1;
  // What takes part of a sum that the memory limits.
  struct Part {
    int tensor = 0;
    TileWords words;
  };
  struct Sum {
    Fitting::Sum limit;
    std::vector<Part> parts;
  };

  // How many of a row fit.
  using Row = VectorSums::Parts;
  std::size_t fitting_of(const Row& row);
  std::size_t find_fitting(const Row& row);
  bool fits(const Row& row, std::size_t last);

  std::size_t length_ = 1;  // of a row: extents of the last dimension, if there is one
  bool all_fit_ = false;
  std::vector<std::int32_t> known_;  // by the extents of a row that count
  VectorSums numbers_;               // of all rows in this list
  std::vector<Sum> sums_;
};

}  // namespace tilewright::optimal
