#include "design_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tilewright/map.h"

namespace tilewright::study {

namespace {

// The least common multiple of all divisors up to a limit: a number that it
// divides can be unrolled in each of the ways in which this one can.
std::int64_t divisors_up_to(std::int64_t limit, std::int64_t number) {
  if (limit >= number) return number;
  std::int64_t all = 1;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    if (d <= limit) all = std::lcm(all, d);
    if (number / d <= limit) all = std::lcm(all, number / d);
  }
  return all;
}

// The smallest extent that cuts dimensions of these sizes into as many tiles as
// another one.
std::int64_t smallest_alike(const std::set<std::int64_t>& sizes, std::int64_t extent) {
  std::int64_t least = 1;
  for (const std::int64_t size : sizes) {
    least = std::max(least, ceil_div(size, ceil_div(size, extent)));
  }
  return least;
}

bool has_several(const Workload& workload, const std::vector<DimId>& dims) {
  return std::count_if(dims.begin(), dims.end(),
                       [&](DimId dim) { return workload.dim(dim).size > 1; }) > 1;
}

bool meet(const std::vector<DimId>& a, const std::vector<DimId>& b) {
  return std::any_of(a.begin(), a.end(), [&](DimId dim) { return contains(b, dim); });
}

// Whether what runs on rows and columns runs as well with both exchanged: every
// shape turned round is inside another one, and nothing tells rows from
// columns.
bool turns(const Architecture& arch) {
  const Flexibility& freedom = *arch.flexibility;
  const LevelId level = parts_of(arch, freedom)->array;
  const auto& array = std::get<Fanout>(arch.level(level));
  const bool per_axis = std::any_of(
      arch.constraints.begin(), arch.constraints.end(), [&](const Constraint& constraint) {
        return constraint.level == array.name && constraint.is_per_axis();
      });
  return freedom.shape.kind == ShapeFreedom::Kind::Any && shapes_nest(arch) && !per_axis &&
         array.x.dims == array.y.dims && !array.is_systolic();
}

}  // namespace

Network without_repetition(const Network& network) {
  Network distinct = network;
  distinct.layers.clear();
  std::map<std::size_t, std::size_t> places;  // of the first layers
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::size_t first = first_with_same_work(network, i);
    const auto [known, is_new] = places.emplace(first, distinct.layers.size());
    if (is_new) {
      distinct.layers.push_back(network.layers[i]);
    } else {
      distinct.layers[known->second].count += network.layers[i].count;
    }
  }
  return distinct;
}

DesignSpace::DesignSpace(const Network& network, const Architecture& arch) : network_(network) {
  const Flexibility& freedom = *arch.flexibility;
  const FlexibleParts parts = *parts_of(arch, freedom);
  for (const Layer& layer : network.layers) {
    views_.push_back(*ConvView::create(layer.workload).value);
    for (const ConvDim loop : kAllConvDims) {
      compound_[index_of(loop)] =
          compound_[index_of(loop)] || has_several(layer.workload, views_.back().dims(loop));
      largest_[index_of(loop)] = std::max(largest_[index_of(loop)], views_.back().size(loop));
    }
  }
  const bool turned_too = turns(arch);
  for (const ConvPair& pair : freedom.pairs.empty() ? all_pairs() : freedom.pairs) {
    if (!turned_too || !contains(pairs_, ConvPair{pair.columns, pair.rows})) pairs_.push_back(pair);
  }
  shapes_ = shapes_nest(arch) ? largest_shapes(freedom.shape, parts.pes)
                              : shapes_of(freedom.shape, parts.pes);
  if (freedom.tile.kind == TileFreedom::Kind::Fixed) only_tile_ = freedom.tile.fixed;
  note_unrolling();
  collect_orders(freedom);
  measure_buffer(std::get<Memory>(arch.level(parts.buffer)));
}

void DesignSpace::collect_orders(const Flexibility& freedom) {
  std::vector<ConvOrder> all = freedom.orders;
  if (all.empty()) {
    ConvOrder order = kAllConvDims;
    do {
      all.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  std::set<std::vector<ConvDim>> seen;
  for (const ConvOrder& order : all) {
    if (seen.insert(loops_in(order)).second) orders_.push_back(order);
  }
}

// Those that run more than once in some layer.
std::vector<ConvDim> DesignSpace::loops_in(const ConvOrder& order) const {
  std::vector<ConvDim> loops(order.begin(), order.end());
  std::erase_if(loops, [&](ConvDim loop) { return largest_[index_of(loop)] == 1; });
  return loops;
}

int DesignSpace::place_of(const ConvOrder& order) const {
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (loops_in(orders_[i]) == loops_in(order)) return static_cast<int>(i);
  }
  return -1;
}

void DesignSpace::measure_buffer(const Memory& buffer) {
  words_ = INFINITY;
  for (const Layer& layer : network_.layers) {
    for (const Tensor& tensor : layer.workload.tensors) {
      const Capacity& capacity = buffer.capacity;
      if (capacity.unit != Capacity::Unit::Unlimited) {
        const std::int64_t bits = capacity.unit == Capacity::Unit::Bits ? tensor.bits : 1;
        words_ = std::min(words_, static_cast<double>(capacity.amount) / static_cast<double>(bits));
      }
      for (const Rank& rank : tensor.ranks) {
        for (const Term& term : rank) {
          stride_ = std::max(stride_, static_cast<double>(std::abs(term.coefficient)));
        }
      }
    }
  }
  if (buffer.double_buffered) words_ /= 2;
}

bool DesignSpace::fits_as_built(const ConvSizes& tile) const {
  const auto of = [&](ConvDim loop) { return static_cast<double>(tile[index_of(loop)]); };
  const double rows = (of(ConvDim::Y) - 1) * stride_ + of(ConvDim::R);
  const double columns = (of(ConvDim::X) - 1) * stride_ + of(ConvDim::S);
  const double input = of(ConvDim::C) * rows * columns;
  const double weight = of(ConvDim::C) * of(ConvDim::R) * of(ConvDim::S);
  const double output = of(ConvDim::Y) * of(ConvDim::X);
  return std::max(of(ConvDim::K) * (weight + output), weight + of(ConvDim::C) * output) + input <=
         words_;
}

// Groups are unrolled with K as well.
void DesignSpace::note_unrolling() {
  for (const ConvDim with : kAllConvDims) {
    for (const ConvDim loop : kAllConvDims) {
      unrolls_[index_of(with)][index_of(loop)] = std::any_of(
          views_.begin(), views_.end(),
          [&](const ConvView& view) { return meet(view.unrolled_with(with), view.dims(loop)); });
    }
  }
}

// In how many ways at once the dimensions of a loop can be unrolled.
std::int64_t DesignSpace::most_unrolled(ConvDim loop, const ConvPair& pair,
                                        const ArrayLimits& array) const {
  const bool rows = unrolls_[index_of(pair.rows)][index_of(loop)];
  const bool columns = unrolls_[index_of(pair.columns)][index_of(loop)];
  const std::int64_t most = (rows ? array.rows : 1) * (columns ? array.columns : 1);
  return std::min({most, array.pes, largest_[index_of(loop)]});
}

std::vector<std::int64_t> DesignSpace::list_extents(ConvDim loop, std::int64_t limit) const {
  if (only_tile_) return {(*only_tile_)[index_of(loop)]};
  std::set<std::int64_t> sizes;
  for (const ConvView& view : views_) sizes.insert(view.size(loop));
  std::vector<std::int64_t> extents;
  for (std::int64_t extent = 1; extent <= *sizes.rbegin(); ++extent) {
    const std::int64_t step = divisors_up_to(limit, extent);
    const std::int64_t least = smallest_alike(sizes, extent);
    const bool is_first = ceil_div(least, step) * step == extent;
    if (is_first || compound_[index_of(loop)]) extents.push_back(extent);
  }
  return extents;
}

TileBox DesignSpace::all_tiles() const {
  if (only_tile_) return {*only_tile_, *only_tile_};
  return {{1, 1, 1, 1, 1, 1}, largest_};
}

const std::vector<std::int64_t>& DesignSpace::extents(ConvDim loop, const ConvPair& pair,
                                                      const ArrayLimits& array) {
  const std::int64_t limit = most_unrolled(loop, pair, array);
  const auto [known, is_new] = extents_.try_emplace({loop, limit});
  if (is_new) known->second = list_extents(loop, limit);
  return known->second;
}

}  // namespace tilewright::study
