#include "workload/window.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tilewright {
namespace {

// Terms sorted by coefficient, those that cannot vary left out.
struct SortedSum {
  int terms = 0;
  std::int64_t common = 1;  // what all coefficients were divided by
  Extents coefficients{};
  Extents extents{};
};

SortedSum sort_terms(int terms, const Extents& coefficients, const Extents& extents) {
  SortedSum sum;
  for (int i = 0; i < terms; ++i) {
    const std::size_t from = at(i);
    if (extents[from] <= 1) continue;
    auto to = static_cast<std::size_t>(sum.terms++);
    for (; to > 0 && sum.coefficients[to - 1] > coefficients[from]; --to) {
      sum.coefficients[to] = sum.coefficients[to - 1];
      sum.extents[to] = sum.extents[to - 1];
    }
    sum.coefficients[to] = coefficients[from];
    sum.extents[to] = extents[from];
  }
  std::int64_t common = 0;
  for (int i = 0; i < sum.terms; ++i) {
    common = std::gcd(common, sum.coefficients[at(i)]);
  }
  for (int i = 0; i < sum.terms; ++i) sum.coefficients[at(i)] /= common;
  if (common > 0) sum.common = common;
  return sum;
}

std::int64_t reach(const SortedSum& sum, int terms) {
  std::int64_t last = 0;
  for (int i = 0; i < terms; ++i) {
    const std::size_t k = at(i);
    last += sum.coefficients[k] * (sum.extents[k] - 1);
  }
  return last;
}

// True if value is a sum of the first `terms` terms.
bool is_sum(const SortedSum& sum, int terms, std::int64_t value) {
  if (value < 0 || value > reach(sum, terms)) return false;
  if (terms == 0) return value == 0;
  const std::size_t last = at(terms - 1);
  const std::int64_t c = sum.coefficients[last];
  if (terms == 1) return value % c == 0;
  for (std::int64_t x = std::min(value / c, sum.extents[last] - 1); x >= 0; --x) {
    if (is_sum(sum, terms - 1, value - x * c)) return true;
  }
  return false;
}

// True if the sums leave no gap: each coefficient is at most one more than
// what the smaller ones reach.
bool is_gapless(const SortedSum& sum) {
  std::int64_t last = 0;
  for (int i = 0; i < sum.terms; ++i) {
    const std::size_t k = at(i);
    if (sum.coefficients[k] > last + 1) return false;
    last += sum.coefficients[k] * (sum.extents[k] - 1);
  }
  return true;
}

// QuickFlow's closed form for two terms: with coprime coefficients two points
// meet exactly when they differ by a multiple of (n, -m).
std::int64_t coprime_sums(std::int64_t m, std::int64_t extent_a, std::int64_t n,
                          std::int64_t extent_b) {
  if (extent_a <= n || extent_b <= m) return extent_a * extent_b;
  return m * (extent_a - 1) + n * (extent_b - 1) - (m - 1) * (n - 1) + 1;
}

// Values m*a + n*b fall into n classes by a modulo n; in a class, a = rho + n*q
// gives the places m*q ... m*q + B - 1. The old tile has the first q of each
// class, the new tile later ones; what is new is an interval or, where B < m,
// a set of separate intervals.
// `extent` and `previous` are those of the index with coefficient m.
std::int64_t pair_new(std::int64_t m, std::int64_t n, std::int64_t extent, std::int64_t previous,
                      std::int64_t step, std::int64_t other_extent) {
  // Indices that are all in classes of their own: nothing can meet.
  if (n >= step + extent) return extent * other_extent;
  std::int64_t count = 0;
  for (std::int64_t rho = 0; rho < n; ++rho) {
    const std::int64_t old_q = previous > rho ? ceil_div(previous - rho, n) : 0;
    const std::int64_t first_q = step > rho ? ceil_div(step - rho, n) : 0;
    const std::int64_t end_q = step + extent > rho ? ceil_div(step + extent - rho, n) : 0;
    if (end_q <= first_q) continue;
    if (other_extent < m) {
      count += (end_q - first_q) * other_extent;
      continue;
    }
    const std::int64_t old_end = old_q > 0 ? m * (old_q - 1) + other_extent : 0;
    const std::int64_t new_begin = std::max(m * first_q, old_end);
    count += std::max<std::int64_t>(0, m * (end_q - 1) + other_extent - new_begin);
  }
  return count;
}

bool is_interval(const SortedSum& sum) { return sum.common == 1 && is_gapless(sum); }

}  // namespace

std::int64_t distinct_sums(std::int64_t m, std::int64_t extent_a, std::int64_t n,
                           std::int64_t extent_b) {
  const std::int64_t common = std::gcd(m, n);
  return coprime_sums(m / common, extent_a, n / common, extent_b);
}

std::int64_t distinct_sums(int terms, const Extents& coefficients, const Extents& extents) {
  const SortedSum sum = sort_terms(terms, coefficients, extents);
  if (sum.terms <= 2) {
    if (sum.terms < 2) return sum.terms == 0 ? 1 : sum.extents[0];
    return distinct_sums(sum.coefficients[0], sum.extents[0], sum.coefficients[1], sum.extents[1]);
  }
  const std::int64_t last = reach(sum, sum.terms);
  if (is_gapless(sum)) return last + 1;
  std::int64_t count = 0;
  for (std::int64_t value = 0; value <= last; ++value) count += is_sum(sum, sum.terms, value);
  return count;
}

Window::Window(Kind kind, std::vector<DimId> dims, const std::vector<Rank>& ranks, bool injective)
    : kind_(kind),
      injective_(injective),
      dim_count_(static_cast<int>(dims.size())),
      rank_count_(static_cast<int>(ranks.size())) {
  for (int i = 0; i < dim_count_; ++i) {
    dims_[at(i)] = index_of(dims[at(i)]);
    dim_bits_ |= 1U << index_of(dims[at(i)]);
  }
  for (int r = 0; r < rank_count_; ++r) {
    Extents& row = coefficients_[at(r)];
    std::int64_t common = 0;
    for (const Term& term : ranks[at(r)]) {
      const std::int64_t c = std::abs(term.coefficient);
      const int position = position_of(index_of(term.dim));
      row[at(position)] = c;
      if (r == 0 && term.coefficient < 0) negative_ |= 1U << position;
      common = std::gcd(common, c);
    }
    if (kind_ == Kind::Box) continue;  // boxes see the holes that a common divisor makes
    for (std::int64_t& c : row) c /= common;
  }
  unit_ = kind_ == Kind::Pair && coefficients_[0][0] == 1 && coefficients_[0][1] == 1;
}

int Window::position_of(int dim) const {
  for (int i = 0; i < dim_count_; ++i) {
    if (dims_[at(i)] == dim) return i;
  }
  return -1;
}

std::int64_t Window::box_side(int rank, const Extents& extents) const {
  const Extents& row = coefficients_[at(rank)];
  std::int64_t side = 1;
  for (int i = 0; i < dim_count_; ++i) {
    const std::size_t k = at(i);
    side += row[k] * (extents[k] - 1);
  }
  return side;
}

std::int64_t Window::size(const Extents& extents) const {
  if (unit_) return extents[0] + extents[1] - 1;
  switch (kind_) {
    case Kind::Pair:
      return coprime_sums(coefficients_[0][0], extents[0], coefficients_[0][1], extents[1]);
    case Kind::Sum:
      return distinct_sums(dim_count_, coefficients_[0], extents);
    case Kind::Box:
      break;
  }
  std::int64_t words = 1;
  for (int r = 0; r < rank_count_; ++r) words *= box_side(r, extents);
  return words;
}

std::int64_t Window::new_elements(const Extents& extents, int moving, std::int64_t previous_extent,
                                  std::int64_t step) const {
  const std::size_t moved = at(moving);
  if (kind_ == Kind::Pair) {
    const std::size_t other = 1 - moved;
    if (unit_) {
      const std::int64_t overlap = previous_extent + extents[other] - 1 - step;
      return extents[0] + extents[1] - 1 - std::max<std::int64_t>(0, overlap);
    }
    return pair_new(coefficients_[0][moved], coefficients_[0][other], extents[moved],
                    previous_extent, step, extents[other]);
  }
  Extents previous = extents;
  previous[moved] = previous_extent;
  if (kind_ == Kind::Box) {
    std::int64_t now = 1;
    std::int64_t both = 1;
    for (int r = 0; r < rank_count_; ++r) {
      const std::int64_t side = box_side(r, extents);
      const std::int64_t shift = coefficients_[at(r)][moved] * step;
      now *= side;
      both *= std::clamp<std::int64_t>(box_side(r, previous) - shift, 0, side);
    }
    return now - both;
  }
  const std::int64_t shift = coefficients_[0][moved] * step;
  const SortedSum sorted_now = sort_terms(dim_count_, coefficients_[0], extents);
  const SortedSum sorted_old = sort_terms(dim_count_, coefficients_[0], previous);
  if (is_interval(sorted_now) && is_interval(sorted_old)) {
    const std::int64_t words = reach(sorted_now, sorted_now.terms) + 1;
    const std::int64_t overlap = reach(sorted_old, sorted_old.terms) + 1 - shift;
    return words - std::clamp<std::int64_t>(overlap, 0, words);
  }
  // Look at each value of the new tile; the old one starts `shift` earlier.
  const SortedSum now{dim_count_, 1, coefficients_[0], extents};
  const SortedSum old{dim_count_, 1, coefficients_[0], previous};
  std::int64_t count = 0;
  for (std::int64_t value = 0; value <= reach(now, now.terms); ++value) {
    count += is_sum(now, now.terms, value) && !is_sum(old, old.terms, value + shift) ? 1 : 0;
  }
  return count;
}

std::int64_t Window::distinct_starts(const Extents& counts, const Extents& strides) const {
  if (injective_) {
    std::int64_t product = 1;
    for (int i = 0; i < dim_count_; ++i) product *= counts[at(i)];
    return product;
  }
  Extents coefficients{};
  for (int i = 0; i < dim_count_; ++i) {
    const std::size_t k = at(i);
    coefficients[k] = coefficients_[0][k] * strides[k];
  }
  return distinct_sums(dim_count_, coefficients, counts);
}

namespace {

// The rank of an integer matrix modulo a prime. It is never above the true
// rank, so what looks one to one is.
int matrix_rank(std::vector<std::vector<Int128>> rows, std::size_t columns) {
  constexpr Int128 kPrime = (Int128{1} << 61U) - 1;
  for (auto& row : rows) {
    for (Int128& entry : row) entry = (entry % kPrime + kPrime) % kPrime;
  }
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.size(); ++column) {
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[rank], rows[pivot]);
    for (std::size_t r = rank + 1; r < rows.size(); ++r) {
      const Int128 a = rows[rank][column];
      const Int128 b = rows[r][column];
      for (std::size_t c = 0; c < columns; ++c) {
        const Int128 difference = rows[r][c] * a % kPrime - rows[rank][c] * b % kPrime;
        rows[r][c] = (difference + kPrime) % kPrime;
      }
    }
    ++rank;
  }
  return static_cast<int>(rank);
}

// Dimensions and ranks of a tensor that hang together.
struct Group {
  std::vector<DimId> dims;
  std::vector<Rank> ranks;
};

std::vector<Group> connected_groups(const Tensor& tensor, int dim_count) {
  std::vector<int> group_of(static_cast<std::size_t>(dim_count));
  std::iota(group_of.begin(), group_of.end(), 0);
  for (const Rank& rank : tensor.ranks) {
    for (const Term& term : rank) {
      const int from = group_of[at(term.dim)];
      const int to = group_of[at(rank.front().dim)];
      std::replace(group_of.begin(), group_of.end(), from, to);
    }
  }
  std::vector<Group> groups;
  for (int g = 0; g < dim_count; ++g) {
    Group group;
    for (int d = 0; d < dim_count; ++d) {
      if (group_of[at(d)] == g && is_relevant(tensor, DimId{d})) {
        group.dims.push_back(DimId{d});
      }
    }
    for (const Rank& rank : tensor.ranks) {
      if (!rank.empty() && group_of[at(rank[0].dim)] == g) {
        group.ranks.push_back(rank);
      }
    }
    if (!group.dims.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

bool is_one_to_one(const Group& group) {
  std::vector<std::vector<Int128>> rows;
  for (const Rank& rank : group.ranks) {
    std::vector<Int128> row(group.dims.size(), 0);
    for (const Term& term : rank) {
      const auto at = std::find(group.dims.begin(), group.dims.end(), term.dim);
      row[static_cast<std::size_t>(at - group.dims.begin())] = term.coefficient;
    }
    rows.push_back(std::move(row));
  }
  return matrix_rank(std::move(rows), group.dims.size()) == static_cast<int>(group.dims.size());
}

}  // namespace

std::optional<TensorParts> split_tensor(const Workload& workload, const Tensor& tensor,
                                        bool boxes) {
  TensorParts parts;
  for (Group& group : connected_groups(tensor, workload.dim_count())) {
    const bool one_to_one = is_one_to_one(group);
    const bool unit = group.dims.size() == 1 && group.ranks.size() == 1 &&
                      std::abs(group.ranks[0][0].coefficient) == 1;
    if (unit || (one_to_one && !boxes)) {
      for (const DimId dim : group.dims) parts.alone |= 1U << index_of(dim);
      continue;
    }
    if ((group.ranks.size() > 1 && !one_to_one) ||
        group.dims.size() > static_cast<std::size_t>(kMaxWindowDims) ||
        group.ranks.size() > static_cast<std::size_t>(kMaxWindowRanks)) {
      return std::nullopt;
    }
    const Window::Kind kind = boxes                    ? Window::Kind::Box
                              : group.dims.size() == 2 ? Window::Kind::Pair
                                                       : Window::Kind::Sum;
    parts.windows.emplace_back(kind, group.dims, group.ranks, one_to_one);
  }
  return parts;
}

}  // namespace tilewright
