#include "design_cost.h"

#include <algorithm>

namespace tilewright::study {

DesignCost::DesignCost(Workload workload, Architecture arch, ConvView view, Evaluator evaluator)
    : workload_(std::move(workload)),
      arch_(std::move(arch)),
      view_(std::move(view)),
      evaluator_(std::move(evaluator)) {
  for (const ConvDim unrolled : kAllConvDims) {
    const std::vector<DimId> dims = view_.unrolled_with(unrolled);
    for (const ConvDim loop : kAllConvDims) {
      const std::vector<DimId> of_loop = view_.dims(loop);
      unrolled_with_[index_of(unrolled)][index_of(loop)] = std::any_of(
          of_loop.begin(), of_loop.end(), [&](DimId dim) { return contains(dims, dim); });
    }
  }
}

std::optional<DesignCost> DesignCost::create(const Workload& workload, const Architecture& arch) {
  Checked<ConvView> view = ConvView::create(workload);
  if (!view.ok()) return std::nullopt;
  const auto outside = outside_of_array(workload, arch, std::nullopt);
  if (!outside) return std::nullopt;
  Checked<Evaluator> evaluator = Evaluator::compile(workload, outside->arch);
  if (!evaluator.ok()) return std::nullopt;
  return DesignCost(workload, arch, std::move(*view.value), std::move(*evaluator.value));
}

// Whether a tile has a say in how rows or columns with a pair are unrolled along a loop.
bool DesignCost::is_unrolled(ConvDim loop, const ConvPair& pair) const {
  const auto& with_rows = unrolled_with_[index_of(pair.rows)];
  const auto& with_columns = unrolled_with_[index_of(pair.columns)];
  return with_rows[index_of(loop)] || with_columns[index_of(loop)];
}

Int128 DesignCost::least_cycles(const Flexibility& design) {
  const ConvPair& pair = design.pairs.front();
  std::vector<std::int64_t> key = {design.shape.unit.rows, design.shape.unit.columns,
                                   static_cast<std::int64_t>(pair.rows),
                                   static_cast<std::int64_t>(pair.columns)};
  for (const ConvDim loop : kAllConvDims) {
    if (!is_unrolled(loop, pair)) continue;
    key.push_back(std::min(design.tile.fixed[index_of(loop)], view_.size(loop)));
  }
  const auto known = known_cycles_.find(key);
  if (known != known_cycles_.end()) return known->second;
  arch_.flexibility = design;
  const Checked<std::vector<Setting>> settings = settings_of(workload_, arch_);
  return known_cycles_[key] = settings.value->front().least_cycles;
}

std::optional<Score> DesignCost::outside(const Flexibility& design) {
  std::vector<std::int64_t> key;
  for (const ConvDim loop : design.orders.front()) {
    const std::int64_t extent = std::min(design.tile.fixed[index_of(loop)], view_.size(loop));
    if (view_.size(loop) == 1) continue;
    key.insert(key.end(), {static_cast<std::int64_t>(loop), extent});
  }
  const auto known = known_outside_.find(key);
  if (known != known_outside_.end()) return known->second;

  const Problem& problem = evaluator_.problem();
  Mapping mapping(problem);
  const MemoryUse& inner = problem.memories().back();
  for (const FixedDim& fixed : fixed_tile(workload_, view_, design)) {
    const std::int64_t size = workload_.dim(fixed.dim).size;
    mapping.set_bound(0, fixed.dim, ceil_div(size, fixed.extent));
    mapping.set_bound(inner.slot, fixed.dim, fixed.extent);
  }
  const std::vector<DimId> order = view_.dims_in(design.orders.front());
  for (int m = 0; m < problem.memory_count(); ++m) mapping.set_order(MemoryId{m}, order);
  const Evaluation evaluation = evaluator_.evaluate(mapping);
  std::optional<Score> score;
  if (evaluation.score.verdict.fits()) {
    score = evaluation.score;
    score->cycles = 0;
    for (const MemoryReport& memory : evaluation.memories) {
      score->cycles =
          std::max(score->cycles,
                   &memory == &evaluation.memories.back() ? std::int64_t{0} : memory.cycles());
    }
  }
  return known_outside_[key] = score;
}

std::optional<Score> DesignCost::of(const Flexibility& design) {
  std::optional<Score> score = outside(design);
  if (score) score->cycles = std::max(score->cycles, least_cycles(design));
  return score;
}

}  // namespace tilewright::study
