#include "tilewright/cascade.h"

#include <algorithm>

namespace tilewright {

std::optional<int> Cascade::find_einsum(const std::string& einsum_name) const {
  for (int e = 0; e < einsum_count(); ++e) {
    if (workload(e).name == einsum_name) return e;
  }
  return std::nullopt;
}

std::vector<Intermediate> intermediates_of(const Cascade& cascade) {
  std::vector<Intermediate> found;
  for (int w = 0; w < cascade.einsum_count(); ++w) {
    Intermediate one{cascade.workload(w).tensors.back().name, w, {}};
    for (int r = w + 1; r < cascade.einsum_count(); ++r) {
      const Workload& reader = cascade.workload(r);
      for (int t = 0; t + 1 < reader.tensor_count(); ++t) {
        if (reader.tensor(TensorId{t}).name == one.name) one.readers.push_back({r, TensorId{t}});
      }
    }
    if (!one.readers.empty()) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace tilewright
