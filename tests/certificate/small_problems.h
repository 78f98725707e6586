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

struct SmallProblemOptions {
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
    memory->word_bits = rng.pick<std::int64_t>({1, 8, 12});
    if (rng.chance(15)) memory->capacity = {Capacity::Unit::Bits, rng.between(40, 400)};
    if (rng.chance(15)) {
      memory->partitions["weight"] = {Capacity::Unit::Words, rng.between(1, 20)};
    }
    if (!simple) continue;
    memory->block_words = 1;
    memory->read_bandwidth = memory->write_bandwidth = memory->shared_bandwidth = std::nullopt;
  }
}

inline void vary(TestRng& rng, Architecture& arch) {
  auto& compute = std::get<Compute>(arch.levels.back());
  if (rng.chance(20)) compute.macs = rng.between(1, 3);
  if (rng.chance(20)) compute.cycles = rng.between(1, 3);
  if (rng.chance(20)) compute.mac_pj = 0.375;
}

// A rule for an axis or for the use of some fan-out.
inline std::optional<Constraint> fanout_constraint(TestRng& rng, const Problem& problem,
                                                   const std::string& dim) {
  for (const Level& level : problem.arch().levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr || rng.chance(40)) continue;
    if (rng.chance(30)) return Constraint{fanout->name, {}, UseRule{{1, 3}}, {}};
    const Axis axis = rng.chance(50) ? Axis::X : Axis::Y;
    if (rng.chance(50)) return Constraint{fanout->name, axis, DimsRule{{dim}}, {}};
    FactorRule rule{dim, FactorRule::Relation::AtMost, rng.between(1, 3)};
    return Constraint{fanout->name, axis, rule, {}};
  }
  return std::nullopt;
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
  if (rng.chance(25)) {
    if (const auto added = fanout_constraint(rng, problem, name())) constraints.push_back(*added);
  }
  const std::string inner = problem.memory(MemoryId{problem.memory_count() - 1}).name;
  if (problem.memory_count() > 1 && rng.chance(25)) {
    ResidenceRule rule;
    (rng.chance(50) ? rule.keep : rule.bypass) = {"weight"};
    constraints.push_back({inner, {}, rule, {}});
  }
  return constraints;
}

// Nothing if the space drawn is empty or too large.
inline std::optional<SmallProblem> small_problem(TestRng& rng, const SmallProblemOptions& options) {
  RandomOptions random;
  random.largest_volume = options.largest_volume;
  if (rng.chance(20)) random.accounting = Accounting::Timeloop;
  const RandomCase drawn = random_case(rng, random);
  Architecture arch = drawn.problem.arch();
  limit_memories(rng, arch, options.simple);
  vary(rng, arch);
  Checked<Problem> problem = Problem::create(drawn.problem.workload(), arch);
  const SpaceKind kind = options.kind.value_or(rng.pick<SpaceKind>(
      {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT, SpaceKind::Ruby}));
  // Timeloop's shares of windows are defined for perfect factors alone.
  const bool shares = arch.accounting == Accounting::Timeloop && kind != SpaceKind::Perfect;
  const auto& ranks = problem.value->workload().tensors.back().ranks;
  if (shares &&
      std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.size() > 1; })) {
    return std::nullopt;
  }
  std::vector<Constraint> constraints = some_constraints(rng, *problem.value);
  const Checked<Restrictions> rules = Restrictions::create(*problem.value, constraints);
  if (!rules.ok()) return std::nullopt;
  MadeSpace space = MapSpace::create(*problem.value, kind, *rules.value);
  if (!space.ok() || space.value->size() > BigUint(options.largest_space)) return std::nullopt;
  return SmallProblem{std::move(*problem.value), kind, std::move(constraints),
                      std::move(*space.value)};
}

}  // namespace tilewright::testing
