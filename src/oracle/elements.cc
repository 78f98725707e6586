#include "oracle/elements.h"

#include <cstdlib>
#include <set>

namespace tilewright::oracle {
namespace {

std::int64_t end_of(const Region& region, DimId dim, bool last) {
  const Interval& interval = region[at(dim)];
  return last ? interval.end - 1 : interval.begin;
}

Element coordinates(const Tensor& tensor, const std::vector<std::int64_t>& point) {
  Element element;
  for (const Rank& rank : tensor.ranks) {
    std::int64_t value = 0;
    for (const Term& term : rank) {
      value += term.coefficient * point[at(term.dim)];
    }
    element.push_back(value);
  }
  return element;
}

void visit_points(const Tensor& tensor, const Region& region, std::size_t dim,
                  std::vector<std::int64_t>& point, Elements& out) {
  if (dim == region.size()) {
    out.insert(coordinates(tensor, point));
    return;
  }
  // A dimension that the tensor lacks changes nothing: one value is enough.
  const bool relevant = is_relevant(tensor, DimId{static_cast<int>(dim)});
  const std::int64_t end = relevant ? region[dim].end : region[dim].begin + 1;
  for (std::int64_t i = region[dim].begin; i < end; ++i) {
    point[dim] = i;
    visit_points(tensor, region, dim + 1, point, out);
  }
}

void visit_box(const std::vector<Interval>& box, Element& element, Elements& out) {
  if (element.size() == box.size()) {
    out.insert(element);
    return;
  }
  const Interval& side = box[element.size()];
  for (std::int64_t i = side.begin; i < side.end; ++i) {
    element.push_back(i);
    visit_box(box, element, out);
    element.pop_back();
  }
}

std::vector<Interval> bounding_box(const Tensor& tensor, const Region& region) {
  std::vector<Interval> box;
  for (const Rank& rank : tensor.ranks) {
    Interval side;
    for (const Term& term : rank) {
      const bool rising = term.coefficient > 0;
      side.begin += term.coefficient * end_of(region, term.dim, !rising);
      side.end += term.coefficient * end_of(region, term.dim, rising);
    }
    ++side.end;
    box.push_back(side);
  }
  return box;
}

}  // namespace

Elements elements_of(const Tensor& tensor, const Region& region, Accounting accounting) {
  Elements out;
  if (accounting == Accounting::Timeloop) {
    Element element;
    visit_box(bounding_box(tensor, region), element, out);
  } else {
    std::vector<std::int64_t> point(region.size());
    visit_points(tensor, region, 0, point, out);
  }
  return out;
}

Element origin_of(const Tensor& tensor, const Region& region) {
  std::vector<std::int64_t> point;
  for (const Interval& interval : region) point.push_back(interval.begin);
  return coordinates(tensor, point);
}

bool is_plain(const Tensor& tensor) {
  std::set<DimId> seen;
  for (const Rank& rank : tensor.ranks) {
    if (rank.size() != 1 || std::abs(rank[0].coefficient) != 1) return false;
    if (!seen.insert(rank[0].dim).second) return false;
  }
  return true;
}

}  // namespace tilewright::oracle
