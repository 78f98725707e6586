#include "workload/window.h"

#include <gtest/gtest.h>

#include <set>

#include "support/random_problem.h"

namespace tilewright {
namespace {

using testing::TestRng;

// All values of sum c[i]*x[i] + offset, by trying.
std::set<std::int64_t> all_sums(const std::vector<std::int64_t>& coefficients,
                                const std::vector<std::int64_t>& extents, std::int64_t offset) {
  std::set<std::int64_t> values = {offset};
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    std::set<std::int64_t> next;
    for (const std::int64_t value : values) {
      for (std::int64_t x = 0; x < extents[i]; ++x) next.insert(value + coefficients[i] * x);
    }
    values = std::move(next);
  }
  return values;
}

Extents to_extents(const std::vector<std::int64_t>& values) {
  Extents extents{};
  std::copy(values.begin(), values.end(), extents.begin());
  return extents;
}

// One rank over the dimensions 0, 1, ...
Window window_of(const std::vector<std::int64_t>& coefficients) {
  Rank rank;
  std::vector<DimId> dims;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    dims.push_back(DimId{static_cast<int>(i)});
    rank.push_back({dims.back(), coefficients[i]});
  }
  const Window::Kind kind = coefficients.size() == 2 ? Window::Kind::Pair : Window::Kind::Sum;
  return Window(kind, dims, {rank}, false);
}

TEST(DistinctSums, OfTwoTermsEqualTheEnumeration) {
  for (std::int64_t m = 1; m <= 6; ++m) {
    for (std::int64_t n = 1; n <= 6; ++n) {
      for (std::int64_t a = 1; a <= 9; ++a) {
        for (std::int64_t b = 1; b <= 9; ++b) {
          const auto expected = static_cast<std::int64_t>(all_sums({m, n}, {a, b}, 0).size());
          ASSERT_EQ(distinct_sums(m, a, n, b), expected) << m << "*" << a << " " << n << "*" << b;
        }
      }
    }
  }
}

TEST(DistinctSums, OfMoreTermsEqualTheEnumeration) {
  TestRng rng(5);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::int64_t> coefficients;
    std::vector<std::int64_t> extents;
    const std::int64_t terms = rng.between(1, 4);
    for (std::int64_t t = 0; t < terms; ++t) {
      coefficients.push_back(rng.between(1, 9));
      extents.push_back(rng.between(1, 5));
    }
    const auto expected = static_cast<std::int64_t>(all_sums(coefficients, extents, 0).size());
    ASSERT_EQ(distinct_sums(static_cast<int>(terms), to_extents(coefficients), to_extents(extents)),
              expected);
  }
}

// A divisor that all coefficients share moves the values apart and makes no others;
// one that some of them share leaves gaps.
TEST(DistinctSums, OfMoreTermsWithCommonDivisorsEqualTheEnumeration) {
  TestRng rng(6);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t common = rng.between(2, 12);
    std::vector<std::int64_t> coefficients;
    std::vector<std::int64_t> extents;
    const std::int64_t terms = rng.between(3, 5);
    for (std::int64_t t = 0; t < terms; ++t) {
      coefficients.push_back(rng.pick<std::int64_t>({1, 2, 3, 4, 6, 10}) * common);
      extents.push_back(rng.between(1, 4));
    }
    if (i % 2 == 1) coefficients.back() = 1;
    const auto expected = static_cast<std::int64_t>(all_sums(coefficients, extents, 0).size());
    ASSERT_EQ(distinct_sums(static_cast<int>(terms), to_extents(coefficients), to_extents(extents)),
              expected);
  }
}

// Two terms have a closed form, however large they are.
TEST(DistinctSums, OfTwoTermsAreNotCounted) {
  constexpr std::int64_t kMany = 1'000'000'000;
  EXPECT_EQ(distinct_sums(1, kMany, 1, kMany), 2 * kMany - 1);
  EXPECT_EQ(distinct_sums(6, kMany, 4, kMany), 5 * kMany - 5 - 2 * 1 + 1);
  EXPECT_EQ(distinct_sums(kMany, 5, 1, 7), 35);
  EXPECT_EQ(distinct_sums(kMany, kMany, kMany, 3), kMany + 2);
}

TEST(Window, SizeAndNewElementsEqualSetsOfValues) {
  TestRng rng(11);
  for (int i = 0; i < 6000; ++i) {
    std::vector<std::int64_t> coefficients;
    std::vector<std::int64_t> extents;
    const std::int64_t terms = rng.between(2, 3);
    for (std::int64_t t = 0; t < terms; ++t) {
      coefficients.push_back(rng.between(1, 5) * (rng.chance(20) ? -1 : 1));
      extents.push_back(rng.between(1, 6));
    }
    const Window window = window_of(coefficients);
    ASSERT_EQ(window.size(to_extents(extents)),
              static_cast<std::int64_t>(all_sums(coefficients, extents, 0).size()));

    // The tile before is full along the moving dimension; this one may be cut.
    const auto moving = static_cast<std::size_t>(rng.between(0, terms - 1));
    std::vector<std::int64_t> previous = extents;
    previous[moving] = rng.between(extents[moving], extents[moving] + 3);
    const std::int64_t step = rng.between(previous[moving], previous[moving] * 3);
    const auto old = all_sums(coefficients, previous, 0);
    std::int64_t fresh = 0;
    for (const std::int64_t value : all_sums(coefficients, extents, coefficients[moving] * step)) {
      fresh += old.count(value) == 0 ? 1 : 0;
    }
    ASSERT_EQ(
        window.new_elements(to_extents(extents), static_cast<int>(moving), previous[moving], step),
        fresh);
  }
}

// Elements of several tiles, side by side or apart, the last one cut short, at rest or moved.
TEST(Window, ElementsTogetherEqualSetsOfValues) {
  TestRng rng(11);
  for (int i = 0; i < 3000; ++i) {
    const auto dims = static_cast<std::size_t>(rng.between(2, 3));
    std::vector<std::int64_t> coefficients;
    std::vector<TileRow> rows;
    for (std::size_t d = 0; d < dims; ++d) {
      coefficients.push_back(rng.between(1, 4) * (rng.chance(20) ? -1 : 1));
      TileRow row;
      row.extent = rng.between(1, 4);
      std::int64_t next = 0;
      for (auto n = rng.between(0, 3); n >= 0; --n) {
        row.starts.push_back(next);
        next += row.extent + (rng.chance(30) ? rng.between(0, 5) : 0);
      }
      row.cut_start = next;
      row.cut_extent = rng.chance(40) ? rng.between(0, row.extent - 1) : 0;
      rows.push_back(row);
    }
    std::optional<TileMove> move;
    if (rng.chance(60)) {
      const auto position = static_cast<int>(rng.between(0, static_cast<std::int64_t>(dims) - 1));
      const std::int64_t previous = rows[at(position)].extent;
      move = TileMove{position, previous, previous * rng.between(1, 3)};
    }
    // Every tile on its own, in any order.
    std::set<std::int64_t> expected;
    std::vector<std::size_t> place(dims, 0);
    for (bool more = true; more;) {
      std::vector<std::int64_t> extents;
      std::int64_t origin = 0;
      for (std::size_t d = 0; d < dims; ++d) {
        const bool cut = place[d] == rows[d].starts.size();
        extents.push_back(cut ? rows[d].cut_extent : rows[d].extent);
        origin += coefficients[d] * (cut ? rows[d].cut_start : rows[d].starts[place[d]]);
      }
      std::set<std::int64_t> before;
      if (move) {
        const std::size_t moving = at(move->position);
        std::vector<std::int64_t> old = extents;
        old[moving] = move->previous;
        before = all_sums(coefficients, old, origin - coefficients[moving] * move->step);
      }
      for (const std::int64_t element : all_sums(coefficients, extents, origin)) {
        if (!before.contains(element)) expected.insert(element);
      }
      more = false;
      for (std::size_t d = 0; d < dims && !more; ++d) {
        more = ++place[d] < rows[d].starts.size() + (rows[d].cut_extent > 0 ? 1 : 0);
        if (!more) place[d] = 0;
      }
    }
    ASSERT_EQ(window_of(coefficients).elements_together(rows, move),
              static_cast<std::int64_t>(expected.size()))
        << "case " << i;
  }
}

TEST(Window, AnswersAtOnceHoweverLargeTheCoefficients) {
  const Window pair = window_of({1, 1'000'000'000'000});
  EXPECT_EQ(pair.new_elements({4, 3}, 0, 4, 8), 12);
  const Window sum = window_of({1, 1, 1});
  EXPECT_EQ(sum.new_elements({1'000'000'000, 1'000'000'000, 5}, 0, 1'000'000'000, 1'000'000'000),
            1'000'000'000);
}

TEST(SplitTensor, SeesThatAFullMatrixIsOneToOne) {
  // Ranks that mix nine dimensions: row i has 2 on the diagonal and 1 elsewhere.
  Workload workload;
  std::vector<Rank> ranks;
  for (int r = 0; r < 9; ++r) {
    workload.dims.push_back({std::string(1, static_cast<char>('a' + r)), 2});
    Rank rank;
    for (int d = 0; d < 9; ++d) rank.push_back({DimId{d}, d == r ? 2 : 1});
    ranks.push_back(rank);
  }
  const Tensor mixed{"A", Role::Input, ranks, 8};
  workload.tensors = {mixed};
  const auto parts = split_tensor(workload, mixed, false);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->alone, 0x1ffU);
}

TEST(Window, CountsTheHolesOfAStrideOnlyInABoundingBox) {
  Workload workload = make_conv2d("strided", {.p = 4, .r = 1, .stride_h = 3});
  const Tensor& input = workload.tensors[0];
  const auto exact = split_tensor(workload, input, false);
  const auto boxes = split_tensor(workload, input, true);
  ASSERT_TRUE(exact && boxes);
  EXPECT_EQ(exact->windows[0].size({4, 1}), 4);
  EXPECT_EQ(boxes->windows[0].size({4, 1}), 10);
}

TEST(SplitTensor, TreatsADiagonalAsOneDimension) {
  Workload workload;
  workload.dims = {{"i", 5}};
  const Tensor diagonal{"A", Role::Input, {{{DimId{0}, 1}}, {{DimId{0}, 2}}}, 8};
  workload.tensors = {diagonal};
  const auto exact = split_tensor(workload, diagonal, false);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->alone, 1U);
  EXPECT_TRUE(exact->windows.empty());
  const auto boxes = split_tensor(workload, diagonal, true);
  ASSERT_TRUE(boxes);
  ASSERT_EQ(boxes->windows.size(), 1U);
  EXPECT_EQ(boxes->windows[0].size({3}), 3 * 5);
}

TEST(SplitTensor, RefusesRanksThatShareDimensionsWithoutBeingOneToOne) {
  Workload workload;
  workload.dims = {{"i", 5}, {"j", 5}};
  const Rank sum = {{DimId{0}, 1}, {DimId{1}, 1}};
  const Tensor twice{"A", Role::Input, {sum, sum}, 8};
  workload.tensors = {twice};
  EXPECT_FALSE(split_tensor(workload, twice, false));
}

}  // namespace
}  // namespace tilewright
