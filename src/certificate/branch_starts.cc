#include "certificate/branch_starts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace tilewright::certificate {

namespace {

// So many branches have an index, in so many steps.
struct Steps {
  std::int64_t branches = 0, number = 0;
};

// All branches do until the end of the dimension cuts the last ones off.
std::array<Steps, 3> steps_of(const BranchDim& dim, std::int64_t tile) {
  const std::int64_t round = narrow(Count(dim.branches) * tile);
  const std::int64_t left = dim.size % round;
  const std::int64_t whole_tiles = left / tile;
  return {{{dim.branches, dim.size / round * tile},
           {whole_tiles + 1, left % tile},
           {whole_tiles, tile - left % tile}}};
}

// Two dimensions that are unrolled: branches (i, j) begin at i * first.step + j * second.step
// times the same, for tiles of one index.
struct Pair {
  struct Side {
    std::size_t place = 0;  // in the window
    BranchDim dim;
    std::int64_t step = 1;
  };
  Side first, second;
};

// Branches whose steps are p and q times the same, p and q having no common divisor: (i, j)
// begins where (i + q, j - p) does.
Starts starts_in(std::int64_t rows, std::int64_t columns, std::int64_t p, std::int64_t q) {
  const Count all = Count(rows) * columns;
  if (rows <= q || columns <= p) return {all, all};
  return {all - Count(rows - q) * (columns - p), all};
}

class LeastOfPair {
 public:
  LeastOfPair(const Window& window, const BranchDims& dims, const Pair& pair, bool perfect)
      : window_(window), dims_(dims), pair_(pair), perfect_(perfect) {}

  // More are different the larger p or q are.
  Starts find() {
    for (std::int64_t p = 1; p < pair_.second.dim.branches; ++p) {
      for (std::int64_t q = 1; q < pair_.first.dim.branches; ++q) {
        const bool helps = starts_in(pair_.first.dim.branches, pair_.second.dim.branches, p, q)
                               .is_less_than(least_);
        if (!helps && q == 1) return least_;
        if (!helps) break;
        if (std::gcd(p, q) == 1) try_steps(p, q);
      }
    }
    return least_;
  }

 private:
  // With the smallest tiles that are p and q apart, and with multiples of them.
  void try_steps(std::int64_t p, std::int64_t q) {
    constexpr int kMostMultiples = 64;
    const std::int64_t x = narrow(Count(p) * pair_.second.step);
    const std::int64_t y = narrow(Count(q) * pair_.first.step);
    const std::int64_t rows = x / std::gcd(x, y);
    const std::int64_t columns = y / std::gcd(x, y);
    const bool divides = pair_.first.dim.part % rows == 0 && pair_.second.dim.part % columns == 0;
    if (perfect_ && !divides) return;
    Extents tiles(dims_.size(), 1);
    for (int times = 1; times <= kMostMultiples; ++times) {
      tiles[pair_.first.place] = narrow(Count(rows) * times);
      tiles[pair_.second.place] = narrow(Count(columns) * times);
      const Starts in_use =
          starts_in(in_use_of(pair_.first, tiles), in_use_of(pair_.second, tiles), p, q);
      if (!in_use.is_less_than(least_)) return;
      // Larger multiples leave no more branches in use.
      if (perfect_ || times == kMostMultiples) {
        least_ = in_use;
        return;
      }
      const Starts starts = starts_with(window_, dims_, tiles);
      if (starts.is_less_than(least_)) least_ = starts;
    }
  }

  static std::int64_t in_use_of(const Pair::Side& side, const Extents& tiles) {
    return std::min(side.dim.branches, ceil_div(side.dim.size, tiles[side.place]));
  }

  const Window& window_;
  const BranchDims& dims_;
  Pair pair_;
  bool perfect_;
  Starts least_;
};

// Sets of whole numbers have at least so many different sums.
Starts sums_of(const BranchDims& dims) {
  Count different = 1;
  Count all = 1;
  for (const BranchDim& dim : dims) {
    different += dim.branches - 1;
    all *= dim.branches;
  }
  return {different, all};
}

}  // namespace

Starts starts_with(const Window& window, const BranchDims& dims, const Extents& tiles) {
  constexpr Int128 kMostSteps = Int128{1} << 60;  // shares are compared in 128 bits
  Count all = 1;
  Count in_use = 1;
  Extents branches;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    branches.push_back(std::min(dims[i].branches, ceil_div(dims[i].size, tiles[i])));
    all *= dims[i].size;
    in_use *= branches.back();
  }
  if (all > kMostSteps) return {window.starts(branches, tiles), in_use};
  Count different = 0;
  const auto visit = [&](const auto& self, std::size_t i, Count steps) -> void {
    if (i == dims.size()) {
      different += steps * window.starts(branches, tiles);
      return;
    }
    for (const Steps& some : steps_of(dims[i], tiles[i])) {
      branches[i] = some.branches;
      if (some.branches > 0 && some.number > 0) self(self, i + 1, steps * some.number);
    }
  };
  visit(visit, 0, 1);
  return {different, all};
}

Starts least_starts(const Window& window, const BranchDims& dims, bool perfect) {
  BranchDims used = dims;
  std::vector<Pair::Side> unrolled;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    used[i].branches = std::min(dims[i].branches, dims[i].size);
    if (used[i].branches > 1) unrolled.push_back({i, used[i], std::abs(window.step(i))});
  }
  if (unrolled.size() < 2) return {};
  if (unrolled.size() > 2) return sums_of(used);
  return LeastOfPair(window, used, {unrolled[0], unrolled[1]}, perfect).find();
}

}  // namespace tilewright::certificate
