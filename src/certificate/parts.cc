#include "certificate/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

// Larger windows than this are not looked at element by element.
constexpr std::int64_t kLargestWindow = std::int64_t{1} << 26;

// Different values of m*a + n*b, a < A, b < B, with m and n coprime. Values
// repeat only where a grows by n while b falls by m.
std::int64_t pair_size(Count m, Count n, std::int64_t a, std::int64_t b) {
  if (a <= n || b <= m) return narrow(Count(a) * b);
  return narrow(m * (a - 1) + n * (b - 1) - Count(m - 1) * (n - 1) + 1);
}

void mark_sums(const std::vector<std::int64_t>& steps, const Extents& tile, std::size_t from,
               std::int64_t sum, std::vector<char>& seen, char mark) {
  if (from == steps.size()) {
    seen[at(sum)] = mark;
    return;
  }
  for (std::int64_t i = 0; i < tile[from]; ++i) {
    mark_sums(steps, tile, from + 1, sum + i * steps[from], seen, mark);
  }
}

// The same as numbers, where there are few.
std::set<std::int64_t> all_sums(const std::vector<std::int64_t>& steps, const Extents& tile) {
  std::set<std::int64_t> sums = {0};
  for (std::size_t i = 0; i < tile.size(); ++i) {
    std::set<std::int64_t> next;
    for (const std::int64_t sum : sums) {
      for (std::int64_t x = 0; x < tile[i]; ++x) next.insert(narrow(sum + Count(steps[i]) * x));
    }
    sums = std::move(next);
  }
  return sums;
}

std::vector<std::int64_t> magnitudes(const std::vector<std::int64_t>& rank) {
  std::vector<std::int64_t> steps;
  for (const std::int64_t c : rank) steps.push_back(std::abs(c));
  return steps;
}

std::int64_t reach(const std::vector<std::int64_t>& steps, const Extents& tile) {
  Count sum = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) sum += Count(steps[i]) * (tile[i] - 1);
  return narrow(sum);
}

std::vector<char> room_for(std::int64_t elements) {
  if (elements > kLargestWindow) {
    throw Unverifiable(fmt::format("a window of {} elements is too large to be counted", elements));
  }
  return std::vector<char>(at(elements), 0);
}

}  // namespace

Window::Window(std::vector<int> dims, std::vector<std::vector<std::int64_t>> ranks, bool boxes)
    : dims_(std::move(dims)), ranks_(std::move(ranks)), boxes_(boxes) {}

int Window::index_of_dim(int dim) const {
  const auto found = std::find(dims_.begin(), dims_.end(), dim);
  return found == dims_.end() ? -1 : static_cast<int>(found - dims_.begin());
}

std::int64_t Window::size(const Extents& tile) const {
  if (!boxes_) return distinct(tile);
  Count words = 1;
  for (const auto& rank : ranks_) words *= reach(magnitudes(rank), tile);
  return narrow(words);
}

std::int64_t Window::distinct(const Extents& tile) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> terms;  // step, extent
  std::int64_t divisor = 0;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (tile[i] == 1) continue;
    terms.emplace_back(std::abs(ranks_[0][i]), tile[i]);
    divisor = std::gcd(divisor, terms.back().first);
  }
  if (terms.empty()) return 1;
  for (auto& term : terms) term.first /= divisor;
  if (terms.size() == 1) return terms[0].second;
  if (terms.size() == 2) {
    return pair_size(terms[0].first, terms[1].first, terms[0].second, terms[1].second);
  }
  std::vector<std::int64_t> steps;
  Extents extents;
  for (const auto& [step, extent] : terms) {
    steps.push_back(step);
    extents.push_back(extent);
  }
  std::vector<char> seen = room_for(reach(steps, extents));
  mark_sums(steps, extents, 0, 0, seen, 1);
  return std::count(seen.begin(), seen.end(), 1);
}

bool Window::is_interval(const Extents& tile) const {
  return distinct(tile) == reach(magnitudes(ranks_[0]), tile);
}

std::int64_t Window::fresh(const Extents& tile, int moving, std::int64_t before,
                           std::int64_t step) const {
  Extents previous = tile;
  previous[at(moving)] = before;
  // Turned round where the coefficient is negative, the tile moves upwards.
  if (boxes_ || (is_interval(tile) && is_interval(previous))) {
    Count words = 1;
    Count common = 1;
    for (const auto& rank : ranks_) {
      const std::vector<std::int64_t> steps = magnitudes(rank);
      const std::int64_t end = reach(steps, tile);
      const Int128 old_end = reach(steps, previous) - Count(steps[at(moving)]) * step;
      words *= end;
      common *= std::max<Int128>(0, std::min<Int128>(end, old_end));
    }
    return narrow(words - common);
  }
  std::vector<std::int64_t> steps = magnitudes(ranks_[0]);
  // Signs matter between the dimensions, not for one alone: measure from the
  // lowest element, which moves with every sign alike.
  const std::int64_t shift = narrow(Count(steps[at(moving)]) * step);
  std::vector<char> seen =
      room_for(std::max<std::int64_t>(shift + reach(steps, tile), reach(steps, previous)));
  mark_sums(steps, tile, 0, shift, seen, 1);
  mark_sums(steps, previous, 0, 0, seen, 0);
  return std::count(seen.begin(), seen.end(), 1);
}

std::vector<std::int64_t> Window::elements(const Extents& tile) const {
  const std::set<std::int64_t> sums = all_sums(ranks_[0], tile);
  return {sums.begin(), sums.end()};
}

std::vector<std::int64_t> Window::fresh_elements(const Extents& tile, int moving,
                                                 std::int64_t before, std::int64_t step) const {
  Extents previous = tile;
  previous[at(moving)] = before;
  std::vector<std::int64_t> old = elements(previous);
  for (std::int64_t& element : old) element -= narrow(Count(ranks_[0][at(moving)]) * step);
  const std::vector<std::int64_t> now = elements(tile);
  std::vector<std::int64_t> fresh;
  std::set_difference(now.begin(), now.end(), old.begin(), old.end(), std::back_inserter(fresh));
  return fresh;
}

std::int64_t Window::size_of_sets(const std::vector<std::vector<std::int64_t>>& sets) const {
  Count low = 0;
  Count high = 0;
  const std::vector<std::int64_t>& rank = ranks_[0];
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Count front = Count(rank[i]) * sets[i].front();
    const Count back = Count(rank[i]) * sets[i].back();
    low += std::min(front, back);
    high += std::max(front, back);
  }
  std::vector<char> seen = room_for(narrow(high - low + 1));
  seen[at(narrow(-low))] = 1;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::vector<char> sums(seen.size(), 0);
    for (std::size_t place = 0; place < seen.size(); ++place) {
      if (seen[place] == 0) continue;
      for (const std::int64_t index : sets[i]) {
        sums[at(static_cast<std::int64_t>(place) + rank[i] * index)] = 1;
      }
    }
    seen = std::move(sums);
  }
  return std::count(seen.begin(), seen.end(), 1);
}

// With an index of the other dimension beside every one of this one.
bool Window::grows_evenly(int dim) const {
  if (boxes_ || ranks_.size() != 1 || dims_.size() != 2) return false;
  const std::int64_t other = ranks_.front()[at(1 - index_of_dim(dim))];
  return other == 1 || other == -1;
}

std::vector<std::int64_t> Window::origin(const Extents& start) const {
  std::vector<std::int64_t> place;
  for (const auto& rank : ranks_) {
    Count sum = 0;
    for (std::size_t i = 0; i < rank.size(); ++i) sum += Count(rank[i]) * start[i];
    place.push_back(narrow(sum));
  }
  return place;
}

std::int64_t Window::starts(const Extents& copies, const Extents& tile) const {
  constexpr Int128 kMostCounted = 1 << 16;
  std::vector<std::int64_t> steps;
  Extents unrolled;
  Count all = 1;
  Count least = 1;  // sets of whole numbers have at least so many different sums
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] == 1) continue;
    steps.push_back(narrow(Count(std::abs(ranks_[0][i])) * tile[i]));
    unrolled.push_back(copies[i]);
    all *= copies[i];
    least += copies[i] - 1;
  }
  if (steps.size() == 2) {
    const std::int64_t divisor = std::gcd(steps[0], steps[1]);
    return pair_size(steps[0] / divisor, steps[1] / divisor, unrolled[0], unrolled[1]);
  }
  if (steps.size() < 2 || all > kMostCounted) return narrow(least);
  return static_cast<std::int64_t>(all_sums(steps, unrolled).size());
}

Parts take_apart(const Tensor& tensor, Accounting accounting) {
  const bool boxes = accounting == Accounting::Timeloop;
  Parts parts;
  std::uint32_t done = 0;
  for (const Rank& rank : tensor.ranks) {
    for (const Term& term : rank) parts.relevant |= 1U << index_of(term.dim);
  }
  for (const Rank& rank : tensor.ranks) {
    std::uint32_t mask = 0;
    std::vector<int> dims;
    for (const Term& term : rank) {
      mask |= 1U << index_of(term.dim);
      dims.push_back(index_of(term.dim));
    }
    if ((mask & done) == mask && dims.size() == 1) continue;  // a diagonal, met before
    std::vector<std::vector<std::int64_t>> ranks;
    for (const Rank& other : tensor.ranks) {
      const bool meets = std::any_of(other.begin(), other.end(), [&](const Term& term) {
        return contains(mask, index_of(term.dim));
      });
      if (!meets) continue;
      if (other.size() != dims.size() || (dims.size() > 1 && &other != &rank)) {
        throw Unverifiable(fmt::format("indices of tensor {} share dimensions", tensor.name));
      }
      std::vector<std::int64_t> coefficients;
      for (const Term& term : other) coefficients.push_back(term.coefficient);
      ranks.push_back(std::move(coefficients));
    }
    done |= mask;
    const bool simple = dims.size() == 1 && ranks.size() == 1 && std::abs(ranks[0][0]) == 1;
    parts.plain = parts.plain && simple;
    if (dims.size() == 1 && (simple || !boxes)) {
      parts.alone.push_back(dims[0]);
    } else {
      parts.windows.emplace_back(std::move(dims), std::move(ranks), boxes);
    }
  }
  return parts;
}

}  // namespace tilewright::certificate
