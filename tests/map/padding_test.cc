#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/problems.h"
#include "support/random_problem.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const Workload& workload) {
  Sizes sizes;
  for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
  return sizes;
}

std::vector<Sizes> padded_sizes(const Workload& workload, const Architecture& arch) {
  std::vector<Sizes> all;
  for (const Workload& padded : padded_workloads(workload, arch)) all.push_back(sizes_of(padded));
  return all;
}

Architecture with_axes(std::int64_t x, DimNames x_dims, std::int64_t y, DimNames y_dims) {
  Fanout array = testing::make_fanout("Array", x, y);
  array.x.dims = std::move(x_dims);
  array.y.dims = std::move(y_dims);
  return testing::make_arch({testing::make_memory("Outer"), array, testing::make_memory("Inner")});
}

using Names = std::vector<std::string>;

TEST(PaddedWorkloads, RoundLargerDimensionsUpToTheAxis) {
  const Workload workload = make_gemm("gemm", 10, 3, 9);
  EXPECT_THAT(padded_sizes(workload, with_axes(4, {}, 1, {})),
              ElementsAre(Sizes{10, 3, 9}, Sizes{12, 3, 9}, Sizes{10, 3, 12}));
}

TEST(PaddedWorkloads, HeedTheDimensionsOfAnAxis) {
  const Workload workload = make_gemm("gemm", 10, 3, 9);
  EXPECT_THAT(padded_sizes(workload, with_axes(4, Names{"M"}, 2, Names{"K", "N"})),
              UnorderedElementsAre(Sizes{10, 3, 9}, Sizes{12, 3, 9}, Sizes{10, 4, 9},
                                   Sizes{10, 3, 10}, Sizes{12, 4, 9}, Sizes{12, 3, 10}));
}

TEST(PaddedWorkloads, OneDimensionMayFillTwoAxes) {
  // 4 * 3 = 12 is below 13, and 24 is the next multiple.
  EXPECT_THAT(
      padded_sizes(make_gemm("gemm", 13, 1, 1), with_axes(4, {}, 3, {})),
      UnorderedElementsAre(Sizes{13, 1, 1}, Sizes{16, 1, 1}, Sizes{15, 1, 1}, Sizes{24, 1, 1}));
}

TEST(PaddedWorkloads, WhatFillsAnAxisAlreadyIsNotListedTwice) {
  EXPECT_THAT(padded_sizes(make_gemm("gemm", 12, 4, 2), with_axes(4, {}, 1, {})), SizeIs(1));
}

TEST(PaddedWorkloads, OfAPairThatIsNoProblemIsTheWorkloadAlone) {
  Architecture arch = with_axes(4, {}, 1, {});
  arch.levels.pop_back();
  EXPECT_THAT(padded_sizes(make_gemm("gemm", 10, 3, 9), arch), ElementsAre(Sizes{10, 3, 9}));
}

TEST(PaddedWorkloads, AreNotMoreThanCanBeSearched) {
  std::vector<Level> levels = {testing::make_memory("Outer")};
  for (const char* name : {"A", "B", "C"}) levels.emplace_back(testing::make_fanout(name, 5, 3));
  const std::vector<Sizes> found =
      padded_sizes(make_gemm("gemm", 10'001, 10'003, 10'007), testing::make_arch(levels));
  EXPECT_THAT(found, SizeIs(64));
  EXPECT_EQ(found.front(), (Sizes{10'001, 10'003, 10'007}));
}

TEST(PaddedWorkloads, ChangeNothingButSizes) {
  const Workload workload = make_gemm("gemm", 10, 3, 9);
  for (const Workload& padded : padded_workloads(workload, with_axes(4, {}, 2, {}))) {
    EXPECT_EQ(padded.name, workload.name);
    EXPECT_EQ(padded.tensors, workload.tensors);
  }
}

// Every choice of a dimension or none for each axis, numbered in base 4.
std::set<Sizes> naive_padding(const Sizes& sizes, const Sizes& axes,
                              const std::vector<std::uint32_t>& allowed) {
  std::set<Sizes> found;
  int choices = 1;
  for (std::size_t a = 0; a < axes.size(); ++a) choices *= 4;
  for (int choice = 0; choice < choices; ++choice) {
    Sizes multiples(3, 1);
    bool fine = true;
    int rest = choice;
    for (std::size_t a = 0; a < axes.size(); ++a, rest /= 4) {
      const auto d = static_cast<std::size_t>(rest % 4);
      if (d == 3) continue;
      fine = fine && ((allowed[a] >> d) & 1U) != 0;
      multiples[d] *= axes[a];
    }
    Sizes padded = sizes;
    for (std::size_t d = 0; d < 3; ++d) {
      fine = fine && (multiples[d] == 1 || sizes[d] > multiples[d]);
      while (padded[d] % multiples[d] != 0) ++padded[d];
    }
    if (fine) found.insert(padded);
  }
  return found;
}

TEST(PaddedWorkloads, AreAllChoicesOfADimensionPerAxis) {
  testing::TestRng rng(401);
  for (int i = 0; i < 100; ++i) {
    const Sizes sizes = {rng.between(1, 40), rng.between(1, 20), rng.between(1, 9)};
    const Names names = {"M", "N", "K"};
    Sizes axes;
    std::vector<std::uint32_t> allowed;
    std::vector<DimNames> dims;
    for (int a = 0; a < 2; ++a) {
      axes.push_back(rng.between(1, 6));
      allowed.push_back(static_cast<std::uint32_t>(rng.between(0, 7)));
      dims.emplace_back(Names{});
      for (std::size_t d = 0; d < 3; ++d) {
        if (((allowed.back() >> d) & 1U) != 0) dims.back()->push_back(names[d]);
      }
    }
    const std::vector<Sizes> found = padded_sizes(make_gemm("gemm", sizes[0], sizes[1], sizes[2]),
                                                  with_axes(axes[0], dims[0], axes[1], dims[1]));
    EXPECT_EQ(found.front(), sizes);
    EXPECT_EQ(std::set<Sizes>(found.begin(), found.end()), naive_padding(sizes, axes, allowed));
    EXPECT_EQ(std::set<Sizes>(found.begin(), found.end()).size(), found.size());
  }
}

}  // namespace
}  // namespace tilewright
