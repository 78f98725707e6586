// Whole spaces tried out: the best mapping can be certified, another one cannot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificate/count.h"
#include "certificate/small_problems.h"
#include "certificate/target.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"

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

void certify_many(std::uint64_t seed, int cases, const SmallProblemOptions& options) {
  TestRng rng(seed);
  for (int i = 0; i < cases;) {
    auto small = testing::small_problem(rng, options);
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
