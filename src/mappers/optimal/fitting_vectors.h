// Which vectors of extents fit a memory, found when it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mappers/optimal/fit.h"
#include "mappers/optimal/reached_places.h"
#include "mappers/optimal/vector_sums.h"

namespace tilewright::optimal {

// Extents ascend, so that of those with equal extents in all dimensions but the last, the first
// ones fit.
class FittingVectors {
 public:
  FittingVectors(const Subproblem& sub, int memory, ExtentLists extents);

  // Takes the values of the others away; the last dimension is the fastest of the table.
  void leave_out_others(Values& values);
  void leave_out_others(ReachedPlaces& places);

 private:
  static constexpr std::int32_t kUnknown = -1;
  // What a tensor takes of a sum that the memory limits, at all extents of its dimensions; found
  // when it is asked for.
  struct Part {
    int tensor = 0;
    VectorSums rows;         // where each row begins
    std::size_t stride = 0;  // of the last dimension; 0 if it does not count
    std::vector<std::int64_t> amounts;
  };
  struct Sum {
    Fitting::Sum limit;
    std::vector<Part> parts;
  };

  PerDim largest_tile() const;
  Part unknown_part(int tensor) const;
  // How many of a row fit.
  using Row = VectorSums::Parts;
  std::size_t fitting_of(const Row& row);
  std::size_t find_fitting(const Row& row);
  bool fits(const Row& row, std::size_t last);
  PerDim tile_of(const Row& row, std::size_t last) const;

  const SolverTables& solver_;
  Fitting fitting_;
  std::vector<std::int64_t> last_ = {1};  // extents of the last dimension, if there is one
  ExtentLists extents_;                   // of the others
  bool all_fit_ = false;
  std::vector<std::size_t> strides_;  // of each dimension in the list below; 0 if it does not count
  std::vector<std::int32_t> known_;   // by the extents of a row
  VectorSums numbers_;                // of all rows in this list
  std::vector<Sum> sums_;
};

}  // namespace tilewright::optimal
