// The best mapping where memories share the room and the ports of another one, against every
// mapping of small problems.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/bits.h"
#include "support/asked.h"
#include "support/brute_force.h"
#include "support/check_optimum.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"
#include "support/uneven_case.h"
#include "tilewright/certificate.h"

namespace tilewright::testing {
namespace {

// The levels of a problem with storage points, as parts of memories that the architecture has.
Architecture with_parts(Architecture arch) {
  std::string before;
  int number = 0;
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    const std::string memory_name = memory == nullptr ? "" : memory->point_of;
    if (!memory_name.empty()) {
      memory->is_part = true;
      memory->name = before == memory_name ? "Part" + std::to_string(number++) : memory_name;
    }
    before = memory_name;
  }
  return arch;
}

// A small problem with a memory in parts; nothing if there is none that has to keep several
// tensors, or if constraints speak of its loops.
std::optional<SmallInstance> random_parts(std::uint64_t seed, SpaceKind kind) {
  const SmallInstance whole =
      small_instance(seed, {.kind = kind, .most_mappings = 4'096, .systolic = seed % 5 == 4});
  const Problem& problem = whole.problem;
  TestRng rng(seed);
  std::vector<StoragePoints> points(static_cast<std::size_t>(problem.memory_count()));
  std::uint32_t outside = 0;
  bool any = false;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const std::uint32_t kept = problem.use(MemoryId{m}).keep_always;
    const bool at_home = (problem.use(MemoryId{m}).keep_allowed & ~outside) != 0;
    if (!at_home && __builtin_popcount(kept) > 1 && !rng.chance(20)) {
      StoragePoints& own = points[static_cast<std::size_t>(m)];
      for (const int t : members(kept)) {
        if (own.empty() || rng.chance(70)) own.push_back(0);
        own.back() |= 1U << t;
      }
      any = any || own.size() > 1;
    }
    outside |= kept;
  }
  if (!any || !whole.constraints.empty() || !problem.arch().constraints.empty()) {
    return std::nullopt;
  }
  const Checked<Problem> apart = with_points(problem, points);
  if (!apart.ok()) return std::nullopt;
  return SmallInstance{make_problem(problem.workload(), with_parts(apart.value->arch())), {}};
}

// The checker must verify the best mapping, by lattices and by trees, and nothing worse.
void expect_certificate(const SmallInstance& instance, SpaceKind kind, Objective objective,
                        const BruteForce& truth, const BruteForce::Best& best) {
  certificate::Claim claim{instance.problem, kind, {}, objective, best.mapping, {}};
  const certificate::Proven proven = certificate::prove(claim);
  ASSERT_TRUE(proven.certificate) << (proven.better ? "the checker knows a better mapping"
                                                    : to_string(proven.problems.front()));
  certificate::Certificate with_trees = *proven.certificate;
  for (certificate::Run& run : with_trees.proof) {
    if (run.step == certificate::ProofStep::Lattice) run.step = certificate::ProofStep::Tree;
  }
  for (const certificate::Certificate& claimed : {*proven.certificate, with_trees}) {
    const certificate::Outcome outcome = certificate::check(claimed);
    EXPECT_TRUE(outcome.problems.empty()) << to_string(outcome.problems.front());
  }
  for (const auto& other : truth.best) {
    if (!other || !is_better(objective, best.score, other->score)) continue;
    claim.mapping = other->mapping;
    EXPECT_TRUE(certificate::prove(claim).better);
    return;
  }
}

class SharedRoomOptimum : public ::testing::TestWithParam<SpaceKind> {};

TEST_P(SharedRoomOptimum, IsTheBestOfAllMappings) {
  const SpaceKind kind = GetParam();
  int tried = 0, proven = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(150)); ++seed) {
    const std::optional<SmallInstance> instance = random_parts(9'000 + seed, kind);
    if (!instance) continue;
    const Evaluator evaluator = make_evaluator(instance->problem);
    const Restrictions restrictions = restrictions_of(*instance);
    const MadeSpace space = MapSpace::create(instance->problem, kind, restrictions);
    if (!space.ok() || space.value->size() > BigUint(50'000)) continue;
    SCOPED_TRACE("seed " + std::to_string(9'000 + seed) + "\n" + text_of(*instance));
    const BruteForce truth = brute_force(evaluator, kind, restrictions);
    ++tried;
    for (std::size_t o = 0; o < kObjectives.size(); ++o) {
      Asked asked;
      asked.objective = kObjectives[o];
      const OptimalResult answer = find_optimum(evaluator, kind, restrictions, asked);
      ASSERT_EQ(answer.best.has_value(), truth.best[o].has_value());
      if (!answer.best) continue;
      const double best = value_of(kObjectives[o], truth.best[o]->score);
      EXPECT_EQ(evaluator.score(*answer.best), answer.score);
      EXPECT_LE(answer.bound, best * (1 + 1e-12));
      expect_certificate(*instance, kind, kObjectives[o], truth, *truth.best[o]);
      if (answer.status != Proof::Status::Proven) continue;
      ++proven;
      EXPECT_TRUE(same_value(value_of(kObjectives[o], answer.score), best)) << fmt::format(
          "{} pJ and {} cycles; the best has {} pJ and {}", answer.score.energy_pj,
          answer.score.cycles, truth.best[o]->score.energy_pj, truth.best[o]->score.cycles);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(tried, 0);
  // Windows that meet in a fan-out may leave a gap.
  EXPECT_GE(10 * proven, 9 * tried * static_cast<int>(kObjectives.size()));
}

INSTANTIATE_TEST_SUITE_P(Spaces, SharedRoomOptimum, ::testing::ValuesIn(kSpaceKinds),
                         name_of_space);

// Parts that may grow at each other's cost are at least as good as parts of fixed size, and no
// better than points that may stand in any order.
TEST(SharedRoom, LiesBetweenFixedPartitionsAndUnevenMappings) {
  Memory outer = make_memory("Outer"), weights = make_memory("Weights", 24);
  outer.read_pj = outer.write_pj = outer.update_pj = 100;
  weights.read_pj = weights.write_pj = weights.update_pj = 1;
  const Workload gemm = make_gemm("gemm", 12, 8, 6);
  const auto least = [&](const std::vector<Memory>& buffers, bool uneven) {
    std::vector<Level> levels = {outer};
    levels.insert(levels.end(), buffers.begin(), buffers.end());
    const Evaluator evaluator = make_evaluator(make_problem(gemm, make_arch(levels)));
    Asked asked;
    asked.objective = Objective::Energy;
    asked.uneven = uneven;
    const Restrictions all = *Restrictions::create(evaluator.problem()).value;
    const OptimalResult answer = find_optimum(evaluator, SpaceKind::Perfect, all, asked);
    EXPECT_EQ(answer.status, Proof::Status::Proven);
    return answer.score.energy_pj;
  };
  std::vector<Memory> parts(3, weights), fixed(3, weights);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<std::string> roles = {"weight", "input", "output"};
    parts[i].keep = fixed[i].keep = TensorNames{roles[i]};
    parts[i].name = fixed[i].name = i == 0 ? "Weights" : "Part" + roles[i];
    parts[i].point_of = "Weights";
    parts[i].is_part = true;
    fixed[i].capacity.amount = 8;
  }
  const double shared = least(parts, false);
  EXPECT_LT(shared, least(fixed, false));
  EXPECT_LE(least({weights}, true), shared);
}

}  // namespace
}  // namespace tilewright::testing
