#include "chosen.h"

#include <algorithm>

namespace tilewright::study {

namespace {

ConvView view_of(const MapOutcome& outcome) {
  return *ConvView::create(outcome.problem->workload()).value;
}

}  // namespace

ConvOrder chosen_order(const MapOutcome& outcome) {
  if (outcome.setting->order) return *outcome.setting->order;
  const ConvView view = view_of(outcome);
  const Mapping& mapping = *outcome.search.best;
  std::vector<ConvDim> order;
  const auto add = [&](ConvDim loop) {
    if (!contains(order, loop)) order.push_back(loop);
  };
  for (int i = 0; i < mapping.dim_count(); ++i) {
    const DimId dim{mapping.order(MemoryId{0})[i]};
    if (mapping.bound(0, dim) == 1) continue;
    for (const ConvDim loop : kAllConvDims) {
      if (contains(view.dims(loop), dim)) add(loop);
    }
  }
  for (const ConvDim loop : kAllConvDims) add(loop);
  ConvOrder result{};
  std::copy(order.begin(), order.end(), result.begin());
  return result;
}

ConvSizes chosen_tile(const MapOutcome& outcome, LevelId memory) {
  const ConvView view = view_of(outcome);
  const Problem& problem = *outcome.problem;
  ConvSizes tile{1, 1, 1, 1, 1, 1};
  for (const ConvDim loop : kAllConvDims) {
    for (const DimId dim : view.dims(loop)) {
      std::int64_t extent = 1;
      for (int s = 0; s < problem.slot_count(); ++s) {
        const bool inside = problem.slots()[at(s)].level >= memory;
        if (inside) extent *= outcome.search.best->bound(s, dim);
      }
      tile[index_of(loop)] *= std::min(extent, problem.workload().dim(dim).size);
    }
  }
  return tile;
}

}  // namespace tilewright::study
