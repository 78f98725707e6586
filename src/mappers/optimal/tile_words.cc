#include "mappers/optimal/tile_words.h"

#include <algorithm>
#include <utility>

namespace tilewright::optimal {
namespace {

std::int64_t product_of(std::int64_t a, std::int64_t b) {
  const Int128 product = std::min(static_cast<Int128>(a) * b, Int128{kCountLimit} + 1);
  return static_cast<std::int64_t>(product);
}

}  // namespace

TileWords::TileWords(const TensorShape& tensor, const ExtentLists& extents) {
  const auto add = [&](const Window* window, std::vector<int> dims) {
    factors_.push_back(factor_of(window, std::move(dims), extents));
  };
  std::vector<int> alone;
  for (const int d : members(tensor.alone)) alone.push_back(d);
  if (!alone.empty()) add(nullptr, std::move(alone));
  for (const Window& window : tensor.windows) {
    std::vector<int> dims;
    for (int i = 0; i < window.dim_count(); ++i) dims.push_back(window.dim(i));
    add(&window, std::move(dims));
  }
}

TileWords::Factor TileWords::factor_of(const Window* window, std::vector<int> dims,
                                       const ExtentLists& extents) {
  std::vector<std::size_t> lengths;
  std::vector<std::size_t> strides(extents.size(), 0);
  for (const auto& list : extents) lengths.push_back(list.size());
  std::vector<std::vector<std::int64_t>> counted;
  std::size_t number = 1;
  for (const int d : dims) {
    strides[at(d)] = number;
    number *= lengths[at(d)];
    counted.push_back(extents[at(d)]);
  }
  const std::size_t stride = strides.back();
  lengths.pop_back();
  strides.pop_back();
  return {window,
          std::move(dims),
          std::move(counted),
          sums_of_steps(lengths, strides),
          stride,
          std::vector<std::int64_t>(number, kUnknown)};
}

std::int64_t TileWords::operator()(const VectorSums::Parts& row, std::size_t last) {
  std::int64_t all = 1;
  for (Factor& factor : factors_) {
    const std::size_t place = factor.rows[row] + last * factor.stride;
    std::int64_t& words = factor.words[place];
    if (words == kUnknown) words = find(factor, place);
    all = product_of(all, words);
  }
  return all;
}

std::int64_t TileWords::find(const Factor& factor, std::size_t place) {
  Extents tile{};
  std::int64_t words = 1;
  for (std::size_t i = 0; i < factor.dims.size(); ++i) {
    const std::vector<std::int64_t>& list = factor.extents[i];
    const std::int64_t extent = list[place % list.size()];
    place /= list.size();
    if (factor.window == nullptr) {
      words = product_of(words, extent);
    } else {
      tile[i] = extent;
    }
  }
  return factor.window == nullptr ? words : factor.window->size(tile);
}

}  // namespace tilewright::optimal
