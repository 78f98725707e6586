#include "certificate/set_up.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

class RuleWriter {
 public:
  RuleWriter(const Workload& workload, const Architecture& arch, const Loops& loops,
             const FlexibleParts& parts)
      : workload_(workload), arch_(arch), loops_(loops), parts_(parts) {}

  void unroll(Axis axis, ConvDim loop) {
    add(parts_.array, axis, DimsRule{names(loops_.unrolled_with(loop))});
  }

  void put_in_order(const ConvOrder& order) {
    for (int i = 0; i < index_of(parts_.array); ++i) {
      if (!is_memory(i)) continue;
      add(LevelId{i}, {}, OrderRule{names(loops_.in_order(order)), {}});
    }
  }

  // The tile holds all of the dimension, so nothing outside its memory steps through it.
  void hold(int dim) {
    for (int i = 0; i < index_of(parts_.tile); ++i) bar(i, dim);
  }

  // The tile of a PE cuts the dimension: one memory steps through all that the PE gets.
  void give_to_pe(const TiledDim& tiled) {
    set(index_of(parts_.tile), {}, tiled.dim, tiled.extent);
    for (int i = index_of(parts_.tile) + 1; i < arch_.level_count(); ++i) bar(i, tiled.dim);
  }

  // The tile cuts the dimension: the buffer and the array step through what it holds.
  void cut(const TiledDim& tiled, const ArraySetting& setting) {
    ArraySetting::Share share{tiled.dim, 1, 1};
    for (const ArraySetting::Share& known : setting.shares) {
      if (known.dim == tiled.dim) share = known;
    }
    set(index_of(parts_.array), Axis::Y, tiled.dim, share.rows);
    set(index_of(parts_.array), Axis::X, tiled.dim, share.columns);
    set(index_of(parts_.buffer), {}, tiled.dim, tiled.extent / (share.rows * share.columns));
    for (int i = index_of(parts_.buffer) + 1; i < arch_.level_count(); ++i) {
      if (i != index_of(parts_.array)) bar(i, tiled.dim);
    }
  }

  std::vector<Constraint> take() { return std::move(rules_); }

 private:
  template <typename Rule>
  void add(LevelId level, std::optional<Axis> axis, Rule rule) {
    rules_.push_back({name_of(arch_.level(level)), axis, std::move(rule), {}});
  }

  std::vector<std::string> names(const std::vector<int>& dims) const {
    std::vector<std::string> found;
    for (const int dim : dims) found.push_back(workload_.dims[at(dim)].name);
    return found;
  }

  bool is_memory(int level) const {
    return std::holds_alternative<Memory>(arch_.level(LevelId{level}));
  }

  void set(int level, std::optional<Axis> axis, int dim, std::int64_t bound) {
    add(LevelId{level}, axis,
        FactorRule{workload_.dims[at(dim)].name, FactorRule::Relation::Equal, bound});
  }

  void bar(int level, int dim) {
    if (is_memory(level)) return set(level, {}, dim, 1);
    if (!std::holds_alternative<Fanout>(arch_.level(LevelId{level}))) return;
    set(level, Axis::Y, dim, 1);
    set(level, Axis::X, dim, 1);
  }

  const Workload& workload_;
  const Architecture& arch_;
  const Loops& loops_;
  const FlexibleParts& parts_;
  std::vector<Constraint> rules_;
};

}  // namespace

void shape_hardware(const Flexibility& freedom, const FlexibleParts& parts,
                    const ArraySetting& setting, Architecture& arch) {
  auto& array = std::get<Fanout>(arch.levels[at(index_of(parts.array))]);
  array.y.size = setting.shape.rows;
  array.x.size = setting.shape.columns;
  if (freedom.tile.kind != TileFreedom::Kind::Hard) return;
  auto& buffer = std::get<Memory>(arch.levels[at(index_of(parts.buffer))]);
  const auto part = [&](const Rational& share) {
    const Int128 amount = times(buffer.capacity.amount, share.numerator) / share.denominator;
    return Capacity{buffer.capacity.unit, static_cast<std::int64_t>(amount)};
  };
  buffer.partitions = {{"weight", part(freedom.tile.shares[0])},
                       {"input", part(freedom.tile.shares[1])},
                       {"output", part(freedom.tile.shares[2])}};
}

std::vector<Constraint> rules_of(const Workload& workload, const Architecture& arch,
                                 const Loops& loops, const std::vector<TiledDim>& tile,
                                 const FlexibleParts& parts, const ArraySetting& setting) {
  RuleWriter writer(workload, arch, loops, parts);
  writer.unroll(Axis::Y, setting.pair.rows);
  writer.unroll(Axis::X, setting.pair.columns);
  if (setting.order) writer.put_in_order(*setting.order);
  for (const TiledDim& tiled : tile) {
    if (!tiled.is_cut) {
      writer.hold(tiled.dim);
    } else if (parts.tile > parts.array) {
      writer.give_to_pe(tiled);
    } else {
      writer.cut(tiled, setting);
    }
  }
  return writer.take();
}

}  // namespace tilewright::certificate
