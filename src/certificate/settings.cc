#include "certificate/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "certificate/points.h"
#include "certificate/set_up.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

constexpr std::size_t kMostSettings = std::size_t{1} << 16;

bool is_member(const std::vector<int>& dims, int dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// Adds a key unless it is known; true if it was new.
template <typename Key>
bool is_new(std::vector<Key>& seen, Key key) {
  if (std::find(seen.begin(), seen.end(), key) != seen.end()) return false;
  seen.push_back(std::move(key));
  return true;
}

}  // namespace

Settings::Settings(const Workload& workload, const Architecture& arch,
                   const std::vector<Constraint>& constraints)
    : workload_(workload),
      arch_(arch),
      constraints_(constraints),
      freedom_(*arch.flexibility),
      parts_(parts_of(arch, *arch.flexibility).value()),
      loops_(loops_of(workload)),
      tile_(tiled_dims(workload, loops_, freedom_.tile)) {
  for (const ConvPair& pair : pairs()) {
    for (const std::optional<ConvOrder>& order : orders()) add_all(pair, order);
  }
}

bool Settings::is_longer_than_one(int dim) const { return workload_.dims[at(dim)].size > 1; }

std::vector<int> Settings::looped(std::vector<int> dims) const {
  std::erase_if(dims, [&](int dim) { return !is_longer_than_one(dim); });
  return dims;
}

std::int64_t Settings::points_of(const std::vector<int>& dims) const {
  Count points = 1;
  for (const int dim : dims) points *= workload_.dims[at(dim)].size;
  return narrow(points);
}

bool Settings::has_rule_for_use() const {
  const auto asks = [&](const Constraint& constraint) {
    return constraint.level == tilewright::name_of(arch_.level(parts_.array)) &&
           std::holds_alternative<UseRule>(constraint.rule);
  };
  return std::any_of(arch_.constraints.begin(), arch_.constraints.end(), asks) ||
         std::any_of(constraints_.begin(), constraints_.end(), asks);
}

// Whatever PEs do not take part costs nothing, and none of them has to.
bool Settings::nests() const {
  if (has_rule_for_use()) return false;
  if (arch_.leaking == LeakingInstances::Used) return true;
  return std::none_of(arch_.levels.begin(), arch_.levels.end(), [](const Level& level) {
    const auto* memory = std::get_if<Memory>(&level);
    return memory != nullptr && memory->leakage_pj_per_cycle > 0;
  });
}

// With r rows there are floor(PEs / r) columns, so that a shape turned round is inside another.
bool Settings::turns() const {
  const auto& array = std::get<Fanout>(arch_.level(parts_.array));
  const auto has_axis = [&](const Constraint& constraint) {
    return constraint.level == array.name && constraint.axis.has_value();
  };
  return freedom_.shape.kind == ShapeFreedom::Kind::Any && nests() &&
         array.x.dims == array.y.dims &&
         std::none_of(arch_.constraints.begin(), arch_.constraints.end(), has_axis) &&
         std::none_of(constraints_.begin(), constraints_.end(), has_axis);
}

// Those that unroll other dimensions than the pairs before them.
std::vector<ConvPair> Settings::pairs() const {
  using Key = std::pair<std::vector<int>, std::vector<int>>;
  std::vector<Key> seen;
  std::vector<ConvPair> found;
  for (const ConvPair& pair : freedom_.pairs.empty() ? all_pairs() : freedom_.pairs) {
    const Key key{looped(loops_.unrolled_with(pair.rows)),
                  looped(loops_.unrolled_with(pair.columns))};
    const Key turned{key.second, key.first};
    const bool known = turns() && std::find(seen.begin(), seen.end(), turned) != seen.end();
    if (!known && is_new(seen, key)) found.push_back(pair);
  }
  return found;
}

// Loops of one iteration are no loops.
std::vector<std::optional<ConvOrder>> Settings::orders() const {
  if (freedom_.orders.empty()) return {std::nullopt};
  std::vector<std::vector<int>> seen;
  std::vector<std::optional<ConvOrder>> found;
  for (const ConvOrder& order : freedom_.orders) {
    if (is_new(seen, looped(loops_.in_order(order)))) found.emplace_back(order);
  }
  return found;
}

// Rows and columns that the workload cannot fill are as good as not there.
std::vector<ArrayShape> Settings::shapes(const ConvPair& pair) const {
  std::vector<ArrayShape> all = shapes_of(freedom_.shape, parts_.pes);
  if (!nests()) return all;
  const std::int64_t most_rows = points_of(loops_.unrolled_with(pair.rows));
  const std::int64_t most_columns = points_of(loops_.unrolled_with(pair.columns));
  std::map<std::int64_t, ArrayShape> widest;  // by rows of use
  for (const ArrayShape& shape : all) {
    const std::int64_t rows = std::min(shape.rows, most_rows);
    const auto [known, first] = widest.try_emplace(rows, shape);
    if (!first && shape.columns > known->second.columns) known->second = shape;
  }
  std::vector<ArrayShape> found;
  std::int64_t columns = 0;  // of use, with more rows
  for (auto it = widest.rbegin(); it != widest.rend(); ++it) {
    const std::int64_t own = std::min(it->second.columns, most_columns);
    if (own <= columns) continue;
    columns = own;
    found.push_back(it->second);
  }
  return found;
}

std::vector<std::vector<ArraySetting::Share>> Settings::shares(const ConvPair& pair,
                                                               const ArrayShape& shape) const {
  const std::vector<int> rows = loops_.unrolled_with(pair.rows);
  const std::vector<int> columns = loops_.unrolled_with(pair.columns);
  struct Partial {
    std::vector<ArraySetting::Share> shares;
    std::int64_t rows = 1, columns = 1;
  };
  std::vector<Partial> partial(1);
  for (const TiledDim& tiled : tile_) {
    const bool on_rows = is_member(rows, tiled.dim);
    const bool on_columns = is_member(columns, tiled.dim);
    if (!tiled.is_cut || (!on_rows && !on_columns)) continue;
    if (parts_.tile > parts_.array) continue;  // every PE has a tile of its own
    std::vector<Partial> longer;
    for (const Partial& known : partial) {
      for (std::int64_t r = 1; r <= (on_rows ? shape.rows / known.rows : 1); ++r) {
        if (tiled.extent % r != 0) continue;
        for (std::int64_t c = 1; c <= (on_columns ? shape.columns / known.columns : 1); ++c) {
          if (tiled.extent / r % c != 0) continue;
          longer.push_back({known.shares, known.rows * r, known.columns * c});
          longer.back().shares.push_back({tiled.dim, r, c});
        }
      }
    }
    partial = std::move(longer);
    if (partial.size() > kMostSettings) throw Unverifiable("there are too many settings");
  }
  std::vector<std::vector<ArraySetting::Share>> found;
  for (Partial& whole : partial) found.push_back(std::move(whole.shares));
  return found;
}

void Settings::add_all(const ConvPair& pair, const std::optional<ConvOrder>& order) {
  const bool nest = nests();
  std::map<std::vector<ArraySetting::Share>, std::vector<ArrayShape>> before;
  for (const ArrayShape& shape : shapes(pair)) {
    for (const std::vector<ArraySetting::Share>& share : shares(pair, shape)) {
      if (all_.size() == kMostSettings) throw Unverifiable("there are more than 65,536 settings");
      all_.push_back({pair, shape, order, share, nest ? before[share] : std::vector<ArrayShape>{}});
      before[share].push_back(shape);
    }
  }
}

std::string Settings::name_of(const ArraySetting& setting) {
  const std::string order = setting.order ? ",O=" + to_string(*setting.order) : "";
  return fmt::format("P={},S={}{}", to_string(setting.pair), to_string(setting.shape), order);
}

std::string Settings::text_of(const ArraySetting& setting) const {
  std::string text = name_of(setting);
  for (const ArraySetting::Share& share : setting.shares) {
    text +=
        fmt::format("; {} {}x{}", workload_.dims[at(share.dim)].name, share.rows, share.columns);
  }
  return text;
}

std::vector<ArraySetting> Settings::named(const std::string& text) const {
  const Checked<Flexibility> read = io::read_flexibility_line(text, "setting", arch_);
  if (!read.ok() || read.value->tile != freedom_.tile || read.value->array != freedom_.array ||
      read.value->buffer != freedom_.buffer || read.value->tile_of != freedom_.tile_of) {
    return {};
  }
  const auto& [buffer, array, tile_of, tile, orders_read, pairs_read, shape_read] = *read.value;
  const bool one_shape = shape_read.kind == ShapeFreedom::Kind::Fixed;
  if (pairs_read.size() != 1 || !one_shape || orders_read.size() > 1) return {};
  const std::vector<ArrayShape> of_array = shapes_of(freedom_.shape, parts_.pes);
  const auto lists = [](const auto& list, const auto& one) {
    return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
  };
  const bool known = lists(freedom_.pairs, pairs_read.front()) && lists(of_array, shape_read.unit);
  if (!known || orders_read.empty() != freedom_.orders.empty()) return {};
  if (!orders_read.empty() && !lists(freedom_.orders, orders_read.front())) return {};
  std::vector<ArraySetting> found;
  for (auto& share : shares(pairs_read.front(), shape_read.unit)) {
    found.push_back({pairs_read.front(), shape_read.unit, std::nullopt, std::move(share), {}});
    if (!orders_read.empty()) found.back().order = orders_read.front();
  }
  return found;
}

// A fixed tile is that of all tensors of the buffer together.
Settings::SetUpProblem Settings::set_up(const ArraySetting& setting, SpaceKind kind,
                                        Among among) const {
  Architecture arch = arch_;
  arch.flexibility.reset();
  shape_hardware(freedom_, parts_, setting, arch);
  std::vector<Constraint> constraints = constraints_;
  for (Constraint& rule : rules_of(workload_, arch, loops_, tile_, parts_, setting)) {
    constraints.push_back(std::move(rule));
  }
  Checked<Problem> problem = Problem::create(workload_, arch);
  if (!problem.ok()) throw Unverifiable(to_string(problem.problems.front()));
  std::uint32_t uneven = uneven_memories(*problem.value, among);
  if (freedom_.tile.kind == TileFreedom::Kind::Fixed) {
    uneven &= ~(1U << index_of(problem.value->memory_at(parts_.buffer)));
  }
  Checked<Rules> rules = read_rules(*problem.value, kind, constraints, uneven);
  if (!rules.ok()) throw Unverifiable(to_string(rules.problems.front()));
  for (const ArrayShape& shape : setting.before) {
    rules.value->elsewhere.push_back({index_of(parts_.array), shape.rows, shape.columns});
  }
  return {std::move(*problem.value), std::move(*rules.value)};
}

}  // namespace tilewright::certificate
