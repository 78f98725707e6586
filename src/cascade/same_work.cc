#include "cascade/same_work.h"

#include <algorithm>

namespace tilewright {
namespace {

// Numbers in the order in which names come up.
class Numbers {
 public:
  std::string of(const std::string& name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    const auto number = known - names_.begin();
    if (known == names_.end()) names_.push_back(name);
    return std::to_string(number);
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

Cascade without_names(Cascade cascade) {
  Numbers tensors, dims;
  cascade.name = cascade.source = "";
  for (CascadeEinsum& einsum : cascade.einsums) {
    einsum.workload.name = "";
    for (Tensor& tensor : einsum.workload.tensors) tensor.name = tensors.of(tensor.name);
    for (Dimension& dim : einsum.workload.dims) {
      if (dim.known_as.empty()) dim.known_as = dim.name;
      dim.name = dims.of(dim.name);
    }
    if (einsum.then && einsum.then->reduces) einsum.then->reduces = dims.of(*einsum.then->reduces);
  }
  return cascade;
}

}  // namespace tilewright
