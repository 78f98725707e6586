// How optima of related problems must compare. These need no reference, so the
// spaces may be larger than those that are gone through.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "support/check_optimum.h"
#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

using Status = OptimalResult::Status;

const std::uint64_t kSeeds = slow_build() ? 4 : 40;

OptimalResult optimum(const SmallInstance& instance, SpaceKind kind, const Asked& options) {
  return find_optimum(make_evaluator(instance.problem), kind, restrictions_of(instance), options);
}

Asked for_objective(Objective objective) {
  Asked options;
  options.objective = objective;
  return options;
}

SmallInstance with_arch(const SmallInstance& instance, Architecture arch) {
  return {make_problem(instance.problem.workload(), std::move(arch)), instance.constraints};
}

SmallInstance with_memories(const SmallInstance& instance,
                            const std::function<void(Memory&)>& change) {
  Architecture arch = instance.problem.arch();
  for (Level& level : arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) change(*memory);
  }
  return with_arch(instance, std::move(arch));
}

// Calls it with instances of all kinds of spaces, one objective for each.
void for_each_instance(
    std::uint64_t first_seed,
    const std::function<void(const SmallInstance&, SpaceKind, Objective)>& check) {
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    const SpaceKind kind = kSpaceKinds[i % kSpaceKinds.size()];
    const Objective objective = kObjectives[i % kObjectives.size()];
    const SmallInstance instance =
        small_instance(first_seed + i, {.kind = kind, .most_mappings = 50'000});
    SCOPED_TRACE("seed " + std::to_string(first_seed + i) + ", " + to_string(kind) + ", " +
                 to_string(objective) + "\n" + text_of(instance));
    check(instance, kind, objective);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// What is allowed in the one is allowed in the other, and costs no more there.
void expect_no_worse(const OptimalResult& wider, const OptimalResult& narrower,
                     Objective objective) {
  if (narrower.status == Status::Infeasible) return;
  ASSERT_EQ(wider.status, Status::Proven);
  const double a = value_of(objective, wider.score);
  const double b = value_of(objective, narrower.score);
  EXPECT_TRUE(a <= b || same_value(a, b)) << a << " after " << b;
}

void expect_relaxed(std::uint64_t first_seed,
                    const std::function<SmallInstance(const SmallInstance&)>& relax) {
  for_each_instance(first_seed, [&](const auto& instance, SpaceKind kind, Objective objective) {
    const Asked options = for_objective(objective);
    expect_no_worse(optimum(relax(instance), kind, options), optimum(instance, kind, options),
                    objective);
  });
}

void expect_same(const OptimalResult& a, const OptimalResult& b, Objective objective) {
  ASSERT_EQ(a.status, b.status);
  if (a.status == Status::Infeasible) return;
  EXPECT_TRUE(same_value(value_of(objective, a.score), value_of(objective, b.score)))
      << value_of(objective, a.score) << " and " << value_of(objective, b.score);
}

// --- more of something ------------------------------------------------------------

TEST(Optimum, IsNoWorseWithMoreCapacity) {
  expect_relaxed(20'000, [](const SmallInstance& instance) {
    return with_memories(instance, [](Memory& memory) {
      memory.capacity.amount *= 2;
      for (auto& [name, share] : memory.partitions) share.amount *= 2;
    });
  });
}

TEST(Optimum, IsNoWorseWithMoreBandwidth) {
  expect_relaxed(21'000, [](const SmallInstance& instance) {
    return with_memories(instance, [](Memory& memory) {
      for (auto* port :
           {&memory.read_bandwidth, &memory.write_bandwidth, &memory.shared_bandwidth}) {
        if (*port) (*port)->numerator *= 2;
      }
    });
  });
}

TEST(Optimum, IsNoWorseWithoutConstraints) {
  expect_relaxed(22'000,
                 [](const SmallInstance& instance) { return SmallInstance{instance.problem, {}}; });
  expect_relaxed(23'000, [](const SmallInstance& instance) {
    Architecture arch = instance.problem.arch();
    arch.constraints.clear();
    return with_arch(instance, std::move(arch));
  });
}

TEST(Optimum, IsNoWorseWithTensorsThatAreFree) {
  expect_relaxed(24'000, [](const SmallInstance& instance) {
    Architecture arch = instance.problem.arch();
    auto& memory = std::get<Memory>(
        arch.levels[static_cast<std::size_t>(index_of(instance.problem.memories().back().level))]);
    memory.keep.reset();
    memory.bypass.clear();
    memory.free.clear();
    for (const Tensor& tensor : instance.problem.workload().tensors) {
      memory.free.push_back(tensor.name);
    }
    return with_arch(instance, std::move(arch));
  });
}

TEST(Optimum, IsNoWorseInALargerSpace) {
  for_each_instance(25'000, [](const auto& instance, SpaceKind /*kind*/, Objective objective) {
    const Asked options = for_objective(objective);
    const OptimalResult perfect = optimum(instance, SpaceKind::Perfect, options);
    const OptimalResult everywhere = optimum(instance, SpaceKind::Ruby, options);
    for (const SpaceKind between : {SpaceKind::RubyS, SpaceKind::RubyT}) {
      const OptimalResult middle = optimum(instance, between, options);
      expect_no_worse(middle, perfect, objective);
      expect_no_worse(everywhere, middle, objective);
    }
  });
}

// --- the same in another form -------------------------------------------------------

TEST(Optimum, ScalesWithTheEnergies) {
  for_each_instance(26'000, [](const auto& instance, SpaceKind kind, Objective objective) {
    Architecture arch = instance.problem.arch();
    for (Level& level : arch.levels) {
      if (auto* memory = std::get_if<Memory>(&level)) {
        for (double* energy : {&memory->read_pj, &memory->write_pj, &memory->update_pj,
                               &memory->leakage_pj_per_cycle}) {
          *energy *= 2;
        }
      }
      if (auto* fanout = std::get_if<Fanout>(&level)) fanout->word_pj *= 2;
      if (auto* compute = std::get_if<Compute>(&level)) compute->mac_pj *= 2;
    }
    const Asked options = for_objective(objective);
    OptimalResult once = optimum(instance, kind, options);
    const OptimalResult twice = optimum(with_arch(instance, std::move(arch)), kind, options);
    once.score.energy_pj *= 2;
    expect_same(once, twice, objective);
  });
}

// The same contraction with its dimensions named in reverse.
Workload reversed(Workload workload) {
  std::reverse(workload.dims.begin(), workload.dims.end());
  for (Tensor& tensor : workload.tensors) {
    for (Rank& rank : tensor.ranks) {
      for (Term& term : rank) term.dim = DimId{workload.dim_count() - 1 - index_of(term.dim)};
    }
  }
  return workload;
}

TEST(Optimum, DoesNotDependOnTheOrderOfDimensions) {
  for_each_instance(27'000, [](const auto& instance, SpaceKind kind, Objective objective) {
    const SmallInstance other = {
        make_problem(reversed(instance.problem.workload()), instance.problem.arch()),
        instance.constraints};
    const Asked options = for_objective(objective);
    expect_same(optimum(instance, kind, options), optimum(other, kind, options), objective);
  });
}

// --- limits and threads ---------------------------------------------------------------

// Whatever stopped it, the optimum lies between the bound and the best so far.
void expect_encloses(const OptimalResult& stopped, const OptimalResult& full, Objective objective) {
  if (full.status == Status::Infeasible) {
    EXPECT_FALSE(stopped.best.has_value());
    EXPECT_NE(stopped.status, Status::Proven);
    return;
  }
  EXPECT_NE(stopped.status, Status::Infeasible);
  const double best = value_of(objective, full.score);
  EXPECT_TRUE(stopped.bound <= best || same_value(stopped.bound, best))
      << "bound " << stopped.bound << ", optimum " << best;
  if (!stopped.best) {
    EXPECT_EQ(stopped.status, Status::Stopped);
    return;
  }
  const double value = value_of(objective, stopped.score);
  EXPECT_TRUE(value >= best || same_value(value, best)) << value << ", optimum " << best;
  EXPECT_GE(stopped.gap, 0);
}

void expect_encloses_within(std::uint64_t first_seed, const Asked& limits) {
  for_each_instance(first_seed, [&](const auto& instance, SpaceKind kind, Objective objective) {
    Asked options = limits;
    options.objective = objective;
    const OptimalResult full = optimum(instance, kind, for_objective(objective));
    const OptimalResult stopped = optimum(instance, kind, options);
    expect_encloses(stopped, full, objective);
    if (stopped.status == Status::Proven) {
      EXPECT_LE(value_of(objective, stopped.score),
                value_of(objective, full.score) * (1 + options.gap) * (1 + 1e-12));
    }
  });
}

TEST(Optimum, LiesBetweenBoundAndBestWhenTimeIsUp) {
  for (const double seconds : {0.0, 1e-4}) {
    Asked limits;
    limits.seconds = seconds;
    expect_encloses_within(28'000, limits);
  }
}

TEST(Optimum, LiesBetweenBoundAndBestWhenMemoryIsShort) {
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{20'000}}) {
    Asked limits;
    limits.memory_bytes = bytes;
    expect_encloses_within(29'000, limits);
  }
}

TEST(Optimum, LiesBetweenBoundAndBestWhenCancelled) {
  const std::atomic<bool> cancelled = true;
  Asked limits;
  limits.cancelled = &cancelled;
  expect_encloses_within(30'000, limits);
}

TEST(Optimum, IsWithinTheGapThatWasAskedFor) {
  Asked limits;
  limits.gap = 0.1;
  expect_encloses_within(31'000, limits);
}

// Nor with little memory: what does not fit for all threads at once waits for its turn.
class OptimumIsTheSame : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(OptimumIsTheSame, WithAnyNumberOfThreads) {
  for_each_instance(32'000, [](const auto& instance, SpaceKind kind, Objective objective) {
    Asked options = for_objective(objective);
    options.memory_bytes = GetParam();
    const OptimalResult alone = optimum(instance, kind, options);
    for (const int threads : {2, 3}) {
      options.threads = threads;
      const OptimalResult together = optimum(instance, kind, options);
      EXPECT_EQ(alone.status, together.status);
      EXPECT_EQ(alone.best, together.best);
      if (alone.best) {
        EXPECT_EQ(alone.score, together.score);
      }
      EXPECT_EQ(alone.bound, together.bound);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Bytes, OptimumIsTheSame,
                         ::testing::Values(std::int64_t{1} << 31, 100'000, 20'000));

// What is known from elsewhere changes the work, not the answer.
TEST(OptimalMapper, LooksOnlyForWhatBeatsTheKnown) {
  for_each_instance(900, [](const SmallInstance& instance, SpaceKind kind, Objective objective) {
    Asked options = for_objective(objective);
    const OptimalResult best = optimum(instance, kind, options);
    if (best.status != Status::Proven) return;
    options.to_beat = best.score;
    const OptimalResult none = optimum(instance, kind, options);
    ASSERT_TRUE(none.status == Status::NoneBetter || none.status == Status::Proven);
    if (none.best) {
      EXPECT_TRUE(same_value(value_of(objective, none.score), value_of(objective, best.score)));
    }
    options.to_beat->energy_pj *= 1.5;
    options.to_beat->cycles = options.to_beat->cycles * 2 + 1;
    const OptimalResult again = optimum(instance, kind, options);
    ASSERT_EQ(again.status, Status::Proven);
    EXPECT_TRUE(same_value(value_of(objective, again.score), value_of(objective, best.score)));
    if (best.score.energy_pj == 0 && objective.energy > 0) return;  // half of it is no less
    options.to_beat = best.score;
    options.to_beat->energy_pj *= 0.5;
    options.to_beat->cycles /= 2;
    EXPECT_EQ(optimum(instance, kind, options).status, Status::NoneBetter);
  });
}

// Only filling a memory, and those outside it, takes energy.
Architecture filling_alone(const SmallInstance& instance, LevelId filled) {
  Architecture arch = instance.problem.arch();
  for (int i = 0; i < arch.level_count(); ++i) {
    Level& level = arch.levels[at(i)];
    if (auto* memory = std::get_if<Memory>(&level)) {
      memory->leakage_pj_per_cycle = 0;
      if (LevelId{i} >= filled) memory->read_pj = memory->update_pj = 0;
      if (LevelId{i} > filled) memory->write_pj = 0;
    }
    if (auto* fanout = std::get_if<Fanout>(&level)) fanout->word_pj = 0;
    if (auto* compute = std::get_if<Compute>(&level)) compute->mac_pj = 0;
  }
  return arch;
}

// Bounds that hold for every mapping, as tight as can be, change the work alone.
TEST(OptimalMapper, FindsTheSameMappingWithWhatIsKnownBeforehand) {
  int filled = 0;
  for_each_instance(
      41'000, [&](const SmallInstance& instance, SpaceKind kind, Objective objective) {
        Asked options = for_objective(objective);
        const OptimalResult best = optimum(instance, kind, options);
        if (best.status != Status::Proven) return;
        options.known.least_cycles =
            optimum(instance, kind, for_objective(Objective::Latency)).score.cycles;
        EXPECT_EQ(optimum(instance, kind, options).best, best.best);
        const Restrictions restrictions = restrictions_of(instance);
        const std::uint32_t tensors = (1U << instance.problem.tensor_count()) - 1U;
        for (int m = 1; m < instance.problem.memory_count(); ++m) {
          if (restrictions.keep_always(MemoryId{m}) != tensors) continue;
          options.known.filled = instance.problem.use(MemoryId{m}).level;
          const OptimalResult filling =
              optimum(with_arch(instance, filling_alone(instance, options.known.filled)), kind,
                      for_objective(Objective::Energy));
          ASSERT_EQ(filling.status, Status::Proven);
          options.known.least_filling_pj = filling.score.energy_pj;
          EXPECT_EQ(optimum(instance, kind, options).best, best.best) << m;
          ++filled;
        }
      });
  // Slow builds see too few instances.
  if (!slow_build()) {
    EXPECT_GT(filled, 5);
  }
}

}  // namespace
}  // namespace tilewright::testing
