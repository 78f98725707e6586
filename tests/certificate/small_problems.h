// Random problems whose map-spaces can be walked from end to end.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random_problem.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {

struct SmallProblem {
  Problem problem;
  SpaceKind kind;
  std::vector<Constraint> constraints;
  MapSpace space;
};

struct SmallOptions {
  std::optional<SpaceKind> kind;
  bool simple = false;  // no blocks, no bandwidths
  std::uint64_t largest_space = 4000;
  std::int64_t largest_volume = 40;
};

inline void limit_memories(TestRng& rng, Architecture& arch, bool simple) {
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    if (rng.chance(50)) memory->capacity = {Capacity::Unit::Words, rng.between(3, 40)};
    memory->double_buffered = rng.chance(10);
    if (!simple) continue;
    memory->block_words = 1;
    memory->read_bandwidth = memory->write_bandwidth = memory->shared_bandwidth = std::nullopt;
  }
}

inline std::vector<Constraint> some_constraints(TestRng& rng, const Problem& problem) {
  std::vector<Constraint> constraints;
  const auto name = [&] {
    return problem.workload()
        .dims[static_cast<std::size_t>(rng.between(0, problem.dim_count() - 1))]
        .name;
  };
  const std::string memory = problem.memory(MemoryId{0}).name;
  if (rng.chance(25)) {
    OrderRule rule;
    rule.outermost = {name()};
    const std::string inner = name();
    if (inner != rule.outermost[0]) rule.innermost = {inner};
    constraints.push_back({memory, {}, rule, {}});
  }
  if (rng.chance(25)) {
    FactorRule rule{name(), FactorRule::Relation::AtMost, rng.between(1, 4)};
    constraints.push_back({memory, {}, rule, {}});
  }
  return constraints;
}

// Nothing if the space drawn is empty or too large.
inline std::optional<SmallProblem> small_problem(TestRng& rng, const SmallOptions& options) {
  RandomOptions random;
  random.largest_volume = options.largest_volume;
  const RandomCase drawn = random_case(rng, random);
  Architecture arch = drawn.problem.arch();
  limit_memories(rng, arch, options.simple);
  Parsed<Problem> problem = Problem::create(drawn.problem.workload(), arch);
  const SpaceKind kind = options.kind.value_or(rng.pick<SpaceKind>(
      {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT, SpaceKind::Ruby}));
  std::vector<Constraint> constraints = some_constraints(rng, *problem.value);
  const Parsed<Restrictions> rules = Restrictions::create(*problem.value, constraints);
  if (!rules.ok()) return std::nullopt;
  MadeSpace space = MapSpace::create(*problem.value, kind, *rules.value);
  if (!space.ok() || space.value->size() > BigUint(options.largest_space)) return std::nullopt;
  return SmallProblem{std::move(*problem.value), kind, std::move(constraints),
                      std::move(*space.value)};
}

}  // namespace tilewright::testing
