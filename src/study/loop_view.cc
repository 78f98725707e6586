#include "loop_view.h"

namespace tilewright::study {

std::optional<std::array<int, kMaxDims>> loops_by_dimension(const Workload& workload,
                                                            const ConvView& view) {
  std::array<int, kMaxDims> loop_of{};
  loop_of.fill(-1);
  for (const ConvDim loop : kAllConvDims) {
    bool taken = false;
    for (const DimId dim : view.dims(loop)) {
      if (workload.dim(dim).size == 1) continue;
      if (taken) return std::nullopt;
      taken = true;
      loop_of[at(index_of(dim))] = static_cast<int>(index_of(loop));
    }
  }
  for (const DimId dim : view.others()) {
    if (workload.dim(dim).size > 1) return std::nullopt;
  }
  return loop_of;
}

}  // namespace tilewright::study
