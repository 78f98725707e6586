#include "layer_floor.h"

#include <algorithm>
#include <cmath>

namespace tilewright::study {

namespace {

// Only what crosses into the buffer costs energy or time.
Architecture only_crossing(Architecture outside, const Workload& workload) {
  for (Level& level : outside.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) memory->leakage_pj_per_cycle = 0;
  }
  auto& buffer = std::get<Memory>(outside.levels[outside.levels.size() - 2]);
  buffer.capacity = {};
  buffer.partitions.clear();
  buffer.read_pj = buffer.update_pj = 0;  // what leaves it depends on the array
  lift_bandwidths(buffer);
  auto& compute = std::get<Compute>(outside.levels.back());
  compute.mac_pj = 0;
  compute.macs = std::max<std::int64_t>(1, narrowed(multiply_accumulates(workload)));
  compute.cycles = 1;
  return outside;
}

// All but that.
Architecture without_crossing(Architecture arch) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  for (int i = 0; i < index_of(parts.buffer); ++i) {
    auto& memory = std::get<Memory>(arch.levels[at(LevelId{i})]);
    memory.read_pj = memory.write_pj = memory.update_pj = 0;
  }
  std::get<Memory>(arch.levels[at(parts.buffer)]).write_pj = 0;
  return arch;
}

}  // namespace

bool limits_time(const Memory& memory) {
  return memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth;
}

LayerFloor::LayerFloor(const Workload& workload, const Architecture& arch,
                       const MapOptions& options, ConvView view, Evaluator evaluator)
    : workload_(workload),
      arch_(arch),
      options_(options),
      view_(std::move(view)),
      evaluator_(std::move(evaluator)),
      two_memories_(evaluator_.problem().memory_count() == 2),
      wanted_(options.objective.energy > 0 || limits_time(std::get<Memory>(arch.levels.front()))),
      // A bounding box has words between windows that do not touch: more in a
      // larger tile.
      grows_evenly_(arch.accounting == Accounting::Exact),
      rest_(two_memories_ ? without_crossing(arch) : arch) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  const std::int64_t pes = parts.pes;
  note_loops();
  if (two_memories_) {
    crossing_ = Crossing::create(workload, view_, std::get<Memory>(arch.levels.front()),
                                 std::get<Memory>(arch.level(parts.buffer)), arch);
    array_ = ArrayFloor::create(workload, view_, arch);
  }
  others_ = physical_instances(arch, arch.compute_level()) / pes * arch.compute().macs;
  options_.mapper = mappers().front();
  options_.mapper_options = {};
  options_.limits = {};
  options_.objective = Objective::Energy;
  options_.settle_ties = false;
}

std::optional<LayerFloor> LayerFloor::create(const Workload& workload, const Architecture& arch,
                                             const MapOptions& options) {
  Checked<ConvView> view = ConvView::create(workload);
  if (!view.ok()) return std::nullopt;
  Architecture free = arch;
  free.flexibility->tile = {};
  const auto outside = outside_of_array(workload, free, std::nullopt);
  if (!outside) return std::nullopt;
  Checked<Evaluator> evaluator =
      Evaluator::compile(workload, only_crossing(outside->arch, workload));
  if (!evaluator.ok()) return std::nullopt;
  return LayerFloor(workload, arch, options, std::move(*view.value), std::move(*evaluator.value));
}

// --- multipliers -----------------------------------------------------------------------

std::vector<DimId> LayerFloor::without_ones(std::vector<DimId> dims) const {
  std::erase_if(dims, [&](DimId dim) { return workload_.dim(dim).size == 1; });
  return dims;
}

void LayerFloor::note_loops() {
  only_in_.fill(-1);
  for (const ConvDim loop : kAllConvDims) {
    unrolled_with_[index_of(loop)] = without_ones(view_.unrolled_with(loop));
    const std::vector<DimId> dims = without_ones(view_.dims(loop));
    if (dims.size() == 1) only_in_[at(index_of(dims.front()))] = static_cast<int>(index_of(loop));
  }
}

// What is unrolled divides the tile, or the tile holds all of the dimension.
std::int64_t LayerFloor::most_unrolled(DimId dim, std::int64_t limit, const TileBox& box) const {
  const std::int64_t size = workload_.dim(dim).size;
  const int loop = only_in_[at(index_of(dim))];
  if (loop < 0 || box.most[at(loop)] >= size) return std::min(limit, size);
  const std::int64_t most = box.most[at(loop)];
  for (std::int64_t unrolled = std::min(limit, most); unrolled > 1; --unrolled) {
    if (most / unrolled * unrolled >= box.least[at(loop)]) return unrolled;
  }
  return 1;
}

Int128 LayerFloor::multiplier_cycles(const ConvPair& pair, const ArrayLimits& array,
                                     const TileBox& box) const {
  const std::vector<DimId>& rows = unrolled_with_[index_of(pair.rows)];
  const std::vector<DimId>& columns = unrolled_with_[index_of(pair.columns)];
  Int128 steps = 1;  // of the dimensions that are not unrolled
  Int128 on_rows = 1, on_columns = 1, on_both = 1;
  for (int d = 0; d < workload_.dim_count(); ++d) {
    const std::int64_t size = workload_.dim(DimId{d}).size;
    const bool row = contains(rows, DimId{d});
    const bool column = contains(columns, DimId{d});
    if (!row && !column) steps *= size;
    if (row || column) (row && column ? on_both : row ? on_rows : on_columns) *= size;
  }
  const Int128 in_all_pes = ceil_div(steps * on_rows * on_columns * on_both, Int128{array.pes});
  const auto folded = [&](const std::vector<DimId>& dims, std::int64_t limit) {
    if (dims.empty()) return std::int64_t{1};
    return ceil_div(workload_.dim(dims.front()).size, most_unrolled(dims.front(), limit, box));
  };
  const std::int64_t both = std::min(array.pes, array.rows * array.columns);
  if (rows.size() <= 1 && columns.size() <= 1) {
    steps *= rows == columns ? folded(rows, both)
                             : Int128{folded(rows, array.rows)} * folded(columns, array.columns);
  } else if (on_both == 1) {
    steps *= ceil_div(on_rows, array.rows) * ceil_div(on_columns, array.columns);
  } else {
    steps *= ceil_div(on_rows * on_columns * on_both, both);
  }
  return ceil_div(std::max(steps, in_all_pes), others_);
}

// --- what crosses into the buffer ------------------------------------------------------

Crossing::Cost LayerFloor::crossing(const ConvSizes& tile, const ConvOrder& order) const {
  const Problem& problem = evaluator_.problem();
  Mapping mapping(problem);
  Flexibility fixed;
  fixed.tile.kind = TileFreedom::Kind::Fixed;
  fixed.tile.fixed = tile;
  for (const FixedDim& dim : fixed_tile(workload_, view_, fixed)) {
    mapping.set_bound(0, dim.dim, ceil_div(workload_.dim(dim.dim).size, dim.extent));
    mapping.set_bound(problem.memories().back().slot, dim.dim, dim.extent);
  }
  const std::vector<DimId> dims = view_.dims_in(order);
  for (int m = 0; m < problem.memory_count(); ++m) mapping.set_order(MemoryId{m}, dims);
  const Score score = evaluator_.score(mapping);
  return {score.energy_pj * (1 - 1e-12), score.cycles};
}

// Loops that the tile holds as a whole are in no order. What is known may be
// forgotten: it only saves time.
Crossing::Cost LayerFloor::least_crossing(const ConvSizes& tile, const OrderSets& sets,
                                          OrderSets::Id set) {
  std::vector<std::int64_t> key = {set};
  LoopSet cut = 0;
  for (const ConvDim loop : kAllConvDims) {
    key.push_back(std::min(tile[index_of(loop)], view_.size(loop)));
    if (tile[index_of(loop)] < view_.size(loop)) cut |= loop_bit(loop);
  }
  const auto known = known_outside_.find(key);
  if (known != known_outside_.end()) return known->second;
  constexpr std::size_t kMost = 500'000;
  if (known_outside_.size() >= kMost) known_outside_.clear();
  Crossing::Cost least{INFINITY, kWideLimit};
  for (InnerLoops loops : sets.different(set, cut)) {
    for (const ConvDim loop : kAllConvDims) {
      if ((cut & loop_bit(loop)) == 0) loops.push_back(loop);
    }
    ConvOrder order{};
    std::copy(loops.rbegin(), loops.rend(), order.begin());
    const Crossing::Cost one = crossing(tile, order);
    least = {std::min(least.energy_pj, one.energy_pj), std::min(least.cycles, one.cycles)};
  }
  return known_outside_[key] = least;
}

Crossing::Cost LayerFloor::outside(const TileBox& box, const OrderSets& sets, OrderSets::Id set) {
  if (!wanted_ || !two_memories_ || (!grows_evenly_ && !box.is_single())) return {};
  return crossing_ ? crossing_->least(box.most, sets, set) : least_crossing(box.most, sets, set);
}

// --- energy ----------------------------------------------------------------------------

void LayerFloor::limit(std::optional<double> seconds, const std::atomic<bool>* cancelled) {
  options_.limits.seconds = seconds;
  options_.limits.cancelled = cancelled;
}

double LayerFloor::least_energy(const Architecture& arch, const Flexibility& open) {
  Architecture set = arch;
  set.flexibility = open;
  set.flexibility->tile = {};
  const MapOutcome outcome = map_workload(workload_, set, options_);
  if (outcome.status == MapOutcome::Status::Infeasible) return INFINITY;
  return outcome.proof ? outcome.proof->bound * (1 - 1e-12) : 0;
}

double LayerFloor::inside_pj(const Flexibility& open) {
  const auto [known, is_new] = known_inside_.try_emplace(to_string(open), 0);
  if (is_new) known->second = least_energy(rest_, open);
  return known->second;
}

double LayerFloor::whole_pj(const Flexibility& open) {
  const auto [known, is_new] = known_whole_.try_emplace(to_string(open), 0);
  if (is_new) known->second = least_energy(arch_, open);
  return known->second;
}

}  // namespace tilewright::study
