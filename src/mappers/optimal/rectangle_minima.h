// The least of a table over any rectangle of it: that of four which have powers of two as sides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::optimal {

class RectangleMinima {
 public:
  RectangleMinima(std::size_t rows, std::size_t columns, std::vector<std::int64_t> values)
      : columns_(columns), columns_log_(log2(columns) + 1) {
    for (std::size_t k = 0; k <= log2(rows); ++k) {
      for (std::size_t l = 0; l < columns_log_; ++l) {
        if (k + l > 0) values = l > 0 ? wider(tables_.back(), 1U << (l - 1)) : taller(k);
        tables_.push_back(values);
      }
    }
  }

  // Of rows and columns from the first to the last.
  std::int64_t least(std::size_t first_row, std::size_t last_row, std::size_t first_column,
                     std::size_t last_column) const {
    const std::size_t k = log2(last_row - first_row + 1);
    const std::size_t l = log2(last_column - first_column + 1);
    const std::vector<std::int64_t>& table = tables_[k * columns_log_ + l];
    const std::size_t row = last_row + 1 - (std::size_t{1} << k);
    const std::size_t column = last_column + 1 - (std::size_t{1} << l);
    const auto value = [&](std::size_t r, std::size_t c) { return table[r * columns_ + c]; };
    return std::min({value(first_row, first_column), value(first_row, column),
                     value(row, first_column), value(row, column)});
  }

 private:
  static std::size_t log2(std::size_t number) {
    return static_cast<std::size_t>(63 - __builtin_clzll(number));
  }
  std::vector<std::int64_t> wider(const std::vector<std::int64_t>& table, std::size_t by) const {
    std::vector<std::int64_t> result = table;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (i % columns_ + by < columns_) result[i] = std::min(table[i], table[i + by]);
    }
    return result;
  }
  // Twice as many rows as before, and one column.
  std::vector<std::int64_t> taller(std::size_t k) const {
    const std::vector<std::int64_t>& table = tables_[(k - 1) * columns_log_];
    const std::size_t by = columns_ << (k - 1);
    std::vector<std::int64_t> result = table;
    for (std::size_t i = 0; i + by < table.size(); ++i) {
      result[i] = std::min(table[i], table[i + by]);
    }
    return result;
  }

  std::size_t columns_, columns_log_;
  std::vector<std::vector<std::int64_t>> tables_;  // by the logarithms of both sides
};

}  // namespace tilewright::optimal
