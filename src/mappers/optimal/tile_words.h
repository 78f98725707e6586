// Words of a tensor's tiles with all extents of some lists, from tables of what windows hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mappers/optimal/fit.h"
#include "mappers/optimal/vector_sums.h"

namespace tilewright::optimal {

class TileWords {
 public:
  // A list for each dimension. The last of them tells the tiles of a row apart.
  TileWords(const TensorShape& tensor, const ExtentLists& extents);

  // Of one tile of a row, no more than one beyond kCountLimit. What is not known yet is found.
  std::int64_t operator()(const VectorSums::Parts& row, std::size_t last);

 private:
  static constexpr std::int64_t kUnknown = -1;
  // A window, or all dimensions that act alone.
  struct Factor {
    const Window* window = nullptr;
    std::vector<int> dims;
    std::vector<std::vector<std::int64_t>> extents;  // of each of them, of which the first is the
                                                     // fastest in the list below
    VectorSums rows;                                 // where each row begins
    std::size_t stride = 0;  // of the last dimension; 0 if it does not count
    std::vector<std::int64_t> words;
  };

  static Factor factor_of(const Window* window, std::vector<int> dims, const ExtentLists& extents);
  static std::int64_t find(const Factor& factor, std::size_t place);

  std::vector<Factor> factors_;
};

}  // namespace tilewright::optimal
