#include "layer_floor.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  buffer.read_bandwidth.reset();
  buffer.write_bandwidth.reset();
  buffer.shared_bandwidth.reset();
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

bool limits_time(const Memory& memory) {
  return memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth;
}

}  // namespace

LayerFloor::LayerFloor(const Workload& workload, const Architecture& arch,
                       const MapOptions& options, ConvView view, Evaluator crossing)
    : workload_(workload),
      arch_(arch),
      options_(options),
      view_(std::move(view)),
      crossing_(std::move(crossing)),
      two_memories_(crossing_.problem().memory_count() == 2),
      wanted_(options.objective.energy > 0 || limits_time(std::get<Memory>(arch.levels.front()))),
      // A bounding box has words between windows that do not touch: more in a larger tile.
      grows_evenly_(arch.accounting == Accounting::Exact),
      rest_(two_memories_ ? without_crossing(arch) : arch) {
  const std::int64_t pes = parts_of(arch, *arch.flexibility)->pes;
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
  Checked<Evaluator> crossing =
      Evaluator::compile(workload, only_crossing(outside->arch, workload));
  if (!crossing.ok()) return std::nullopt;
  return LayerFloor(workload, arch, options, std::move(*view.value), std::move(*crossing.value));
}

// --- multipliers ------------------------------------------------------------------

std::vector<DimId> LayerFloor::without_ones(std::vector<DimId> dims) const {
  std::erase_if(dims, [&](DimId dim) { return workload_.dim(dim).size == 1; });
  return dims;
}

// What is unrolled divides the tile, or the tile holds all of the dimension.
std::int64_t LayerFloor::most_unrolled(DimId dim, std::int64_t limit, const TileBox& box) const {
  const std::int64_t size = workload_.dim(dim).size;
  for (const ConvDim loop : kAllConvDims) {
    const std::vector<DimId> dims = without_ones(view_.dims(loop));
    if (!contains(dims, dim)) continue;
    const std::int64_t most = box.most[index_of(loop)];
    if (dims.size() > 1 || most >= size) break;
    for (std::int64_t unrolled = std::min(limit, most); unrolled > 1; --unrolled) {
      if (most / unrolled * unrolled >= box.least[index_of(loop)]) return unrolled;
    }
    return 1;
  }
  return std::min(limit, size);
}

Int128 LayerFloor::multiplier_cycles(const ConvPair& pair, const ArrayShape& shape,
                                     const TileBox& box) const {
  const std::vector<DimId> rows = without_ones(view_.unrolled_with(pair.rows));
  const std::vector<DimId> columns = without_ones(view_.unrolled_with(pair.columns));
  Int128 steps = 1;  // of the dimensions that are not unrolled
  Int128 on_rows = 1, on_columns = 1, on_both = 1;
  for (int d = 0; d < workload_.dim_count(); ++d) {
    const std::int64_t size = workload_.dim(DimId{d}).size;
    const bool row = contains(rows, DimId{d});
    const bool column = contains(columns, DimId{d});
    if (!row && !column) steps *= size;
    if (row || column) (row && column ? on_both : row ? on_rows : on_columns) *= size;
  }
  const auto folded = [&](const std::vector<DimId>& dims, std::int64_t limit) {
    if (dims.empty()) return std::int64_t{1};
    return ceil_div(workload_.dim(dims.front()).size, most_unrolled(dims.front(), limit, box));
  };
  if (rows.size() <= 1 && columns.size() <= 1) {
    steps *= rows == columns ? folded(rows, shape.rows * shape.columns)
                             : Int128{folded(rows, shape.rows)} * folded(columns, shape.columns);
  } else if (on_both == 1) {
    steps *= ceil_div(on_rows, shape.rows) * ceil_div(on_columns, shape.columns);
  } else {
    steps *= ceil_div(on_rows * on_columns * on_both, shape.rows * shape.columns);
  }
  return ceil_div(steps, others_);
}

// --- what crosses into the buffer -----------------------------------------------------

LayerFloor::Outside LayerFloor::crossing(const ConvSizes& tile, const ConvOrder& order) const {
  const Problem& problem = crossing_.problem();
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
  const Score score = crossing_.score(mapping);
  return {score.energy_pj * (1 - 1e-12), score.cycles};
}

// What is known may be forgotten: it only saves time.
void LayerFloor::remember(std::vector<std::int64_t> key, const Outside& outside) {
  constexpr std::size_t kMost = 500'000;
  if (known_outside_.size() >= kMost) known_outside_.clear();
  known_outside_.emplace(std::move(key), outside);
}

// Loops that the tile holds as a whole are in no order.
LayerFloor::Outside LayerFloor::crossing_in(const ConvSizes& tile, const ConvOrder& order) {
  std::vector<std::int64_t> key;
  for (const ConvDim loop : order) {
    const std::int64_t extent = tile[index_of(loop)];
    if (extent >= view_.size(loop)) continue;
    key.insert(key.end(), {static_cast<std::int64_t>(loop), extent});
  }
  const auto known = known_outside_.find(key);
  if (known != known_outside_.end()) return known->second;
  const Outside outside = crossing(tile, order);
  remember(std::move(key), outside);
  return outside;
}

// Orders of the loops outside the tile; those of the others make no difference.
std::vector<ConvOrder> LayerFloor::different_orders(const ConvSizes& tile) const {
  std::vector<ConvDim> cut, whole;
  for (const ConvDim loop : kAllConvDims) {
    (tile[index_of(loop)] < view_.size(loop) ? cut : whole).push_back(loop);
  }
  std::vector<ConvOrder> orders;
  do {
    ConvOrder& order = orders.emplace_back();
    std::copy(whole.begin(), whole.end(), std::copy(cut.begin(), cut.end(), order.begin()));
  } while (std::next_permutation(cut.begin(), cut.end()));
  return orders;
}

LayerFloor::Outside LayerFloor::crossing_in_any_order(const ConvSizes& tile) {
  std::vector<std::int64_t> key = {-1};
  for (const ConvDim loop : kAllConvDims) {
    key.push_back(std::min(tile[index_of(loop)], view_.size(loop)));
  }
  const auto known = known_outside_.find(key);
  if (known != known_outside_.end()) return known->second;
  Outside least{INFINITY, std::numeric_limits<std::int64_t>::max()};
  for (const ConvOrder& order : different_orders(tile)) {
    const Outside one = crossing(tile, order);
    least = {std::min(least.energy_pj, one.energy_pj), std::min(least.cycles, one.cycles)};
  }
  remember(std::move(key), least);
  return least;
}

LayerFloor::Outside LayerFloor::outside(const TileBox& box, const std::optional<ConvOrder>& order) {
  if (!wanted_ || !two_memories_ || (!grows_evenly_ && !box.is_single())) return {};
  return order ? crossing_in(box.most, *order) : crossing_in_any_order(box.most);
}

// --- energy ---------------------------------------------------------------------------

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
