#include "tilewright/workload.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright {

std::optional<DimId> Workload::find_dim(const std::string& dim_name) const {
  for (int d = 0; d < dim_count(); ++d) {
    if (dim(DimId{d}).name == dim_name) return DimId{d};
  }
  return std::nullopt;
}

std::optional<TensorId> Workload::find_tensor(const std::string& tensor_name) const {
  for (int t = 0; t < tensor_count(); ++t) {
    if (tensor(TensorId{t}).name == tensor_name) return TensorId{t};
  }
  return std::nullopt;
}

bool is_relevant(const Tensor& tensor, DimId dim) {
  return std::any_of(tensor.ranks.begin(), tensor.ranks.end(), [&](const Rank& rank) {
    return std::any_of(rank.begin(), rank.end(), [&](const Term& term) { return term.dim == dim; });
  });
}

std::int64_t box_extent(const Rank& rank, const std::vector<std::int64_t>& extents) {
  std::int64_t extent = 1;
  for (const Term& term : rank) {
    const std::int64_t steps = extents[at(term.dim)] - 1;
    extent += std::abs(term.coefficient) * steps;
  }
  return extent;
}

Int128 multiply_accumulates(const Workload& workload) {
  Int128 macs = 1;
  for (const Dimension& dim : workload.dims) macs = wide_product(macs, dim.size);
  return macs;
}

std::int64_t layer_count(const Network& network) {
  std::int64_t count = 0;
  for (const Layer& layer : network.layers) count += layer.count;
  return count;
}

Int128 multiply_accumulates(const Network& network) {
  Int128 macs = 0;
  for (const Layer& layer : network.layers) {
    macs += layer.count * multiply_accumulates(layer.workload);
  }
  return macs;
}

}  // namespace tilewright
