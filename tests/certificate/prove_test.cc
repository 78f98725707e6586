// Whole spaces tried out: the best mapping can be certified, another one cannot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificate/count.h"
#include "certificate/small_problems.h"
#include "certificate/target.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/systolic.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {
namespace {

using testing::affordable;
using testing::SmallProblem;
using testing::SmallProblemOptions;
using testing::TestRng;

struct Extremes {
  std::optional<Mapping> best, other;  // the best and one that is not
  Cost cost, other_cost;
};

bool is_better(Objective objective, const Cost& a, const Cost& b) {
  const BigUint x = value_of(objective, a);
  const BigUint y = value_of(objective, b);
  if (x != y) return x < y;
  if (objective.energy == 0 && a.energy != b.energy) return a.energy < b.energy;
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.instances < b.instances;
}

Extremes try_all(const SmallProblem& small, Objective objective) {
  const Terms terms(small.problem);
  Extremes found;
  Walk walk(small.space, BigUint(0), small.space.size());
  while (const Mapping* mapping = walk.next()) {
    const Counter counter(terms, *mapping);
    if (!counter.overflows().empty()) continue;
    const Cost cost = counter.cost();
    if (!found.best || is_better(objective, cost, found.cost)) {
      found.other = found.best;
      found.other_cost = found.cost;
      found.best = *mapping;
      found.cost = cost;
    }
  }
  return found;
}

void certify(const SmallProblem& small, Objective objective) {
  const Extremes extremes = try_all(small, objective);
  if (!extremes.best) return;
  Claim claim{small.problem, small.kind, small.constraints, objective, *extremes.best, {}};
  const Proven proven = prove(claim);
  ASSERT_TRUE(proven.problems.empty()) << to_string(proven.problems.front());
  ASSERT_FALSE(proven.better.has_value()) << "better than the best";
  const Outcome outcome = check(*proven.certificate);
  ASSERT_TRUE(outcome.problems.empty()) << to_string(outcome.problems.front());
  ASSERT_EQ(outcome.statistics.cells(), proven.statistics.cells());
  if (!extremes.other) return;
  claim.mapping = *extremes.other;
  const Proven wrong = prove(claim);
  ASSERT_TRUE(wrong.better.has_value());
  const Terms terms(small.problem);
  ASSERT_TRUE(is_better(objective, Counter(terms, *wrong.better).cost(), extremes.other_cost));
  // As a bound the best value holds for this mapping too. (No bound tells mappings apart
  // that are equal by the objective.)
  if (value_of(objective, extremes.cost) == value_of(objective, extremes.other_cost)) return;
  claim.bound = proven.certificate->value;
  const Proven gap = prove(claim);
  ASSERT_TRUE(gap.certificate.has_value());
  ASSERT_TRUE(check(*gap.certificate).problems.empty());
}

// Mappings are equal by the objective more often the fewer energies there are.
void leave_out_energies(SmallProblem& small) {
  Architecture arch = small.problem.arch();
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    memory->read_pj = memory->write_pj = memory->update_pj = memory->leakage_pj_per_cycle = 0;
  }
  small.problem = std::move(*Problem::create(small.problem.workload(), arch).value);
}

// The same with a systolic array; nothing if there is none to be had.
std::optional<SmallProblem> systolic_problem(TestRng& rng, const SmallProblem& small) {
  const std::optional<Problem> problem = testing::make_systolic(rng, small.problem);
  if (!problem) return std::nullopt;
  const Checked<Restrictions> rules = Restrictions::create(*problem, small.constraints);
  if (!rules.ok()) return std::nullopt;
  MadeSpace space = MapSpace::create(*problem, small.kind, *rules.value);
  if (!space.ok()) return std::nullopt;
  return SmallProblem{*problem, small.kind, small.constraints, std::move(*space.value)};
}

void certify_many(std::uint64_t seed, int cases, const SmallProblemOptions& options,
                  bool systolic = false) {
  TestRng rng(seed);
  for (int i = 0; i < cases;) {
    auto small = testing::small_problem(rng, options);
    if (small && systolic) small = systolic_problem(rng, *small);
    if (!small) continue;
    if (i % 5 == 4) leave_out_energies(*small);
    const auto objective =
        rng.pick<Objective>({Objective::Edp, Objective::Energy, Objective::Latency, Objective::Ed2p,
                             Objective{2, 1}, Objective{3, 2}, Objective{0, 2}});
    SCOPED_TRACE(
        fmt::format("problem {}, {}, {}", i, to_string(small->kind), to_string(objective)));
    certify(*small, objective);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << testing::describe({small->problem, small->space.at(BigUint(0))});
      return;
    }
    ++i;
  }
}

TEST(Prove, CertifiesTheBestOfPerfectFactors) {
  certify_many(11, affordable(150), {.kind = SpaceKind::Perfect});
}

TEST(Prove, CertifiesTheBestWithRemainders) {
  certify_many(12, affordable(100), {.kind = SpaceKind::RubyS});
  certify_many(13, affordable(50), {.kind = SpaceKind::RubyT});
  certify_many(14, affordable(50), {.kind = SpaceKind::Ruby});
}

TEST(Prove, CertifiesTheBestOfSystolicArrays) {
  certify_many(16, affordable(30), {.kind = SpaceKind::Perfect}, true);
  certify_many(17, affordable(20), {.kind = SpaceKind::RubyS}, true);
  certify_many(18, affordable(10), {.kind = SpaceKind::RubyT}, true);
  certify_many(19, affordable(10), {.kind = SpaceKind::Ruby}, true);
}

// Of three tiles of P or of four with a last one, the second way moves fewer words: a loop of R
// leaps past what is unrolled, and only large tiles overlap.
TEST(Prove, LooksAtAllBoundsWhereALoopLeapsPastWhatIsUnrolled) {
  const Architecture arch = *io::read_architecture(
                                 "architecture: leaps\nlevels:\n"
                                 "  - {memory: Outer, capacity: unlimited, read: 1 pJ}\n"
                                 "  - {fanout: Row, x: {size: 2, dims: [R]}}\n"
                                 "  - {memory: Inner, capacity: unlimited, dims: [P]}\n"
                                 "  - {fanout: Columns, x: {size: 4, dims: [R]}}\n"
                                 "  - {compute: mac}\n",
                                 "arch")
                                 .value;
  const Problem problem =
      *Problem::create(*io::read_workload_line("O[P] += I[2*P+R]; P=9 R=12", "workload").value,
                       arch)
           .value;
  Mapping mapping(problem);
  testing::set_loops(problem, mapping, "Outer", {{"P", 3}, {"R", 2}});
  testing::set_loops(problem, mapping, "Row.x", {{"R", 2}});
  testing::set_loops(problem, mapping, "Inner", {{"P", 3}});
  testing::set_loops(problem, mapping, "Columns.x", {{"R", 4}});
  const auto rules =
      io::read_constraint_line("Outer: P = 3, R = 2, order ... R", "rule", arch).value;
  const Proven proven = prove({problem, SpaceKind::Ruby, *rules, Objective::Energy, mapping, {}});
  EXPECT_TRUE(proven.problems.empty());
  EXPECT_TRUE(proven.better.has_value());
}

TEST(Prove, EndsWhenItsTimeIsUpOrTheUserHasEnough) {
  TestRng rng(15);
  auto small = testing::small_problem(rng, {.kind = SpaceKind::Perfect});
  while (!small) small = testing::small_problem(rng, {.kind = SpaceKind::Perfect});
  const Mapping best = *try_all(*small, Objective::Edp).best;
  Claim claim{small->problem, small->kind, small->constraints, Objective::Edp, best, {}};
  ASSERT_TRUE(prove(claim).certificate);
  claim.seconds = 0;
  const Proven late = prove(claim);
  EXPECT_FALSE(late.certificate);
  EXPECT_EQ(to_string(late.problems.at(0)), "the time is up; give it more by --time");
  const std::atomic<bool> cancelled = true;
  claim.seconds.reset();
  claim.cancelled = &cancelled;
  EXPECT_EQ(to_string(prove(claim).problems.at(0)), "interrupted");
}

TEST(Check, RefusesWhenTheUserHasEnough) {
  TestRng rng(15);
  auto small = testing::small_problem(rng, {.kind = SpaceKind::Perfect});
  while (!small) small = testing::small_problem(rng, {.kind = SpaceKind::Perfect});
  const Mapping best = *try_all(*small, Objective::Edp).best;
  const Claim claim{small->problem, small->kind, small->constraints, Objective::Edp, best, {}};
  const Certificate certificate = *prove(claim).certificate;
  std::atomic<bool> cancelled = false;
  EXPECT_TRUE(check(certificate, 1, &cancelled).problems.empty());
  cancelled = true;
  EXPECT_EQ(to_string(check(certificate, 2, &cancelled).problems.at(0)), "interrupted");
}

}  // namespace
}  // namespace tilewright::certificate
