#include <algorithm>
#include <set>

#include "tiles.h"
#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// The loops that have something to choose.
bool has_steps(const ConvView& view, ConvDim loop) { return view.size(loop) > 1; }

std::uint64_t loops_with_steps(const ConvView& view) {
  return static_cast<std::uint64_t>(
      std::count_if(kAllConvDims.begin(), kAllConvDims.end(),
                    [&](ConvDim loop) { return has_steps(view, loop); }));
}

AxisFlexion exact(TopsAxis axis, std::uint64_t of_class, std::uint64_t supported,
                  std::uint64_t of_workload, std::uint64_t class_both, std::uint64_t both) {
  return {axis, of_class, supported, of_workload, {class_both, std::nullopt}, {both, std::nullopt}};
}

AxisFlexion order_flexion(const ConvView& view, const Flexibility& flexibility) {
  const std::uint64_t all = factorial(static_cast<int>(loops_with_steps(view)));
  if (flexibility.orders.empty()) {
    return exact(TopsAxis::Order, kAllOrders, kAllOrders, all, all, all);
  }
  std::set<std::vector<ConvDim>> different;
  for (const ConvOrder& order : flexibility.orders) {
    std::vector<ConvDim> loops(order.begin(), order.end());
    std::erase_if(loops, [&](ConvDim loop) { return !has_steps(view, loop); });
    different.insert(std::move(loops));
  }
  return exact(TopsAxis::Order, kAllOrders, flexibility.orders.size(), all, all, different.size());
}

AxisFlexion parallel_flexion(const ConvView& view, const Flexibility& flexibility) {
  const std::uint64_t loops = loops_with_steps(view);
  const std::uint64_t all = loops < 2 ? 0 : loops * (loops - 1);
  const std::vector<ConvPair> pairs = flexibility.pairs.empty() ? all_pairs() : flexibility.pairs;
  const auto useful = static_cast<std::uint64_t>(
      std::count_if(pairs.begin(), pairs.end(), [&](const ConvPair& pair) {
        return has_steps(view, pair.rows) && has_steps(view, pair.columns);
      }));
  const std::uint64_t both = std::min(all, std::max<std::uint64_t>(1, useful));
  return exact(TopsAxis::Parallel, kAllPairs, pairs.size(), all, all, both);
}

AxisFlexion shape_flexion(const ConvView& view, const Flexibility& flexibility, std::int64_t pes) {
  const ConvPair pair = flexibility.pairs.empty() ? all_pairs().front() : flexibility.pairs.front();
  const std::int64_t rows = view.size(pair.rows);
  const auto supported = static_cast<std::int64_t>(shapes_of(flexibility.shape, pes).size());
  const bool fixed = flexibility.shape.kind == ShapeFreedom::Kind::Fixed;
  const std::int64_t both =
      fixed ? 1 : std::min(supported, ceil_div(rows, flexibility.shape.unit.rows));
  const auto count = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  return exact(TopsAxis::Shape, count(pes), count(supported), count(rows),
               count(std::min(pes, rows)), count(both));
}

// What the tile axis needs of an architecture: the shares of its buffer.
Checked<std::vector<flexibility::Share>> buffer_shares(const Workload& workload,
                                                       const Architecture& arch, LevelId buffer) {
  const Checked<Problem> problem = Problem::create(workload, arch);
  if (!problem.ok()) return {std::nullopt, problem.problems};
  return flexibility::shares_of(*problem.value, buffer);
}

// What fits in a buffer: footprints, whatever the workload, and tiles of it.
struct Fitting {
  BigUint footprints;
  std::int64_t all_tiles = 1;
  TileShare tiles;
};

// Nothing, and no problem, if cancelled.
Checked<Fitting> fitting(const Workload& workload, const ConvView& view, const Architecture& arch,
                         LevelId buffer, const FlexionOptions& options) {
  Checked<std::vector<flexibility::Share>> shares = buffer_shares(workload, arch, buffer);
  if (!shares.ok()) return {std::nullopt, std::move(shares.problems)};
  const Checked<BigUint> footprints = flexibility::count_footprints(*shares.value);
  if (!footprints.ok()) return {std::nullopt, footprints.problems};
  const Checked<flexibility::Tiles> tiles = flexibility::Tiles::create(
      workload, view, arch.accounting == Accounting::Timeloop, std::move(*shares.value));
  if (!tiles.ok()) return {std::nullopt, tiles.problems};
  const auto count = tiles.value->count_fitting(options);
  if (!count) return {};
  return {Fitting{*footprints.value, tiles.value->all(), *count}, {}};
}

// An architecture whose buffer is shared out as its flexibility says.
Architecture shared_out(const Workload& workload, const Architecture& arch, std::int64_t pes) {
  const Flexibility& flexibility = *arch.flexibility;
  Setting setting;
  setting.shape = shapes_of(flexibility.shape, pes).front();
  setting.pair = all_pairs().front();
  return set_up(workload, arch, setting).arch;
}

Checked<AxisFlexion> tile_flexion(const Workload& workload, const ConvView& view,
                                  const Architecture& arch, const FlexibleParts& parts,
                                  const FlexionOptions& options) {
  Checked<Fitting> whole = fitting(workload, view, arch, parts.buffer, options);
  if (!whole.value) return {std::nullopt, std::move(whole.problems)};
  if (whole.value->footprints.is_zero()) {
    return {std::nullopt,
            {{{},
              name_of(arch.level(parts.buffer)) + " cannot hold one element of each tensor",
              "give it a larger capacity"}}};
  }
  AxisFlexion result{TopsAxis::Tile,          whole.value->footprints,
                     whole.value->footprints, static_cast<std::uint64_t>(whole.value->all_tiles),
                     whole.value->tiles,      whole.value->tiles};
  const TileFreedom::Kind kind = arch.flexibility->tile.kind;
  if (kind == TileFreedom::Kind::Fixed) {
    result.supported = 1;
    result.both = {1, std::nullopt};
  } else if (kind == TileFreedom::Kind::Hard) {
    Checked<Fitting> shared =
        fitting(workload, view, shared_out(workload, arch, parts.pes), parts.buffer, options);
    if (!shared.value) return {std::nullopt, std::move(shared.problems)};
    result.supported = shared.value->footprints;
    result.both = shared.value->tiles;
  }
  return {std::move(result), {}};
}

double share_of(const TileShare& part, const BigUint& all) {
  return all.is_zero() ? 1 : part.count.value() / all.value();
}

}  // namespace

double AxisFlexion::hardware() const { return supported.value() / of_class.value(); }

double AxisFlexion::workload() const { return share_of(both, of_workload); }

double AxisFlexion::class_workload() const { return share_of(class_both, of_workload); }

Checked<AxisFlexion> flexion_of(const Workload& workload, const Architecture& arch, TopsAxis axis,
                                const FlexionOptions& options) {
  Checked<ConvView> view = ConvView::create(workload);
  if (!view.ok()) return {std::nullopt, std::move(view.problems)};
  const Flexibility& flexibility = *arch.flexibility;
  const FlexibleParts parts = *parts_of(arch, flexibility);
  switch (axis) {
    case TopsAxis::Tile:
      return tile_flexion(workload, *view.value, arch, parts, options);
    case TopsAxis::Order:
      return {order_flexion(*view.value, flexibility), {}};
    case TopsAxis::Parallel:
      return {parallel_flexion(*view.value, flexibility), {}};
    case TopsAxis::Shape:
      break;
  }
  return {shape_flexion(*view.value, flexibility, parts.pes), {}};
}

}  // namespace tilewright
