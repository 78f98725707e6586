// Elements that several tiles of a window have together.

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "workload/window.h"

namespace tilewright {
namespace {

// Whole numbers as intervals [begin, end), which are sorted and apart from each other.
class Spans {
 public:
  using Span = std::pair<std::int64_t, std::int64_t>;

  Spans() = default;
  explicit Spans(std::vector<Span> spans) : spans_(std::move(spans)) {
    std::sort(spans_.begin(), spans_.end());
    std::size_t kept = 0;
    for (const auto& span : spans_) {
      if (kept > 0 && span.first <= spans_[kept - 1].second) {
        spans_[kept - 1].second = std::max(spans_[kept - 1].second, span.second);
      } else {
        spans_[kept++] = span;
      }
    }
    spans_.resize(kept);
  }

  std::int64_t size() const {
    std::int64_t numbers = 0;
    for (const auto& [begin, end] : spans_) numbers += end - begin;
    return numbers;
  }

  // Every number of these plus each one of a list.
  Spans plus(const std::vector<std::int64_t>& shifts) const {
    std::vector<Span> all;
    all.reserve(spans_.size() * shifts.size());
    for (const std::int64_t shift : shifts) {
      for (const auto& [begin, end] : spans_) all.emplace_back(begin + shift, end + shift);
    }
    return Spans(std::move(all));
  }

  // The same with 0, step, 2 step, ..., so many of them.
  Spans plus_steps(std::int64_t step, std::int64_t count) const {
    if (spans_.size() == 1 && std::abs(step) <= size()) {
      const std::int64_t last = step * (count - 1);
      return Spans(std::vector<Span>{{spans_[0].first + std::min<std::int64_t>(0, last),
                                      spans_[0].second + std::max<std::int64_t>(0, last)}});
    }
    std::vector<std::int64_t> shifts;
    for (std::int64_t i = 0; i < count; ++i) shifts.push_back(i * step);
    return plus(shifts);
  }

  Spans without(const Spans& others) const {
    Spans left;
    auto other = others.spans_.begin();
    for (auto [begin, end] : spans_) {
      while (other != others.spans_.end() && other->second <= begin) ++other;
      for (auto next = other; next != others.spans_.end() && next->first < end; ++next) {
        if (next->first > begin) left.spans_.emplace_back(begin, next->first);
        begin = std::max(begin, next->second);
      }
      if (begin < end) left.spans_.emplace_back(begin, end);
    }
    return left;
  }

  void add(const Spans& others) {
    spans_.insert(spans_.end(), others.spans_.begin(), others.spans_.end());
    *this = Spans(std::move(spans_));
  }

 private:
  std::vector<Span> spans_;
};

// The elements of a tile that starts at 0.
Spans tile_at_origin(const Window& window, const Extents& extents) {
  std::vector<int> order;  // the small coefficients first: they close gaps
  for (int i = 0; i < window.dim_count(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::abs(window.signed_coefficient(a)) < std::abs(window.signed_coefficient(b));
  });
  Spans tile(std::vector<Spans::Span>{{0, 1}});
  for (const int i : order) tile = tile.plus_steps(window.signed_coefficient(i), extents[at(i)]);
  return tile;
}

// The extents of one tile that has as much as all of these, if they follow each other closely.
std::optional<Extents> one_tile(const std::vector<TileRow>& rows) {
  Extents extents{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::int64_t end = 0;
    for (const std::int64_t start : rows[i].starts) {
      if (start != end) return std::nullopt;
      end += rows[i].extent;
    }
    if (rows[i].cut_extent > 0 && rows[i].cut_start != end) return std::nullopt;
    extents[i] = end + rows[i].cut_extent;
  }
  return extents;
}

}  // namespace

std::int64_t Window::elements_together(const std::vector<TileRow>& rows,
                                       const std::optional<TileMove>& move) const {
  if (!move) {
    if (const auto whole = one_tile(rows)) return size(*whole);
  }
  Spans all;
  // A bit for each dimension in which tiles are cut short.
  for (std::uint32_t cut = 0; cut < 1U << dim_count_; ++cut) {
    Extents extents{};
    bool exist = true;
    for (int i = 0; i < dim_count_; ++i) {
      const TileRow& row = rows[at(i)];
      const bool is_cut = contains(cut, i);
      extents[at(i)] = is_cut ? row.cut_extent : row.extent;
      exist = exist && (is_cut ? row.cut_extent > 0 : !row.starts.empty());
    }
    if (!exist) continue;
    Spans tile = tile_at_origin(*this, extents);
    if (move) {
      extents[at(move->position)] = move->previous;
      const std::int64_t back = -signed_coefficient(move->position) * move->step;
      tile = tile.without(tile_at_origin(*this, extents).plus({back}));
    }
    for (int i = 0; i < dim_count_; ++i) {
      const TileRow& row = rows[at(i)];
      std::vector<std::int64_t> shifts = contains(cut, i) ? std::vector{row.cut_start} : row.starts;
      for (std::int64_t& shift : shifts) shift *= signed_coefficient(i);
      tile = tile.plus(shifts);
    }
    all.add(tile);
  }
  return all.size();
}

}  // namespace tilewright
