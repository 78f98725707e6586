#include "mappers/optimal/window_starts.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace tilewright::optimal {
namespace {

bool is_less(const Rational& a, const Rational& b) {
  return static_cast<Int128>(a.numerator) * b.denominator <
         static_cast<Int128>(b.numerator) * a.denominator;
}

// So many branches, in so many steps.
struct Steps {
  std::int64_t branches = 0, number = 0;
};

// Steps in which all that a branch unrolls further in is at work, if the end of the dimension cuts
// its tile short to so many indices; at most, where loops stand between.
std::int64_t full_steps(const UnrolledDim& dim, std::int64_t tile, std::int64_t cut) {
  const std::int64_t of_last = cut - (dim.beside - 1) * (tile / dim.beside);
  return std::max<std::int64_t>(of_last, 0) / (dim.inside / dim.beside);
}

// Branches of which all that they unroll further in is at work. So it is with all branches but in
// the last steps, which the end of the dimension cuts off.
std::array<Steps, 3> steps_of(const UnrolledDim& dim, std::int64_t tile) {
  const std::int64_t together = dim.branches * tile;
  const std::int64_t left = dim.size % together;
  const std::int64_t whole = left / tile;
  const std::int64_t steps = tile / dim.inside;
  const std::int64_t full = full_steps(dim, tile, left % tile);
  return {{{dim.branches, dim.size / together * steps}, {whole + 1, full}, {whole, steps - full}}};
}

// Two dimensions that meet in a window.
struct Pair {
  UnrolledDim first, second;
  std::int64_t first_coefficient = 1, second_coefficient = 1;
};

// With steps of p and q times the same, branch (i, j) starts where (i + q, j - p) does; p and q
// have no divisor in common. So many branches start where another one does.
std::int64_t repeats_of(std::int64_t a, std::int64_t b, std::int64_t p, std::int64_t q) {
  return std::max<std::int64_t>(a - q, 0) * std::max<std::int64_t>(b - p, 0);
}

std::int64_t starts_of(std::int64_t a, std::int64_t b, std::int64_t p, std::int64_t q) {
  return a * b - repeats_of(a, b, p, q);
}

// With all branches that have anything; in steps in which fewer do, the share is no smaller.
Rational share_at_most(const Pair& pair, std::int64_t a, std::int64_t b, std::int64_t p,
                       std::int64_t q) {
  const std::int64_t rows = std::min(pair.first.branches, ceil_div(pair.first.size, a));
  const std::int64_t columns = std::min(pair.second.branches, ceil_div(pair.second.size, b));
  return {starts_of(rows, columns, p, q), rows * columns};
}

// The share with tiles of a and b that are p and q apart, times the same.
Rational share_with(const Pair& pair, std::int64_t a, std::int64_t b, std::int64_t p,
                    std::int64_t q) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;  // sums would be large
  const bool is_even = pair.first.divides && pair.second.divides;
  if (is_even || pair.first.size > kMost || pair.second.size > kMost) {
    return share_at_most(pair, a, b, p, q);
  }
  const std::int64_t all = pair.first.size * pair.second.size;
  std::int64_t repeats = 0;
  for (const Steps& rows : steps_of(pair.first, a)) {
    for (const Steps& columns : steps_of(pair.second, b)) {
      repeats += rows.number * columns.number * repeats_of(rows.branches, columns.branches, p, q);
    }
  }
  return {all - repeats * pair.first.inside * pair.second.inside, all};
}

bool is_tile(const UnrolledDim& dim, std::int64_t extent) {
  const bool divides = dim.divides || dim.is_whole;
  return extent <= dim.most && extent % dim.inside == 0 && (!divides || dim.size % extent == 0);
}

Rational least_share(const Pair& pair) {
  constexpr std::int64_t kMost = 16;  // of steps that are tried; larger ones make less of a share
  const std::int64_t a = pair.first.branches;
  const std::int64_t b = pair.second.branches;
  // Tiles of one index are possible, and the best of them.
  const bool is_even = pair.first.divides && pair.second.divides;
  if (is_even && pair.first_coefficient == pair.second_coefficient) {
    return {starts_of(a, b, 1, 1), a * b};
  }
  Rational least{1, 1};
  const auto consider = [&](const Rational& share) {
    if (is_less(share, least)) least = share;
  };
  // The smallest tiles with these steps, and multiples of them.
  const auto try_steps = [&](std::int64_t p, std::int64_t q) {
    const std::int64_t x = p * pair.second_coefficient;
    const std::int64_t y = q * pair.first_coefficient;
    const std::int64_t common = std::gcd(x, y);
    for (std::int64_t rows = x / common, columns = y / common;
         rows <= pair.first.most && columns <= pair.second.most;
         rows += x / common, columns += y / common) {
      if (!is_less(share_at_most(pair, rows, columns, p, q), least)) return;
      if (!is_tile(pair.first, rows) || !is_tile(pair.second, columns)) continue;
      consider(share_with(pair, rows, columns, p, q));
    }
  };
  for (std::int64_t p = 1; p <= std::min(b - 1, kMost); ++p) {
    for (std::int64_t q = 1; q <= std::min(a - 1, kMost); ++q) {
      if (!is_less({starts_of(a, b, p, q), a * b}, least)) break;
      if (std::gcd(p, q) == 1) try_steps(p, q);
    }
  }
  if (b - 1 > kMost) consider({starts_of(a, b, kMost + 1, 1), a * b});
  if (a - 1 > kMost) consider({starts_of(a, b, 1, kMost + 1), a * b});
  return least;
}

// If there are two dimensions of which several branches may have something.
std::optional<Pair> pair_of(const Window& window, const UnrolledDims& dims, const Extents& tiles,
                            Extents& pair_tiles) {
  std::optional<Pair> pair;
  int unrolled = 0;
  for (int i = 0; i < window.dim_count(); ++i) {
    UnrolledDim dim = dims[at(i)];
    dim.branches = std::min(dim.branches, dim.size);
    if (dim.branches == 1) continue;
    if (!pair) pair.emplace();
    const std::int64_t coefficient = std::abs(window.signed_coefficient(i));
    (unrolled == 0 ? pair->first : pair->second) = dim;
    (unrolled == 0 ? pair->first_coefficient : pair->second_coefficient) = coefficient;
    if (unrolled < 2) pair_tiles[at(unrolled)] = tiles[at(i)];
    ++unrolled;
  }
  return unrolled == 2 ? pair : std::nullopt;
}

}  // namespace

std::int64_t starts_of_pair(const Window& window, const std::array<std::int64_t, 2>& branches,
                            const std::array<std::int64_t, 2>& tiles) {
  if (window.is_injective()) return branches[0] * branches[1];
  const std::int64_t p = tiles[0] * std::abs(window.signed_coefficient(0));
  const std::int64_t q = tiles[1] * std::abs(window.signed_coefficient(1));
  const std::int64_t common = std::gcd(p, q);
  return starts_of(branches[0], branches[1], p / common, q / common);
}

Rational share_of_starts(const Window& window, const UnrolledDims& dims, const Extents& tiles) {
  if (window.is_injective()) return {1, 1};
  Extents own{};
  if (const std::optional<Pair> pair = pair_of(window, dims, tiles, own)) {
    const std::int64_t p = own[0] * pair->first_coefficient;
    const std::int64_t q = own[1] * pair->second_coefficient;
    const std::int64_t common = std::gcd(p, q);
    return share_with(*pair, own[0], own[1], p / common, q / common);
  }
  Extents branches{};
  std::int64_t product = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    branches[at(i)] = std::min(dims[at(i)].branches, ceil_div(dims[at(i)].size, tiles[at(i)]));
    product *= branches[at(i)];
  }
  return {window.distinct_starts(branches, tiles), product};
}

Rational least_share_of_starts(const Window& window, const UnrolledDims& dims) {
  if (window.is_injective()) return {1, 1};
  Extents none{};
  if (const std::optional<Pair> pair = pair_of(window, dims, none, none)) return least_share(*pair);
  std::int64_t product = 1;
  std::int64_t starts = 1;  // sets of whole numbers have at least that many different sums
  std::int64_t most = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    const std::int64_t branches = std::min(dims[at(i)].branches, dims[at(i)].size);
    product *= branches;
    starts += branches - 1;
    most = std::max(most, branches);
  }
  return product == most ? Rational{1, 1} : Rational{starts, product};
}

}  // namespace tilewright::optimal
