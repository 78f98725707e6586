// Problems on which the optimal mapper was once wrong, made as small as they go.
#include <gtest/gtest.h>

#include <string>

#include "support/asked.h"
#include "support/check_optimum.h"
#include "support/problems.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

struct Known {
  std::string levels;  // of the architecture, and its other keys
  std::string workload;
  std::string rule{};  // a user's constraint; may be empty
  SpaceKind kind = SpaceKind::Perfect;
};

void expect_exact(const Known& known) {
  const auto arch = io::read_architecture("architecture: small\n" + known.levels, "arch");
  ASSERT_TRUE(arch.ok()) << to_string(arch.problems.front());
  const auto workload = io::read_workload_line(known.workload, "workload");
  ASSERT_TRUE(workload.ok()) << to_string(workload.problems.front());
  SmallInstance instance{make_problem(*workload.value, *arch.value), {}};
  if (!known.rule.empty()) {
    instance.constraints = *io::read_constraint_line(known.rule, "rule", *arch.value).value;
  }
  const CheckReport report = check_instance(instance, known.kind);
  EXPECT_TRUE(report.failures.empty()) << report.failures;
}

// Of two instances that read three words together, neither rounds up to two
// words where a block is one word.
TEST(OptimumRegression, WordsAreNotRoundedUpForEachInstance) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: Outer, capacity: unlimited}\n"
                          "  - {fanout: Row, x: 2}\n"
                          "  - {memory: Inner, capacity: unlimited, read: 1 pJ, write: 0 pJ}\n"
                          "  - {compute: mac}\n",
                .workload = "O[m] += I[m,k]*W[m,k]; m=1 k=3",
                .kind = SpaceKind::Ruby});
}

// Three instances have no block that is not full where two have one each: what two take is no
// floor of what three do.
TEST(OptimumRegression, MoreInstancesMayFillTheirBlocks) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: Outer, capacity: unlimited, read: 1 pJ}\n"
                          "  - {fanout: Rows, x: 5}\n"
                          "  - {memory: Inner, capacity: unlimited, block: 4 words, read: 7 pJ, "
                          "write: 11 pJ, bypass: [O]}\n"
                          "  - {fanout: Columns, x: 6, multicast: false}\n"
                          "  - {compute: mac}\n"
                          "constraints:\n"
                          "  - {level: Outer, factors: {M: 1}}\n"
                          "  - {level: Inner, order: {outermost: [K], innermost: [M]}}\n"
                          "  - {level: Rows.x, factors: {K: '>= 2'}}\n",
                .workload = "O[M] += W[M,K]*I[K]; M=5 K=12"});
}

// A bounding box with holes is larger than the boxes of its parts together, so
// the whole tensor's is no floor of what is moved.
TEST(OptimumRegression, BoxesOfPartsAreSmallerThanTheBoxOfAll) {
  const std::string workload = "O[p] += I[4*p+r]*W[r]; p=2 r=1";
  expect_exact({.levels = "accounting: timeloop\n"
                          "levels:\n"
                          "  - {memory: Outer, capacity: unlimited, read: 1 pJ, write: 0 pJ}\n"
                          "  - {fanout: Row, x: 2}\n"
                          "  - {memory: Inner, capacity: unlimited, block: 4 words, read: 1 pJ, "
                          "update: 0 pJ, bypass: [W]}\n"
                          "  - {compute: mac}\n",
                .workload = workload});
  expect_exact({.levels = "accounting: timeloop\n"
                          "levels:\n"
                          "  - {memory: Outer, capacity: unlimited, read_bandwidth: 2 "
                          "words/cycle}\n"
                          "  - {memory: Inner, capacity: unlimited}\n"
                          "  - {compute: mac, macs: 2}\n",
                .workload = workload});
}

// Nine on two instances in two steps: with four each the last step has one, which
// is five in a row; with three each, the least that needs two steps, it is six.
TEST(OptimumRegression, LargerBoundsThanNeededMayBalanceTheInstances) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: Outer, capacity: unlimited}\n"
                          "  - {fanout: Row, x: 2}\n"
                          "  - {memory: Inner, capacity: unlimited}\n"
                          "  - {compute: mac}\n",
                .workload = "O[m] += I[m]; m=9",
                .rule = "Outer: m = 2",
                .kind = SpaceKind::Ruby});
}

// Tiles {p, p+2} one step apart have nothing in common, two steps apart they
// have: what is unrolled inside a loop may make its steps cheaper.
TEST(OptimumRegression, UnrollingMayMakeStepsOfAWindowCheaper) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: Outer, capacity: unlimited}\n"
                          "  - {fanout: Row, x: 2}\n"
                          "  - {memory: Middle, capacity: unlimited}\n"
                          "  - {memory: Inner, capacity: unlimited, write: 1 pJ, update: 0 pJ, "
                          "dims: [r]}\n"
                          "  - {compute: mac}\n",
                .workload = "O[p] += I[p+2*r]; p=6 r=2"});
}

// With all of N unrolled, tiles hold all of N and K: 39 words, at any loops.
// Other frames have mappings that fit.
TEST(OptimumRegression, AFrameInWhichNothingFitsIsPassedOver) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: Outer, capacity: unlimited}\n"
                          "  - {memory: Inner, capacity: 33 words, read: 1 pJ, write: 0 pJ}\n"
                          "  - {fanout: Row, x: 4}\n"
                          "  - {compute: mac}\n",
                .workload = "O[n] += W[k]*I[k,n]; n=4 k=7",
                .rule = "Outer: k <= 1"});
}

// The buffer is the home of I and O, and has to hold all of both: no subproblem need be searched
// for that, of which there are thousands.
TEST(OptimumRegression, AHomeThatIsTooSmallForWholeTensorsIsKnownAtOnce) {
  const auto arch = io::load_architecture("tpu_v1_chip");
  const auto workload = io::load_workload("gemm: m=8192 n=131072 k=8192");
  const Problem problem = make_problem(*workload.value, *arch.value);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS}) {
    Asked asked;
    asked.seconds = 60;  // it takes milliseconds
    const OptimalResult result = find_optimum(make_evaluator(problem), kind, restrictions, asked);
    EXPECT_EQ(result.status, Proof::Status::Infeasible);
    EXPECT_EQ(result.frames_expanded, 0U);
    ASSERT_FALSE(result.reasons.empty());
    EXPECT_NE(result.reasons.front().message.find("UnifiedBuffer"), std::string::npos);
  }
}

// The rules of a contradiction are not applied, so what is left seems to allow
// mappings.
TEST(OptimumRegression, NothingFitsRulesThatContradictEachOther) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: Outer, capacity: unlimited}\n"
                          "  - {memory: Inner, capacity: unlimited}\n"
                          "  - {compute: mac}\n",
                .workload = "O[m] += I[m,k]*W[m,k]; m=4 k=2",
                .rule = "Inner: m = 4, m <= 2"});
}

// Of 7 rows in two passes over two instances, tiles of 6 and 1 leave an instance
// without work in the second pass, which then needs no inputs; tiles of 4 and 3 do not.
TEST(OptimumRegression, LargerTilesLeaveInstancesInsideIdle) {
  expect_exact({.levels = "levels:\n"
                          "  - {memory: DRAM, capacity: unlimited}\n"
                          "  - {memory: L2, capacity: unlimited, read: 1 pJ, write: 0 pJ}\n"
                          "  - {memory: Buffer, capacity: unlimited, partitions: {input: 13 words, "
                          "output: 13 words, weight: 10 words}, dims: [M]}\n"
                          "  - {fanout: Array, x: 2, y: 2}\n"
                          "  - {memory: Registers, capacity: unlimited, write: 1 pJ, update: 0 pJ, "
                          "dims: []}\n"
                          "  - {compute: mac}\n",
                .workload = "gemm: m=7 n=2 k=3",
                .kind = SpaceKind::Ruby});
}

// A loop of R moves tiles of 2 P + R by 8, past what is unrolled. Tiles of four P overlap then,
// those of three do not: of the bounds of P that leave three tiles the least is not the best.
TEST(OptimumRegression, LargerTilesOverlapWhereALoopLeapsPastWhatIsUnrolled) {
  const Known leaps = {.levels =
                           "levels:\n"
                           "  - {memory: Outer, capacity: unlimited, read: 1 pJ}\n"
                           "  - {fanout: Row, x: {size: 2, dims: [R]}}\n"
                           "  - {memory: Inner, capacity: unlimited, dims: [P]}\n"
                           "  - {fanout: Columns, x: {size: 4, dims: [R]}}\n"
                           "  - {compute: mac}\n",
                       .workload = "O[P] += I[2*P+R]; P=9 R=12",
                       .rule = "Outer: P = 3, R = 2, order ... R",
                       .kind = SpaceKind::Ruby};
  expect_exact(leaps);
}

}  // namespace
}  // namespace tilewright::testing
