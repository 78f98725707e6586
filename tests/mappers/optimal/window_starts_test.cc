// Shares of branches that start at different places, against counting them step by step.
#include "mappers/optimal/window_starts.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright::optimal {
namespace {

Window pair_of(std::int64_t first, std::int64_t second) {
  Rank rank;
  rank = {{DimId{0}, first}, {DimId{1}, second}};
  return Window(Window::Kind::Pair, {DimId{0}, DimId{1}}, {rank}, false);
}

// The branches that have an index in a step: digits are, from the inside out, the index in a tile,
// the branch, and the place of all branches together.
std::vector<std::int64_t> starts_in_step(const UnrolledDim& dim, std::int64_t tile,
                                         std::int64_t step) {
  std::vector<std::int64_t> starts;
  const std::int64_t first = step / tile * tile * dim.branches + step % tile;
  for (std::int64_t branch = 0; branch < dim.branches; ++branch) {
    if (first + branch * tile < dim.size) starts.push_back(branch * tile);
  }
  return starts;
}

struct Counted {
  std::int64_t different = 0, all = 0;
};

Counted count(const std::array<UnrolledDim, 2>& dims, const std::array<std::int64_t, 2>& tiles,
              std::int64_t first, std::int64_t second) {
  Counted counted;
  for (std::int64_t i = 0; i < dims[0].size; ++i) {
    for (std::int64_t j = 0; j < dims[1].size; ++j) {
      std::set<std::int64_t> places;
      for (const std::int64_t a : starts_in_step(dims[0], tiles[0], i)) {
        for (const std::int64_t b : starts_in_step(dims[1], tiles[1], j)) {
          places.insert(first * a + second * b);
          ++counted.all;
        }
      }
      counted.different += static_cast<std::int64_t>(places.size());
    }
  }
  return counted;
}

bool is_tile(const UnrolledDim& dim, std::int64_t tile) {
  return !dim.divides || dim.size % (tile * dim.branches) == 0;
}

// Every tile that two dimensions can have.
void compare(const std::array<UnrolledDim, 2>& dims, std::int64_t first, std::int64_t second) {
  const Window window = pair_of(first, second);
  const UnrolledDims unrolled = {dims[0], dims[1]};
  const Rational bound = least_share_of_starts(window, unrolled);
  double least = 1;
  for (std::int64_t a = 1; a <= dims[0].size; ++a) {
    for (std::int64_t b = 1; b <= dims[1].size; ++b) {
      if (!is_tile(dims[0], a) || !is_tile(dims[1], b)) continue;
      const Counted counted = count(dims, {a, b}, first, second);
      ASSERT_EQ(counted.all, dims[0].size * dims[1].size);
      const Rational share = share_of_starts(window, unrolled, {a, b});
      EXPECT_EQ(share.numerator * counted.all, counted.different * share.denominator)
          << a << " and " << b << " of " << dims[0].size << " and " << dims[1].size;
      least = std::min(least, share.value());
    }
  }
  EXPECT_LE(bound.value(), least + 1e-12);
  // Some of the tiles that divide are too large for as many branches.
  if (!dims[0].divides) EXPECT_GE(bound.value(), least - 1e-12);
}

TEST(WindowStarts, AreThoseOfEveryStepWithRemainders) {
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {1, 3}, {2, 3}, {4, 3}}) {
    for (std::int64_t size = 1; size <= 9; size += 2) {
      for (std::int64_t a = 1; a <= 6; ++a) {
        for (std::int64_t b = 1; b <= 8; b += 1 + b / 4) {
          compare({{{a, size, size, false}, {b, 10 - size, 10 - size, false}}}, first, second);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(WindowStarts, AreThoseOfTilesThatDivide) {
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {1, 3}, {2, 3}, {4, 3}}) {
    for (const std::int64_t a : {1, 2, 3, 4, 6, 12}) {
      for (const std::int64_t b : {1, 2, 4, 8}) {
        compare({{{a, 12, 12 / a, true}, {b, 8, 8 / b, true}}}, first, second);
        if (HasFailure()) return;
      }
    }
  }
}

// --- with branches of fan-outs further in ----------------------------------------------------

// A branch in a step, with the indices that those further in have, from its first one on.
struct Branch {
  std::int64_t start = 0;
  std::vector<std::int64_t> indices;
};

// Digits of a tile are, from the inside out: a loop, branches beyond a memory, that memory's loop,
// and branches with no memory between.
struct Layout {
  std::int64_t steps = 1, beyond = 1, loop = 1, beside = 1;

  std::int64_t tile() const { return steps * beyond * loop * beside; }
};

std::vector<Branch> branches_in_step(const UnrolledDim& dim, const Layout& layout,
                                     std::int64_t step) {
  const std::int64_t together = layout.steps * layout.loop;  // steps of a tile
  const std::int64_t first = step / together * dim.branches * layout.tile();
  const std::int64_t outer = step % together / layout.steps * layout.steps * layout.beyond;
  const std::int64_t in_step = outer + step % layout.steps;
  std::vector<Branch> branches;
  for (std::int64_t i = 0; i < dim.branches; ++i) {
    Branch branch{first + i * layout.tile(), {}};
    for (std::int64_t j = 0; j < dim.inside; ++j) {
      const std::int64_t index = j / layout.beyond * (layout.tile() / layout.beside) +
                                 j % layout.beyond * layout.steps + in_step;
      if (branch.start + index < dim.size) branch.indices.push_back(index);
    }
    if (!branch.indices.empty()) branches.push_back(std::move(branch));
  }
  return branches;
}

std::int64_t number_of_steps(const UnrolledDim& dim, const Layout& layout) {
  return ceil_div(dim.size, layout.tile() * dim.branches) * layout.steps * layout.loop;
}

// What passes, where branches share that start at the same place and have the same inside.
Counted count_inside(const std::array<UnrolledDim, 2>& dims, const std::array<Layout, 2>& layouts,
                     std::int64_t first, std::int64_t second) {
  using Alike =
      std::tuple<std::int64_t, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&>;
  Counted counted;
  for (std::int64_t i = 0; i < number_of_steps(dims[0], layouts[0]); ++i) {
    const std::vector<Branch> rows = branches_in_step(dims[0], layouts[0], i);
    for (std::int64_t j = 0; j < number_of_steps(dims[1], layouts[1]); ++j) {
      const std::vector<Branch> columns = branches_in_step(dims[1], layouts[1], j);
      std::set<Alike> different;
      for (const Branch& a : rows) {
        for (const Branch& b : columns) {
          const auto words = static_cast<std::int64_t>(a.indices.size() * b.indices.size());
          counted.all += words;
          const Alike alike{first * a.start + second * b.start, a.indices, b.indices};
          if (different.insert(alike).second) counted.different += words;
        }
      }
    }
  }
  return counted;
}

// All layouts of tiles up to the size, where that is as large as one step of them.
std::vector<Layout> layouts_of(const UnrolledDim& dim) {
  std::vector<Layout> layouts;
  for (std::int64_t steps = 1; steps * dim.inside <= dim.size; ++steps) {
    for (std::int64_t loop = 1; steps * loop * dim.inside <= dim.size; ++loop) {
      layouts.push_back({steps, dim.inside / dim.beside, loop, dim.beside});
    }
  }
  return layouts;
}

void compare_inside(const std::array<UnrolledDim, 2>& dims, std::int64_t first,
                    std::int64_t second) {
  const Window window = pair_of(first, second);
  const UnrolledDims unrolled = {dims[0], dims[1]};
  const Rational bound = least_share_of_starts(window, unrolled);
  for (const Layout& rows : layouts_of(dims[0])) {
    for (const Layout& columns : layouts_of(dims[1])) {
      const Counted counted = count_inside(dims, {rows, columns}, first, second);
      ASSERT_EQ(counted.all, dims[0].size * dims[1].size);
      const Rational share = share_of_starts(window, unrolled, {rows.tile(), columns.tile()});
      const std::int64_t known = share.numerator * counted.all;
      const std::int64_t real = counted.different * share.denominator;
      const bool is_exact = rows.beyond * columns.beyond == 1;
      EXPECT_TRUE(is_exact ? known == real : known <= real)
          << rows.tile() << " and " << columns.tile() << ": " << share.value() << " and "
          << counted.different << " of " << counted.all;
      EXPECT_LE(bound.numerator * counted.all, counted.different * bound.denominator);
    }
  }
}

TEST(WindowStarts, AreThoseOfBranchesThatHaveBranchesOfTheirOwn) {
  constexpr std::array<std::array<std::int64_t, 2>, 5> kInside = {
      {{1, 1}, {2, 1}, {2, 2}, {3, 3}, {4, 2}}};  // in all, and with no memory between
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {2, 3}}) {
    for (const auto& inside : kInside) {
      for (const auto& other : {kInside[0], kInside[2], kInside[1]}) {
        for (const std::int64_t size : {3, 7, 10}) {
          for (const std::int64_t a : {2, 3}) {
            const UnrolledDim row{a, size, size, false, false, inside[0], inside[1]};
            const UnrolledDim column{2, 8, 8, false, false, other[0], other[1]};
            compare_inside({row, column}, first, second);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

// Where there are more branches than steps that are tried, the bound is lower, but holds.
TEST(WindowStarts, AreBoundedForManyBranches) {
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {7, 5}}) {
    const Window window = pair_of(first, second);
    const UnrolledDims dims = {UnrolledDim{40, 100, 100, false}, UnrolledDim{30, 64, 64, false}};
    const Rational bound = least_share_of_starts(window, dims);
    EXPECT_GT(bound.numerator, 0);
    for (std::int64_t a = 1; a <= 100; ++a) {
      for (std::int64_t b = 1; b <= 64; ++b) {
        EXPECT_LE(bound.value(), share_of_starts(window, dims, {a, b}).value() + 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::optimal
