// The floors of the solver beside those of the checker, which shares no code with it, on the
// same subproblems: where the solver's were lower, it would search for what the checker closes
// at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "certificate/closing.h"
#include "certificate/cover.h"
#include "certificate/frame_bound.h"
#include "certificate/lattice.h"
#include "certificate/small_problems.h"
#include "mappers/optimal/relax.h"
#include "mappers/optimal/subproblem_queue.h"
#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const int kProblems = affordable(150);
const Deadline kForever(std::nullopt);
constexpr std::int64_t kBytes = std::int64_t{1} << 30;

// What both say of one subproblem, in pJ and cycles.
struct Floors {
  double energy = 0;  // without looking at extents
  double cycles = 0;
  double lattice = 0;  // the least over all extents; infinite if nothing fits
};

certificate::Unrolling unrolling_of(const optimal::SolverTables& solver,
                                    const optimal::SpatialBounds& spatial, int dims) {
  certificate::Unrolling unrolling(solver.fanout_count, dims);
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) {
      unrolling.set(f, index_of(solver.originals[at(d)]), spatial.unrolled(f, d));
    }
  }
  return unrolling;
}

class Checker {
 public:
  Checker(const SmallProblem& small, const certificate::Rules& rules)
      : terms_(small.problem), rules_(rules), cover_(small.problem, rules) {}

  std::optional<Floors> floors(const certificate::Placement& placement,
                               const certificate::Unrolling& unrolling) {
    const auto chains = cover_.chains().all(unrolling);
    if (!chains) return std::nullopt;
    const certificate::Context context(terms_, rules_, placement, unrolling, *chains);
    const certificate::FrameBound bound(context);
    certificate::Closings closings(context);
    const certificate::Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy()),
                                       {}, kForever);
    const double unit = std::pow(10.0, -terms_.energies.decimals);
    const double least = lattice.least() == certificate::kNever
                             ? INFINITY
                             : static_cast<double>(lattice.energy(lattice.least())) * unit;
    return Floors{static_cast<double>(bound.energy()) * unit, static_cast<double>(bound.cycles()),
                  least};
  }

 private:
  certificate::Terms terms_;
  const certificate::Rules& rules_;
  certificate::Cover cover_;
};

Floors solver_floors(const optimal::SolverTables& solver, const optimal::Candidate& candidate) {
  const optimal::Scale& scale = solver.scale;
  const optimal::Subproblem sub(solver, candidate.placement, *candidate.spatial);
  Floors floors{static_cast<double>(candidate.floor.energy) / scale.per_pj,
                static_cast<double>(candidate.floor.cycles), INFINITY};
  optimal::Lattice lattice(sub, kForever);
  if (!lattice.ok()) return floors;
  optimal::TableMemory memory(kBytes);
  const optimal::Units least =
      optimal::Relaxation(sub, lattice, optimal::EnergyLimit(optimal::kNever), memory, kForever)
          .least();
  if (least == optimal::kNever) return floors;
  // Tables leave leakage out.
  const optimal::Energy energy = scale.energy(least) + sub.leakage(candidate.floor.cycles);
  // A search goes by the higher one.
  floors.lattice = std::max(static_cast<double>(energy) / scale.per_pj, floors.energy);
  return floors;
}

// Subproblems that have a mapping, as far as both know, and those where the solver's floor is
// the lower one.
struct Tally {
  int compared = 0, lower_energy = 0, lower_cycles = 0, lower_lattice = 0;

  void add(const Floors& solver, const Floors& checker) {
    if (std::isinf(solver.lattice) || std::isinf(checker.lattice)) return;
    const auto is_lower = [](double a, double b) { return a < b * (1 - 1e-9); };
    ++compared;
    if (is_lower(solver.energy, checker.energy)) ++lower_energy;
    if (is_lower(solver.cycles, checker.cycles)) ++lower_cycles;
    if (is_lower(solver.lattice, checker.lattice)) ++lower_lattice;
  }
};

// With remainders the checker knows better how many instances take part, which leak, and of which
// each rounds up its blocks. Here there are neither.
Problem without_leakage_and_blocks(const Problem& problem) {
  Architecture arch = problem.arch();
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    memory->leakage_pj_per_cycle = 0;
    memory->block_words = 1;
  }
  return make_problem(problem.workload(), arch);
}

void compare(const SmallProblem& small, Tally& tally) {
  const Evaluator evaluator = make_evaluator(small.problem);
  const auto restrictions = Restrictions::create(small.problem, small.constraints);
  const auto rules = certificate::read_rules(small.problem, small.kind, small.constraints);
  const optimal::SolverTables solver =
      optimal::make_solver_tables(evaluator, small.kind, *restrictions.value);
  optimal::SubproblemQueue queue(solver, {Objective::Energy, true}, kBytes);
  Checker checker(small, *rules.value);
  for (int i = 0; i < 12; ++i) {
    const auto candidate = queue.next(optimal::Goal(std::nullopt), kForever);
    if (!candidate) break;
    certificate::Placement placement(candidate->placement.kept.begin(),
                                     candidate->placement.kept.begin() + solver.memory_count);
    const auto theirs = checker.floors(
        placement, unrolling_of(solver, *candidate->spatial, small.problem.dim_count()));
    if (!theirs) continue;
    tally.add(solver_floors(solver, *candidate), *theirs);
  }
}

Tally compare_many(std::uint64_t seed, SpaceKind kind) {
  Tally tally;
  TestRng rng(seed);
  for (int problems = 0; problems < kProblems;) {
    auto small = small_problem(rng, {.kind = kind, .largest_space = 1'000'000'000'000});
    if (!small) continue;
    if (kind != SpaceKind::Perfect) small->problem = without_leakage_and_blocks(small->problem);
    ++problems;
    compare(*small, tally);
  }
  return tally;
}

TEST(SolverFloors, AreHardlyEverBelowThoseOfTheChecker) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    SCOPED_TRACE(to_string(kind));
    const Tally tally = compare_many(31, kind);
    EXPECT_GT(tally.compared, kProblems);
    // Of boxes with remainders the checker knows a little more.
    EXPECT_LE(tally.lower_energy, tally.compared / 50 + 2);
    EXPECT_EQ(tally.lower_cycles, 0);
    EXPECT_EQ(tally.lower_lattice, 0);
  }
}

}  // namespace
}  // namespace tilewright::testing
