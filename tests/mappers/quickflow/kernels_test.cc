// Contractions of many kinds.
#include <gtest/gtest.h>

#include "mappers/sampling/small_search.h"
#include "support/check_local_search.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using testing::make_arch;
using testing::make_evaluator;
using testing::make_fanout;
using testing::make_memory;
using testing::make_problem;

SearchResult search_in(const Problem& problem, SpaceKind kind,
                       Objective objective = Objective::Edp) {
  const Evaluator evaluator = make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  Asked options;
  options.objective = objective;
  const SearchResult result = search_locally(evaluator, kind, restrictions, options);
  const auto wrong = testing::wrong_with(result, evaluator, kind, restrictions, objective);
  EXPECT_TRUE(wrong.empty()) << problem.workload().name << ": " << wrong.front();
  return result;
}

// Three memories around an array of 4 by 4, and a little room.
Architecture small_array() {
  return make_arch({make_memory("Outer"), make_memory("Middle", 200), make_fanout("Array", 4, 4),
                    make_memory("Inner", 16)});
}

TEST(LocalSearchKernels, AllAreSearched) {
  std::vector<Workload> kernels = {
      make_gemm("gemm", 24, 30, 16),
      make_gemm("primes", 127, 31, 7),
      make_gemm("vector", 1, 64, 64),
      make_batched_matmul("batched", 6, 8, 10, 12),
      make_conv2d("ones", {}),
      make_conv2d("conv", {.in_channels = 8, .out_channels = 12, .p = 7, .q = 7, .r = 3, .s = 3}),
      make_conv2d("batch", {.batch = 4, .in_channels = 8, .out_channels = 6, .p = 5, .q = 5}),
      make_conv2d(
          "depthwise",
          {.in_channels = 8, .out_channels = 8, .p = 7, .q = 7, .r = 3, .s = 3, .groups = 8}),
      make_conv2d(
          "grouped",
          {.in_channels = 8, .out_channels = 16, .p = 7, .q = 7, .r = 3, .s = 3, .groups = 4}),
      make_conv2d("dilated", {.in_channels = 4,
                              .out_channels = 4,
                              .p = 8,
                              .q = 8,
                              .r = 3,
                              .s = 3,
                              .stride_h = 2,
                              .stride_w = 3,
                              .dilation_h = 3,
                              .dilation_w = 2}),
      make_conv2d("transposed", {.in_channels = 4,
                                 .out_channels = 4,
                                 .p = 8,
                                 .q = 8,
                                 .r = 4,
                                 .s = 4,
                                 .stride_h = 2,
                                 .stride_w = 2,
                                 .transposed = true})};
  for (const char* text : {"O[i,r] += X[i,j,k]*Y[j,r]*Z[k,r]; i=12 j=6 k=10 r=8",
                           "O[] += A[i]*B[i]; i=36", "O[i] += A[i]; i=30"}) {
    kernels.push_back(*io::read_workload_line(text, "line").value);
  }
  std::size_t turn = 0;
  for (const Workload& kernel : kernels) {
    const Problem problem = make_problem(kernel, small_array());
    for (const SpaceKind kind : {SpaceKind::Perfect, testing::kSpaceKinds[1 + turn++ % 3]}) {
      EXPECT_TRUE(search_in(problem, kind).best) << kernel.name << " " << to_string(kind);
    }
  }
}

TEST(LocalSearchKernels, WithOneMappingAllAreAlike) {
  const Problem problem = make_problem(make_conv2d("ones", {}), small_array());
  const SearchResult result = search_in(problem, SpaceKind::Ruby);
  EXPECT_EQ(result.seen, 1U);  // by each start
  EXPECT_EQ(result.steps.size(), 1U);
}

TEST(LocalSearchKernels, RemaindersUseTheWholeRowOfAPrime) {
  const Problem problem =
      make_problem(make_gemm("prime", 127, 1, 1),
                   make_arch({make_memory("Outer"), make_fanout("Row", 16), make_memory("Inner")}));
  const SearchResult perfect = search_in(problem, SpaceKind::Perfect, Objective::Latency);
  const SearchResult uneven = search_in(problem, SpaceKind::RubyS, Objective::Latency);
  EXPECT_EQ(perfect.score.cycles, 127);
  EXPECT_EQ(uneven.score.cycles, 8);
  EXPECT_EQ(uneven.best->bound(2, DimId{0}), 16);
}

TEST(LocalSearchKernels, RemaindersAreNoWorseWhereFactorsArePoor) {
  for (const std::int64_t size : {17, 31, 61, 127}) {
    const Problem problem = make_problem(make_gemm("prime", size, size, 16), small_array());
    for (const Objective objective : testing::kObjectives) {
      const double perfect =
          value_of(objective, search_in(problem, SpaceKind::Perfect, objective).score);
      EXPECT_LE(value_of(objective, search_in(problem, SpaceKind::RubyS, objective).score), perfect)
          << size << " " << to_string(objective);
    }
  }
}

TEST(LocalSearchKernels, WhatFitsNowhereIsNotFound) {
  const Problem problem = make_problem(make_gemm("gemm", 8, 8, 8),
                                       make_arch({make_memory("Outer"), make_memory("Inner", 2)}));
  for (const SpaceKind kind : testing::kSpaceKinds) {
    EXPECT_FALSE(search_in(problem, kind).best);
  }
}

// What only the model sees: each instance must hold all that it ever needs of a
// tensor that nobody outside keeps.
TEST(LocalSearchKernels, ATensorAtHomeUnderAFanoutIsSpreadUntilItFits) {
  Memory outer = make_memory("Outer");
  outer.bypass = {"weight"};
  const Problem problem =
      make_problem(make_gemm("gemm", 16, 4, 8),
                   make_arch({outer, make_fanout("Row", 8), make_memory("Inner", 40)}));
  for (const SpaceKind kind : testing::kSpaceKinds) {
    const SearchResult result = search_in(problem, kind);
    ASSERT_TRUE(result.best) << to_string(kind);
    EXPECT_LT(result.valid, result.seen);
  }
}

}  // namespace
}  // namespace tilewright
