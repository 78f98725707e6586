#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tilewright/arch.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

void check_tile(const TileFreedom& tile, Problems& problems) {
  if (tile.kind == TileFreedom::Kind::Fixed) {
    for (const ConvDim dim : kAllConvDims) {
      const std::int64_t size = tile.fixed[index_of(dim)];
      if (size >= 1 && size <= kCountLimit) continue;
      add_text(problems, "tile is {} in {}; it must be from 1 to 2^60", size, letter_of(dim));
    }
  }
  if (tile.kind != TileFreedom::Kind::Hard) return;
  double sum = 0;
  for (const Rational& share : tile.shares) {
    sum += share.value();
    if (share.numerator < 1 || share.denominator < 1) {
      problems.push_back("tile has a share of the buffer that is not above 0");
    }
  }
  constexpr double kWhole = 1 + 1e-9;
  if (sum > kWhole) {
    add_text(problems,
             "tile gives away {:.4g} % of the buffer; the shares of weight, "
             "input and output must not pass 100 %",
             100 * sum);
  }
}

template <typename T>
void check_list(const std::string& key, const std::vector<T>& values, Problems& problems) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::find(values.begin(), value, *value) == value) continue;
    add_text(problems, "{} lists {} twice", key, to_string(*value));
  }
}

void check_orders(const std::vector<ConvOrder>& orders, Problems& problems) {
  check_list("order", orders, problems);
  for (const ConvOrder& order : orders) {
    ConvOrder sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == kAllConvDims) continue;
    add_text(problems, "order {} does not name each of K, C, Y, X, R and S once", to_string(order));
  }
}

void check_pairs(const std::vector<ConvPair>& pairs, Problems& problems) {
  check_list("parallel", pairs, problems);
  for (const ConvPair& pair : pairs) {
    if (pair.rows != pair.columns) continue;
    add_text(problems, "parallel {} unrolls the same dimension on both axes", to_string(pair));
  }
}

void check_shape(const Flexibility& flexibility, std::optional<std::int64_t> pes,
                 Problems& problems) {
  if (!pes && flexibility.shape == ShapeFreedom{}) return;  // that of the array, once it is known
  const auto [rows, columns] = flexibility.shape.unit;
  if (rows < 1 || columns < 1 || rows > kCountLimit / columns) {
    problems.push_back("shape must have from 1 to 2^60 PEs");
  } else if (pes && rows * columns > *pes) {
    add_text(problems, "shape {} takes {} PEs; the array has {}",
             axis_text(flexibility, TopsAxis::Shape), rows * columns, *pes);
  }
}

}  // namespace

std::vector<std::string> problems_of(const Flexibility& flexibility,
                                     std::optional<std::int64_t> pes) {
  Problems problems;
  check_tile(flexibility.tile, problems);
  check_orders(flexibility.orders, problems);
  check_pairs(flexibility.pairs, problems);
  check_shape(flexibility, pes, problems);
  return problems;
}

}  // namespace tilewright
