#include <algorithm>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

class Builder {
 public:
  Builder(const Workload& workload, const Architecture& arch, const Setting& setting)
      : workload_(workload),
        view_(*ConvView::create(workload).value),
        flexibility_(*arch.flexibility),
        parts_(*parts_of(arch, flexibility_)),
        setting_(setting) {
    result_.arch = arch;
    result_.arch.flexibility.reset();
  }

  SetUp build() {
    shape_array();
    share_out_buffer();
    if (setting_.order) order_loops();
    for (const FixedDim& dim : fixed_tile(workload_, view_, flexibility_)) fix(dim);
    return std::move(result_);
  }

 private:
  Level& level(LevelId id) { return result_.arch.levels[at(id)]; }

  template <typename Rule>
  void add(LevelId at, std::optional<Axis> axis, Rule rule) {
    result_.constraints.push_back({name_of(level(at)), axis, std::move(rule), {}});
  }

  std::vector<std::string> names_of(const std::vector<DimId>& dims) const {
    std::vector<std::string> names;
    for (const DimId dim : dims) names.push_back(workload_.dim(dim).name);
    return names;
  }

  void shape_array() {
    auto& array = std::get<Fanout>(level(parts_.array));
    array.y.size = setting_.shape.rows;
    array.x.size = setting_.shape.columns;
    add(parts_.array, Axis::Y, DimsRule{names_of(view_.unrolled_with(setting_.pair.rows))});
    add(parts_.array, Axis::X, DimsRule{names_of(view_.unrolled_with(setting_.pair.columns))});
  }

  void share_out_buffer() {
    if (flexibility_.tile.kind != TileFreedom::Kind::Hard) return;
    auto& buffer = std::get<Memory>(level(parts_.buffer));
    constexpr std::array<const char*, 3> kRoles = {"weight", "input", "output"};
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
      const Rational& share = flexibility_.tile.shares[i];
      Capacity part = buffer.capacity;
      part.amount = static_cast<std::int64_t>(static_cast<Int128>(part.amount) * share.numerator /
                                              share.denominator);
      buffer.partitions[kRoles[i]] = part;
    }
  }

  // The same order for all memories outside the array; what is no loop of a
  // convolution comes first.
  void order_loops() {
    const std::vector<DimId> order = view_.dims_in(*setting_.order);
    for (int i = 0; i < index_of(parts_.array); ++i) {
      if (!std::holds_alternative<Memory>(level(LevelId{i}))) continue;
      add(LevelId{i}, {}, OrderRule{names_of(order), {}});
    }
  }

  void fix_bound(LevelId at, std::optional<Axis> axis, DimId dim, std::int64_t bound) {
    add(at, axis, FactorRule{workload_.dim(dim).name, FactorRule::Relation::Equal, bound});
  }

  // No loop of a dimension at a level, and no unrolling.
  void keep_from(LevelId at, DimId dim) {
    if (std::holds_alternative<Memory>(level(at))) fix_bound(at, {}, dim, 1);
    if (!std::holds_alternative<Fanout>(level(at))) return;
    for (const Axis axis : {Axis::X, Axis::Y}) fix_bound(at, axis, dim, 1);
  }

  // A tile that holds a whole dimension leaves no loop of it outside. One that
  // cuts it is stepped through by the buffer and the array alone, or by one memory of each PE.
  void fix(const FixedDim& fixed) {
    if (workload_.dim(fixed.dim).size == 1) return;
    if (!fixed.cuts) {
      for (int i = 0; i < index_of(parts_.tile); ++i) keep_from(LevelId{i}, fixed.dim);
      return;
    }
    if (!parts_.is_tile_of_pe()) return share_out_tile(fixed);
    fix_bound(parts_.tile, {}, fixed.dim, fixed.extent);
    for (int i = index_of(parts_.tile) + 1; i < result_.arch.level_count(); ++i) {
      keep_from(LevelId{i}, fixed.dim);
    }
  }

  void share_out_tile(const FixedDim& fixed) {
    Setting::Unrolled unrolled{fixed.dim, 1, 1};
    for (const Setting::Unrolled& candidate : setting_.unrolled) {
      if (candidate.dim == fixed.dim) unrolled = candidate;
    }
    fix_unrolled(fixed.dim, Axis::Y, setting_.pair.rows, unrolled.rows);
    fix_unrolled(fixed.dim, Axis::X, setting_.pair.columns, unrolled.columns);
    fix_bound(parts_.buffer, {}, fixed.dim, fixed.extent / (unrolled.rows * unrolled.columns));
    for (int i = index_of(parts_.buffer) + 1; i < result_.arch.level_count(); ++i) {
      if (LevelId{i} != parts_.array) keep_from(LevelId{i}, fixed.dim);
    }
  }

  // The dims rule of the axis keeps all others from it.
  void fix_unrolled(DimId dim, Axis axis, ConvDim loop, std::int64_t bound) {
    const std::vector<DimId> dims = view_.unrolled_with(loop);
    if (!contains(dims, dim)) return;
    fix_bound(parts_.array, axis, dim, bound);
  }

  const Workload& workload_;
  ConvView view_;
  const Flexibility& flexibility_;
  FlexibleParts parts_;
  const Setting& setting_;
  SetUp result_;
};

}  // namespace

std::vector<FixedDim> fixed_tile(const Workload& workload, const ConvView& view,
                                 const Flexibility& flexibility) {
  std::vector<FixedDim> tile;
  if (flexibility.tile.kind != TileFreedom::Kind::Fixed) return tile;
  for (const ConvDim loop : kAllConvDims) {
    std::int64_t left = flexibility.tile.fixed[index_of(loop)];
    for (auto dim = view.dims(loop).rbegin(); dim != view.dims(loop).rend(); ++dim) {
      const std::int64_t size = workload.dim(*dim).size;
      tile.push_back({*dim, std::min(size, left), left < size});
      left = std::max<std::int64_t>(1, left / size);
    }
  }
  for (const DimId dim : view.others()) tile.push_back({dim, 1, workload.dim(dim).size > 1});
  return tile;
}

SetUp set_up(const Workload& workload, const Architecture& arch, const Setting& setting) {
  return Builder(workload, arch, setting).build();
}

std::optional<SetUp> outside_of_array(const Workload& workload, const Architecture& arch,
                                      const std::optional<ConvOrder>& order) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  Setting single;
  single.shape = {1, 1};
  single.pair = {ConvDim::K, ConvDim::C};
  single.order = order;
  SetUp outside = set_up(workload, arch, single);
  auto& levels = outside.arch.levels;
  levels.erase(levels.begin() + index_of(parts.array), levels.end() - 1);
  for (const Level& level : levels) {
    if (std::holds_alternative<Fanout>(level)) return std::nullopt;
  }
  if (index_of(parts.buffer) != index_of(parts.array) - 1 || index_of(parts.buffer) == 0 ||
      !std::get<Memory>(arch.level(parts.buffer)).keeps_everything()) {
    return std::nullopt;
  }
  // What the buffer may not step through, the array may: the buffer stands for
  // both here, and keeps to the setting alone. For the tile of a PE it stands, too.
  auto& buffer = std::get<Memory>(levels[at(parts.buffer)]);
  buffer.dims.reset();
  std::erase_if(outside.arch.constraints, [&](const Constraint& constraint) {
    return constraint.level == buffer.name || !outside.arch.find_level(constraint.level);
  });
  std::erase_if(outside.constraints, [&](const Constraint& constraint) {
    const bool of_tile = parts.is_tile_of_pe() && constraint.level == buffer.name &&
                         std::holds_alternative<FactorRule>(constraint.rule);
    return of_tile || !outside.arch.find_level(constraint.level);
  });
  return outside;
}

}  // namespace tilewright
