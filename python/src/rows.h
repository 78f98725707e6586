// Mappings as rows of whole numbers, so that thousands of them are one array: the bound of
// every dimension at every slot; the order of the dimensions at every memory, outermost
// first; and what every memory keeps, a bit per tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright::python {

class RowLayout {
 public:
  explicit RowLayout(const Problem& problem);

  std::size_t width() const { return width_; }
  // "DRAM.M", "SARows.y.C", "DRAM.order.0", "DRAM.keeps"
  std::vector<std::string> columns(const Problem& problem) const;

  void write(const Mapping& mapping, std::int64_t* row) const;
  // False where the row is no mapping of the problem; the mapping, which was made for the
  // problem, has no meaning then. Allocates nothing.
  bool read(const std::int64_t* row, const Problem& problem, Mapping& mapping) const;
  // Why read() has said no.
  std::string why_not(const std::int64_t* row, const Problem& problem) const;

 private:
  bool read_bounds(const std::int64_t* row, Mapping& mapping) const;
  bool read_orders(const std::int64_t* row, Mapping& mapping) const;
  bool read_kept(const std::int64_t* row, const Problem& problem, Mapping& mapping) const;

  int dims_, slots_, memories_, tensors_;
  std::size_t orders_at_, kept_at_, width_;
  std::vector<std::int64_t> sizes_;  // of the dimensions
};

}  // namespace tilewright::python
