#include "mappers/optimal/block_loops.h"

#include <algorithm>
#include <span>
#include <utility>

#include "mappers/optimal/loop_steps.h"

namespace tilewright::optimal {
namespace {

// Rows that have a value are sparse where all are so many times as many.
constexpr std::size_t kSparse = 4;

// Those of rows of so many neighbours that have a value.
std::vector<std::size_t> reached_rows(const Values& values, std::size_t neighbours) {
  std::vector<std::size_t> rows;
  rows.reserve(values.size() / neighbours);
  const Units* first = values.data();
  for (std::size_t row = 0; row < values.size() / neighbours; ++row, first += neighbours) {
    const Units* value = first;
    while (value != first + neighbours && *value >= kNever) ++value;
    if (value != first + neighbours) rows.push_back(row);
  }
  return rows;
}

// Prices of the links that a loop moves: in an array with a row for each edge, or found when a row
// is asked for, if few are.
class RowPrices {
 public:
  RowPrices(std::vector<LinkPrices> links, const Values& like, std::size_t places, bool all)
      : links_(std::move(links)), all_(like.get_allocator()), row_(like.get_allocator()) {
    if (!all || links_.empty()) return;
    all_.assign(places, 0);
    for (const LinkPrices& link : links_) link.add_to(all_);
  }

  // Takes values with the prices of a row, where they are less.
  void take_less_of(std::span<const Units> values, std::size_t row, std::span<Units> into) {
    const std::size_t first = row * values.size();
    if (links_.empty()) return take_less(into, values);
    if (all_.empty()) {
      row_.assign(values.begin(), values.end());
      for (const LinkPrices& link : links_) link.add_to_part(first, row_);
      return take_less(into, row_);
    }
    const Units* price = all_.data() + first;
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = std::min(into[i], values[i] + price[i]);
    }
  }

 private:
  std::vector<LinkPrices> links_;
  Values all_, row_;
};

}  // namespace

int BlockLoops::unmoving(std::uint32_t open, std::uint32_t left) const {
  for (const int d : members(nesting_.next(left))) {
    if (moved_by(solver_, open, d) == 0) return d;
  }
  return -1;
}

// An axis of ranges; with a place for each edge if it is the moving loop's.
AxisExtents BlockLoops::ranges(std::uint32_t done, int d, bool moves) const {
  const LatticeAxis& own = axis(d);
  const bool is_done = contains(done, d);
  if (!moves) {
    return {is_done ? own.outer_most : own.inner_most, {}, is_done ? own.outer : own.inner, {}};
  }
  AxisExtents result;
  for (const Edge& edge : own.edges) {
    result.extents.push_back(own.inner_most[at(edge.from)]);
    result.least.push_back(own.inner[at(edge.from)]);
    result.passes.push_back(ceil_div(solver_.size(d), own.outer_most[at(edge.to)]));
  }
  return result;
}

std::vector<AxisExtents> BlockLoops::price_axes(std::uint32_t done, int moving_dim) const {
  std::vector<AxisExtents> axes(at(solver_.dim_count));
  for (int d = 0; d < solver_.dim_count; ++d) {
    if (lattice_.has_ranges()) {
      axes[at(d)] = ranges(done, d, d == moving_dim);
      continue;
    }
    if (d != moving_dim) {
      axes[at(d)].extents = extents(done, d);
      continue;
    }
    for (const Edge& edge : axis(d).edges) {
      axes[at(d)].extents.push_back(axis(d).inner[at(edge.from)]);
      axes[at(d)].bounds.push_back(edge.bound);
    }
  }
  return axes;
}

std::vector<LinkPrices> BlockLoops::prices(std::uint32_t done, std::uint32_t tensors,
                                           OpenLinks pending, int moving_dim) {
  std::vector<LinkPrices> prices;
  if (tensors == 0) return prices;
  const std::vector<AxisExtents> axes = price_axes(done, moving_dim);
  list_links(tensors, pending, links_);
  for (const int link : links_) {
    prices.emplace_back(sub_, sub_.placement().links[at(link)], memory_, axes, moving_dim);
  }
  return prices;
}

LinkPrices BlockLoops::link_prices(int link, std::uint32_t done, int moving_dim) const {
  return {sub_,       sub_.placement().links[at(link)], memory_, price_axes(done, moving_dim),
          moving_dim, LinkPrices::When::Asked};
}

void BlockLoops::pay(std::uint32_t done, std::uint32_t tensors, OpenLinks pending, Values& values) {
  for (const LinkPrices& link : prices(done, tensors, pending, -1)) link.add_to(values);
}

Values BlockLoops::across(const Values& values, std::uint32_t done, const Passage& passage) {
  const LatticeAxis& loop = axis(passage.dim);
  const std::size_t here = passage.outwards ? loop.inner.size() : loop.outer.size();
  const std::size_t there = passage.outwards ? loop.outer.size() : loop.inner.size();
  std::size_t after = 1;
  for (int i = passage.dim + 1; i < solver_.dim_count; ++i) after *= extents(done, i).size();
  const std::size_t before = values.size() / (here * after);
  const std::vector<std::size_t> reached = reached_rows(values, after);
  RowPrices prices(this->prices(done, passage.moved, passage.pending, passage.dim), values,
                   before * loop.edges.size() * after, kSparse * reached.size() > before * here);
  const LoopSteps steps(loop, {passage.outwards, passage.idle});
  Values result(before * there * after, kNever, values.get_allocator());
  for (const std::size_t row : reached) {
    const std::size_t b = row / here;
    for (const LoopSteps::Step& step : steps[row % here]) {
      prices.take_less_of({values.data() + row * after, after}, b * loop.edges.size() + step.edge,
                          {result.data() + (b * there + step.to) * after, after});
    }
    steps_ += after * steps[row % here].size();
  }
  return result;
}

// Ranges of extents may overlap with several on the other side.
Values BlockLoops::without_loops_one_by_one(const Values& values, std::uint32_t done,
                                            std::uint32_t dims, bool outwards) {
  Values result = values;
  for (std::uint32_t rest = dims; rest != 0;) {
    const int d = 31 - __builtin_clz(rest);
    rest &= ~(1U << d);
    result = across(result, outwards ? done | (dims & ~rest & ~(1U << d)) : done | rest,
                    {.dim = d, .outwards = outwards, .idle = true});
  }
  return result;
}

VectorSums BlockLoops::places_without_loops(std::uint32_t done, std::uint32_t dims,
                                            bool outwards) const {
  const std::vector<std::size_t> strides = strides_of(outwards ? done | dims : done);
  std::vector<std::vector<std::int64_t>> places(strides.size());
  for (int d = 0; d < solver_.dim_count; ++d) {
    const bool passes = contains(dims, d);
    const auto stride = static_cast<std::int64_t>(strides[at(d)]);
    places[at(d)].assign(extents(passes && !outwards ? done | (1U << d) : done, d).size(),
                         kNowhere);
    for (std::size_t i = 0; !passes && i < places[at(d)].size(); ++i) {
      places[at(d)][i] = static_cast<std::int64_t>(i) * stride;
    }
    for (const Edge& edge : axis(d).edges) {
      if (!passes || edge.bound != 1) continue;
      places[at(d)][at(outwards ? edge.from : edge.to)] = (outwards ? edge.to : edge.from) * stride;
    }
  }
  return VectorSums(places);
}

Values BlockLoops::without_loops(const Values& values, std::uint32_t done, std::uint32_t dims,
                                 bool outwards) {
  if (dims == 0) return values;
  if (lattice_.has_ranges()) return without_loops_one_by_one(values, done, dims, outwards);
  Values result(places_of(outwards ? done | dims : done), kNever, values.get_allocator());
  places_without_loops(done, dims, outwards)
      .for_each_reached(values, [&](std::size_t place, std::int64_t to) {
        if (to >= 0) result[static_cast<std::size_t>(to)] = values[place];
      });
  return result;
}

std::vector<std::size_t> BlockLoops::strides_of(std::uint32_t done) const {
  std::vector<std::size_t> strides(at(solver_.dim_count), 1);
  for (int d = solver_.dim_count - 1; d-- > 0;) {
    strides[at(d)] = strides[at(d + 1)] * extents(done, d + 1).size();
  }
  return strides;
}

std::size_t BlockLoops::places_of(std::uint32_t done) const {
  std::size_t places = 1;
  for (int d = 0; d < solver_.dim_count; ++d) places *= extents(done, d).size();
  return places;
}

}  // namespace tilewright::optimal
