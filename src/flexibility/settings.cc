#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// What may be unrolled over rows and columns with a pair.
struct Unrolling {
  std::vector<DimId> rows, columns;
};

template <typename Predicate>
bool has_rule(const Architecture& arch, LevelId array, Predicate predicate) {
  const std::string& name = name_of(arch.level(array));
  return std::any_of(arch.constraints.begin(), arch.constraints.end(),
                     [&](const Constraint& rule) { return rule.level == name && predicate(rule); });
}

class Enumeration {
 public:
  Enumeration(const Workload& workload, const Architecture& arch, const ConvView& view)
      : workload_(workload),
        view_(view),
        flexibility_(*arch.flexibility),
        arch_(arch),
        array_(parts_of(arch, flexibility_)->array),
        pes_(parts_of(arch, flexibility_)->pes),
        others_(physical_instances(arch, arch.compute_level()) / pes_ * arch.compute().macs),
        tile_(fixed_tile(workload, view, flexibility_)),
        tiles_pes_(parts_of(arch, flexibility_)->is_tile_of_pe()) {}

  std::vector<Setting> run() {
    const bool nest = shapes_nest(arch_);
    const auto shapes =
        nest ? largest_shapes(flexibility_.shape, pes_) : shapes_of(flexibility_.shape, pes_);
    for (const ConvPair& pair : useful_pairs()) {
      unrolling_ = {unrollable(view_.unrolled_with(pair.rows)),
                    unrollable(view_.unrolled_with(pair.columns))};
      seen_.clear();
      for (const ArrayShape& shape : nest ? useful_shapes(shapes) : shapes) {
        add_settings(pair, shape);
      }
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Setting& a, const Setting& b) {
      return a.least_cycles < b.least_cycles;
    });
    return std::move(found_);
  }

 private:
  // Those with something to unroll.
  std::vector<DimId> unrollable(std::vector<DimId> dims) const {
    std::erase_if(dims, [&](DimId dim) { return most_unrolled(dim) == 1; });
    return dims;
  }

  // The tile of each PE, if there is one, in a dimension; otherwise one step.
  std::int64_t extent_of_pe(DimId dim) const {
    if (!tiles_pes_) return 1;
    for (const FixedDim& fixed : tile_) {
      if (fixed.dim == dim) return fixed.extent;
    }
    return 1;
  }

  // PEs work on whole tiles.
  std::int64_t most_unrolled(DimId dim) const {
    return ceil_div(workload_.dim(dim).size, extent_of_pe(dim));
  }

  // Whether what runs on rows and columns runs as well with both exchanged: a
  // shape turned round is inside another one, and nothing tells rows from columns.
  bool turns() const {
    const auto& array = std::get<Fanout>(arch_.level(array_));
    return flexibility_.shape.kind == ShapeFreedom::Kind::Any && shapes_nest(arch_) &&
           array.x.dims == array.y.dims &&
           !has_rule(arch_, array_,
                     [](const Constraint& constraint) { return constraint.is_per_axis(); });
  }

  // Pairs that unroll the same dimensions are the same for this workload; and
  // where a shape can be turned round, so can a pair.
  std::vector<ConvPair> useful_pairs() const {
    const std::vector<ConvPair> pairs =
        flexibility_.pairs.empty() ? all_pairs() : flexibility_.pairs;
    const bool turned_too = turns();
    using Key = std::pair<std::vector<DimId>, std::vector<DimId>>;
    std::vector<Key> seen;
    std::vector<ConvPair> useful;
    for (const ConvPair& pair : pairs) {
      Key key{unrollable(view_.unrolled_with(pair.rows)),
              unrollable(view_.unrolled_with(pair.columns))};
      const Key turned{key.second, key.first};
      const auto is_known = [&](const Key& other) { return contains(seen, other); };
      if (is_known(key) || (turned_too && is_known(turned))) continue;
      useful.push_back(pair);
      seen.push_back(std::move(key));
    }
    return useful;
  }

  Int128 extent_of(const std::vector<DimId>& dims) const {
    Int128 size = 1;
    for (const DimId dim : dims) size *= workload_.dim(dim).size;
    return size;
  }

  std::int64_t most_unrolled(const std::vector<DimId>& dims) const {
    Int128 most = 1;
    for (const DimId dim : dims) most *= most_unrolled(dim);
    return narrowed(most);
  }

  // Rows or columns that nothing can fill make no difference: of shapes that
  // are the same but for those, and of those that another contains, one is enough.
  std::vector<ArrayShape> useful_shapes(const std::vector<ArrayShape>& shapes) const {
    const std::int64_t rows = most_unrolled(unrolling_.rows);
    const std::int64_t columns = most_unrolled(unrolling_.columns);
    std::vector<ArrayShape> useful;
    const auto usable = [&](const ArrayShape& shape) {
      return ArrayShape{std::min(shape.rows, rows), std::min(shape.columns, columns)};
    };
    for (const ArrayShape& shape : shapes) {
      const ArrayShape mine = usable(shape);
      const bool contained =
          std::any_of(shapes.begin(), shapes.end(), [&](const ArrayShape& other) {
            const ArrayShape theirs = usable(other);
            const bool larger = theirs.rows >= mine.rows && theirs.columns >= mine.columns;
            return larger && (theirs != mine || other < shape);
          });
      if (!contained) useful.push_back(shape);
    }
    return useful;
  }

  void add_settings(const ConvPair& pair, const ArrayShape& shape) {
    Setting setting;
    setting.shape = shape;
    setting.pair = pair;
    if (tile_.empty() || tiles_pes_) {
      setting.least_cycles = least_cycles(shape, {});
      if (!tile_.empty()) {
        setting.least_cycles = std::max(setting.least_cycles, least_cycles_of_tiles(shape));
      }
      add_orders(setting);
      return;
    }
    std::vector<FixedDim> open;
    for (const FixedDim& dim : tile_) {
      const bool unrolls =
          contains(unrolling_.rows, dim.dim) || contains(unrolling_.columns, dim.dim);
      if (unrolls && dim.cuts) open.push_back(dim);
    }
    shape_matters_ = !shapes_nest(arch_) || open.size() < count_unrolling();
    choose_unrolled(setting, open, 0, 1, 1);
  }

  // Dimensions that rows or columns can unroll.
  std::size_t count_unrolling() const {
    std::size_t count = unrolling_.rows.size();
    for (const DimId dim : unrolling_.columns) count += contains(unrolling_.rows, dim) ? 0 : 1;
    return count;
  }

  // Every way to unroll the dimensions that a fixed tile cuts.
  void choose_unrolled(Setting& setting, const std::vector<FixedDim>& open, std::size_t next,
                       std::int64_t rows, std::int64_t columns) {
    if (next == open.size()) {
      // Where the tile decides on everything, the shape makes no difference.
      if (!shape_matters_ && !seen_.insert(key_of(setting.unrolled)).second) return;
      setting.least_cycles = least_cycles(setting.shape, setting.unrolled);
      add_orders(setting);
      return;
    }
    const FixedDim& dim = open[next];
    const bool on_rows = contains(unrolling_.rows, dim.dim);
    const bool on_columns = contains(unrolling_.columns, dim.dim);
    for (std::int64_t r = on_rows ? dim.extent : 1; r >= 1; --r) {
      if (dim.extent % r != 0 || rows * r > setting.shape.rows) continue;
      const std::int64_t rest = dim.extent / r;
      for (std::int64_t c = on_columns ? rest : 1; c >= 1; --c) {
        if (rest % c != 0 || columns * c > setting.shape.columns) continue;
        setting.unrolled.push_back({dim.dim, r, c});
        choose_unrolled(setting, open, next + 1, rows * r, columns * c);
        setting.unrolled.pop_back();
      }
    }
  }

  static std::vector<std::int64_t> key_of(const std::vector<Setting::Unrolled>& unrolled) {
    std::vector<std::int64_t> key;
    for (const Setting::Unrolled& dim : unrolled) {
      key.insert(key.end(), {index_of(dim.dim), dim.rows, dim.columns});
    }
    return key;
  }

  // No mapping takes fewer steps: what is unrolled over an axis has no more
  // instances than it.
  Int128 least_cycles(const ArrayShape& shape,
                      const std::vector<Setting::Unrolled>& unrolled) const {
    Int128 steps = 1;
    std::vector<DimId> rows, columns;
    auto [free_rows, free_columns] = shape;
    for (int d = 0; d < workload_.dim_count(); ++d) {
      const DimId dim{d};
      const auto fixed = std::find_if(unrolled.begin(), unrolled.end(),
                                      [&](const Setting::Unrolled& u) { return u.dim == dim; });
      const bool on_rows = contains(unrolling_.rows, dim);
      const bool on_columns = contains(unrolling_.columns, dim);
      if (fixed != unrolled.end()) {
        steps *= ceil_div(workload_.dim(dim).size, fixed->rows * fixed->columns);
        free_rows /= fixed->rows;
        free_columns /= fixed->columns;
      } else if (on_rows || on_columns) {
        if (on_rows) rows.push_back(dim);
        if (on_columns) columns.push_back(dim);
      } else {
        steps *= workload_.dim(dim).size;
      }
    }
    return ceil_div(steps * least_steps_of(rows, columns, free_rows, free_columns), others_);
  }

  // With the tile of each PE no mapping takes fewer steps than those of the PE with the most
  // tiles, dimension by dimension, were all instances for each of them.
  Int128 least_cycles_of_tiles(const ArrayShape& shape) const {
    Int128 steps = 1;
    for (int d = 0; d < workload_.dim_count(); ++d) {
      const DimId dim{d};
      const std::int64_t rows = contains(unrolling_.rows, dim) ? shape.rows : 1;
      const std::int64_t columns = contains(unrolling_.columns, dim) ? shape.columns : 1;
      steps *= least_steps_in(dim, rows * columns);
    }
    return ceil_div(steps, others_);
  }

  // If there are n tiles, all but the last of which are whole, the busiest of so many instances has
  // ceil(n / instances); the last may be one of these if no other instance has as many.
  std::int64_t least_steps_in(DimId dim, std::int64_t instances) const {
    const std::int64_t size = workload_.dim(dim).size;
    const std::int64_t extent = extent_of_pe(dim);
    const std::int64_t tiles = ceil_div(size, extent);
    const std::int64_t rounds = ceil_div(tiles, instances);
    const bool is_last_alone = tiles - (rounds - 1) * instances == 1;
    return is_last_alone ? (rounds - 1) * extent + size - (tiles - 1) * extent : rounds * extent;
  }

  Int128 least_steps_of(const std::vector<DimId>& rows, const std::vector<DimId>& columns,
                        std::int64_t free_rows, std::int64_t free_columns) const {
    std::vector<DimId> both = rows;
    for (const DimId dim : columns) {
      if (!contains(both, dim)) both.push_back(dim);
    }
    if (both.size() == rows.size() + columns.size()) {
      return ceil_div(extent_of(rows), free_rows) * ceil_div(extent_of(columns), free_columns);
    }
    return ceil_div(extent_of(both), free_rows * free_columns);
  }

  void add_orders(const Setting& setting) {
    if (flexibility_.orders.empty()) found_.push_back(setting);
    for (const ConvOrder& order : useful_orders()) {
      found_.push_back(setting);
      found_.back().order = order;
    }
  }

  // Orders that differ in loops which run once are the same.
  std::vector<ConvOrder> useful_orders() const {
    std::vector<std::vector<ConvDim>> seen;
    std::vector<ConvOrder> useful;
    for (const ConvOrder& order : flexibility_.orders) {
      std::vector<ConvDim> loops(order.begin(), order.end());
      std::erase_if(loops, [&](ConvDim loop) { return view_.size(loop) == 1; });
      if (contains(seen, loops)) continue;
      seen.push_back(std::move(loops));
      useful.push_back(order);
    }
    return useful;
  }

  const Workload& workload_;
  const ConvView& view_;
  const Flexibility& flexibility_;
  const Architecture& arch_;
  LevelId array_;
  std::int64_t pes_;
  std::int64_t others_;  // multipliers in and around each PE: other fan-outs', and its own
  std::vector<FixedDim> tile_;
  bool tiles_pes_;  // a fixed tile is that of each PE
  Unrolling unrolling_;
  bool shape_matters_ = true;
  std::set<std::vector<std::int64_t>> seen_;  // of this pair
  std::vector<Setting> found_;
};

}  // namespace

bool shapes_nest(const Architecture& arch) {
  const LevelId array = parts_of(arch, *arch.flexibility)->array;
  for (int i = index_of(array); i < arch.level_count(); ++i) {
    const auto* memory = std::get_if<Memory>(&arch.level(LevelId{i}));
    const bool leaks = memory != nullptr && memory->leakage_pj_per_cycle > 0;
    if (leaks && arch.leaking == LeakingInstances::All) return false;
  }
  return !has_rule(arch, array, [](const Constraint& constraint) {
    return std::holds_alternative<UseRule>(constraint.rule);
  });
}

std::string to_string(const Setting& setting) {
  return fmt::format("{} array, rows {}, columns {}, order {}", to_string(setting.shape),
                     letter_of(setting.pair.rows), letter_of(setting.pair.columns),
                     setting.order ? to_string(*setting.order) : "any");
}

Checked<std::vector<Setting>> settings_of(const Workload& workload, const Architecture& arch) {
  Checked<ConvView> view = ConvView::create(workload);
  if (!view.ok()) return {std::nullopt, std::move(view.problems)};
  return {Enumeration(workload, arch, *view.value).run(), {}};
}

}  // namespace tilewright
