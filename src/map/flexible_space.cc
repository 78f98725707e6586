// The mappings of all settings of a flexible accelerator. A mapping may be one of several
// settings, so the spaces of settings are counted one by one, and their union by the principle of
// inclusion and exclusion: what settings have in common is the space of an array that is as
// large and as free as all of them allow.
#include <algorithm>
#include <set>

#include "base/deadline.h"
#include "parts.h"

namespace tilewright {

namespace {

// What tells the mappings of a setting from those of another: the array that they need.
struct Region {
  ArrayShape shape;
  std::set<int> rows, columns;           // dimensions that may be unrolled, larger than 1
  std::vector<Setting::Unrolled> fixed;  // by dimension; of a fixed tile
  std::size_t example = 0;               // a setting that is larger

  auto key() const {
    std::vector<std::int64_t> bounds;
    for (const Setting::Unrolled& dim : fixed) {
      bounds.insert(bounds.end(), {index_of(dim.dim), dim.rows, dim.columns});
    }
    return std::tuple(bounds, rows, columns, shape);
  }
  bool contains(const Region& other) const {
    return fixed == other.fixed && shape.rows >= other.shape.rows &&
           shape.columns >= other.shape.columns && includes(rows, other.rows) &&
           includes(columns, other.columns);
  }
  static bool includes(const std::set<int>& all, const std::set<int>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  }
};

class SpaceOfSettings {
 public:
  // `nest`: see shapes_nest(); where shapes do not, no space is counted as one of another shape.
  SpaceOfSettings(const Workload& workload, const Architecture& arch, const MapOptions& options,
                  bool nest)
      : workload_(workload),
        arch_(arch),
        options_(options),
        view_(*ConvView::create(workload).value),
        nest_(nest),
        deadline_(options.limits.seconds, options.limits.cancelled) {}

  FlexibleSpace run(const std::vector<Setting>& settings) {
    FlexibleSpace result;
    for (const Setting& setting : settings) {
      if (deadline_.has_passed()) break;
      const BigUint count = size_of(region_of(setting, result.settings.size()), setting, result);
      result.settings.push_back({setting, count});
      result.sum += count;
    }
    result.complete = result.settings.size() == settings.size() && !result.too_large;
    if (result.complete && nest_ && has_one_order(result)) count_all(result);
    return result;
  }

 private:
  std::set<int> unrolled_with(ConvDim loop) const {
    std::set<int> dims;
    for (const DimId dim : view_.unrolled_with(loop)) {
      if (workload_.dim(dim).size > 1) dims.insert(index_of(dim));
    }
    return dims;
  }

  Region region_of(const Setting& setting, std::size_t number) const {
    Region region{setting.shape,
                  unrolled_with(setting.pair.rows),
                  unrolled_with(setting.pair.columns),
                  {},
                  number};
    // The tile of a PE leaves the array as free as no tile does.
    const bool shared_out = !parts_of(arch_, *arch_.flexibility)->is_tile_of_pe();
    for (const FixedDim& dim : fixed_tile(workload_, view_, *arch_.flexibility)) {
      if (!dim.cuts || !shared_out) continue;
      Setting::Unrolled bounds{dim.dim, 1, 1};
      for (const Setting::Unrolled& known : setting.unrolled) {
        if (known.dim == dim.dim) bounds = known;
      }
      region.fixed.push_back(bounds);
      // What is fixed says itself how it is unrolled.
      region.rows.erase(index_of(dim.dim));
      region.columns.erase(index_of(dim.dim));
    }
    settle(region);
    return region;
  }

  // An axis is no larger than what may be unrolled over it.
  void settle(Region& region) const {
    if (!nest_) return;
    std::int64_t rows = 1, columns = 1;
    const auto grow = [](std::int64_t& axis, std::int64_t by) {
      axis = narrowed(Int128{axis} * by);
    };
    for (const int d : region.rows) grow(rows, workload_.dim(DimId{d}).size);
    for (const int d : region.columns) grow(columns, workload_.dim(DimId{d}).size);
    for (const Setting::Unrolled& dim : region.fixed) {
      grow(rows, dim.rows);
      grow(columns, dim.columns);
    }
    region.shape = {std::min(region.shape.rows, rows), std::min(region.shape.columns, columns)};
  }

  // The constraints of a setting that contains the region, and those of the region. 0 if it is
  // empty.
  BigUint size_of(const Region& region, const Setting& example, FlexibleSpace& result) const {
    SetUp set = set_up(workload_, arch_, example);
    const FlexibleParts parts = *parts_of(arch_, *arch_.flexibility);
    auto& array = std::get<Fanout>(set.arch.levels[at(parts.array)]);
    array.y.size = region.shape.rows;
    array.x.size = region.shape.columns;
    forbid_all_but(region, region.rows, Axis::Y, array.name, set.constraints);
    forbid_all_but(region, region.columns, Axis::X, array.name, set.constraints);
    const Evenness evenness = map::evenness_of_setting(arch_, options_.evenness, set.arch);
    const Checked<Problem> problem = Problem::create(workload_, set.arch);
    std::vector<Constraint> constraints = options_.constraints;
    append(constraints, set.constraints);
    if (!problem.ok()) return refuse(problem.problems, result);
    const Checked<Restrictions> rules = Restrictions::create(*problem.value, constraints);
    if (!rules.ok()) return refuse(rules.problems, result);
    const MadeSpace space =
        MapSpace::create(*problem.value, options_.space, *rules.value, &deadline_);
    if (space.ok() && evenness != Evenness::Even) {
      const UnevenSize all = count_uneven(*problem.value, options_.space, constraints,
                                          uneven_memories(*problem.value, evenness));
      return all.ok() ? *all.value : refuse(all.problems, result);
    }
    if (space.ok()) return space.value->size();
    if (space.too_large) return refuse(space.problems, result);
    if (result.problems.empty()) result.problems = space.problems;
    return 0;
  }

  static BigUint refuse(const std::vector<Diagnostic>& problems, FlexibleSpace& result) {
    if (!result.too_large) result.problems = problems;
    result.too_large = true;
    return 0;
  }

  void forbid_all_but(const Region& region, const std::set<int>& dims, Axis axis,
                      const std::string& array, std::vector<Constraint>& constraints) const {
    DimsRule rule;
    for (const int d : dims) rule.dims.push_back(workload_.dim(DimId{d}).name);
    for (const Setting::Unrolled& dim : region.fixed) {
      rule.dims.push_back(workload_.dim(dim.dim).name);
    }
    constraints.push_back({array, axis, std::move(rule), {}});
  }

  static bool has_one_order(const FlexibleSpace& result) {
    return std::all_of(result.settings.begin(), result.settings.end(), [&](const auto& one) {
      return one.setting.order == result.settings.front().setting.order;
    });
  }

  // What two regions have in common; nothing if their tiles are unrolled in different ways.
  std::optional<Region> common(const Region& a, const Region& b) const {
    if (a.fixed != b.fixed) return std::nullopt;
    Region both{{std::min(a.shape.rows, b.shape.rows), std::min(a.shape.columns, b.shape.columns)},
                {},
                {},
                a.fixed,
                a.example};
    std::set_intersection(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                          std::inserter(both.rows, both.rows.end()));
    std::set_intersection(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                          std::inserter(both.columns, both.columns.end()));
    settle(both);
    return both;
  }

  // All regions, and all that any of them have in common. Nothing if these are too many.
  std::optional<std::vector<Region>> closure(const FlexibleSpace& result) const {
    constexpr std::size_t kMost = 20'000;
    std::vector<Region> regions;
    std::set<decltype(Region{}.key())> seen;
    const auto add = [&](Region region) {
      if (seen.insert(region.key()).second) regions.push_back(std::move(region));
    };
    for (std::size_t i = 0; i < result.settings.size(); ++i) {
      add(region_of(result.settings[i].setting, i));
    }
    for (std::size_t i = 0; i < regions.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (auto both = common(regions[i], regions[j])) add(std::move(*both));
        if (regions.size() > kMost || deadline_.has_passed()) return std::nullopt;
      }
    }
    return regions;
  }

  // Every mapping is in those regions that contain the smallest which has it; the weights
  // of these add up to one.
  void count_all(FlexibleSpace& result) const {
    auto regions = closure(result);
    if (!regions) return;
    const auto size = [](const Region& region) {
      return static_cast<std::int64_t>(region.rows.size() + region.columns.size()) +
             region.shape.rows + region.shape.columns;
    };
    std::stable_sort(regions->begin(), regions->end(),
                     [&](const Region& a, const Region& b) { return size(a) > size(b); });
    BigUint added, taken;
    std::vector<std::int64_t> weights;
    for (std::size_t i = 0; i < regions->size(); ++i) {
      std::int64_t weight = 1;
      for (std::size_t j = 0; j < i; ++j) {
        if ((*regions)[j].contains((*regions)[i])) weight -= weights[j];
      }
      weights.push_back(weight);
      if (weight == 0) continue;
      if (deadline_.has_passed()) return;
      const Region& region = (*regions)[i];
      BigUint count = size_of(region, result.settings[region.example].setting, result);
      count *= static_cast<std::uint64_t>(std::abs(weight));
      (weight > 0 ? added : taken) += count;
    }
    if (!result.too_large) result.different = added - taken;
  }

  const Workload& workload_;
  const Architecture& arch_;
  const MapOptions& options_;
  ConvView view_;
  bool nest_;
  Deadline deadline_;
};

}  // namespace

Checked<FlexibleSpace> count_flexible_space(const Workload& workload, const Architecture& arch,
                                            const MapOptions& options) {
  auto found = map::settings_to_search(workload, arch, options.constraints);
  if (!found.ok()) return {std::nullopt, std::move(found.problems)};
  const bool nest = shapes_nest(found.value->constrained);
  return {SpaceOfSettings(workload, arch, options, nest).run(found.value->settings), {}};
}

}  // namespace tilewright
