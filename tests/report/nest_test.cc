#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/example.h"

namespace tilewright::report {
namespace {

using namespace tilewright::testing;
using report::testing::example;
using report::testing::Example;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(NestText, ShowsLoopsRemaindersAndAxes) {
  const Example e = example();
  EXPECT_EQ(nest_text(e.problem, e.mapping),
            "DRAM keeps W I O\n"
            "  for M in 2\n"
            "Buffer keeps W I O\n"
            "    for M in 17 (last: 4)\n"
            "      for K in 3\n"
            "Array\n"
            "        par_for K in 2  on y\n"
            "          par_for N in 4  on x\n"
            "mac\n"
            "            O[M,N] += W[M,K]*I[K,N]\n");
}

TEST(NestText, ShowsRemaindersOfParallelLoops) {
  const Problem problem =
      make_problem(make_gemm("g", 1, 20, 1), make_arch({make_memory("m"), make_fanout("row", 6)}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "m", {{"N", 4}});
  set_loops(problem, mapping, "row.x", {{"N", 6}});
  EXPECT_THAT(nest_text(problem, mapping), HasSubstr("  for N in 4\n"));
  EXPECT_THAT(nest_text(problem, mapping), HasSubstr("par_for N in 6 (last: 2)  on x\n"));
}

TEST(NestText, FollowsTheOrderOfTheMapping) {
  const Problem problem = make_problem(make_gemm("g", 2, 3, 5), make_arch({make_memory("m")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "m", {{"K", 5}, {"M", 2}, {"N", 3}});
  EXPECT_THAT(nest_text(problem, mapping),
              HasSubstr("  for K in 5\n    for M in 2\n      for N in 3\n"));
}

TEST(NestText, SaysWhatIsKept) {
  Memory bypassing = make_memory("b");
  bypassing.bypass = {"weight"};
  Memory empty = make_memory("e");
  empty.keep.emplace();
  const Problem problem =
      make_problem(make_gemm("g", 2, 3, 5), make_arch({make_memory("m"), bypassing, empty}));
  const std::string text = nest_text(problem, Mapping(problem));
  EXPECT_THAT(text, HasSubstr("m keeps W I O\n"));
  EXPECT_THAT(text, HasSubstr("b keeps I O\n"));
  EXPECT_THAT(text, HasSubstr("e keeps nothing\n"));
  EXPECT_THAT(text, Not(HasSubstr("for")));  // bounds of 1 are no loops
}

}  // namespace
}  // namespace tilewright::report
