// The elements of a tensor that a region of the iteration space touches.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "oracle/nest.h"

namespace tilewright::oracle {

using Element = std::vector<std::int64_t>;  // one coordinate per rank
using Elements = std::set<Element>;

inline std::int64_t size_of(const Elements& elements) {
  return static_cast<std::int64_t>(elements.size());
}

// Distinct elements, or with Accounting::Timeloop their bounding box.
Elements elements_of(const Tensor& tensor, const Region& region, Accounting accounting);

// The coordinates of the region's first point.
Element origin_of(const Tensor& tensor, const Region& region);

// True if elements and points of the tensor's own dimensions are one to one
// and boxes have no holes: each rank is one dimension, each dimension one rank.
bool is_plain(const Tensor& tensor);

}  // namespace tilewright::oracle
