// All subproblems of a small map-space with their floors, and the least energy of each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "mappers/optimal/relax.h"
#include "mappers/optimal/subproblem_keys.h"
#include "mappers/optimal/subproblem_queue.h"
#include "tilewright/mapspace.h"

namespace tilewright::optimal {

inline constexpr std::int64_t kRoomForAll = std::int64_t{1} << 28;

inline SubproblemKey key_of(const SolverTables& solver, const Mapping& mapping) {
  SubproblemKey key;
  for (int m = 0; m < solver.memory_count; ++m) key.push_back(mapping.kept(MemoryId{m}));
  for (const FanoutShape& fanout : solver.fanouts) {
    for (int d = 0; d < solver.dim_count; ++d) {
      const DimId dim = solver.original(d);
      key.push_back(mapping.bound(fanout.slot, dim) * mapping.bound(fanout.slot + 1, dim));
    }
  }
  return key;
}

// All subproblems with their floors; refined ones if there is a filling to be found.
inline std::map<SubproblemKey, Candidate> drain(const SolverTables& solver, OuterFilling* outer) {
  const Aim energy{Objective::Energy, true};
  SubproblemQueue queue(solver, energy, kRoomForAll, {}, {outer, 0, 0, 0, std::uint64_t{1} << 40U});
  Goal anything(energy);
  anything.add(Cost{});
  std::map<SubproblemKey, Candidate> all;
  std::optional<Cost> before;
  while (std::optional<Candidate> next = queue.next(anything, Deadline(std::nullopt))) {
    EXPECT_FALSE(before && is_less(energy, next->floor, *before)) << "out of order";
    before = next->floor;
    all.emplace(key_of(solver, *next), std::move(*next));
  }
  return all;
}

// The least energy of all mappings of each subproblem, one after the other.
inline std::map<SubproblemKey, double> least_energies(const SolverTables& solver) {
  std::map<SubproblemKey, double> least;
  const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
  if (!space.ok()) return least;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    const Score score = solver.evaluator->score(*mapping);
    if (!score.verdict.fits()) continue;
    const auto [known, is_new] = least.try_emplace(key_of(solver, *mapping), score.energy_pj);
    if (!is_new) known->second = std::min(known->second, score.energy_pj);
  }
  return least;
}

// The least energy of a subproblem's relaxation; kNever if nothing is below the limit.
inline Units relaxed_below(const SolverTables& solver, const Candidate& candidate, Units limit,
                           const CostAhead* ahead = nullptr) {
  const Subproblem sub(solver, candidate.placement, *candidate.spatial);
  TableMemory memory(kRoomForAll);
  const Deadline forever(std::nullopt);
  Lattice lattice(sub, forever);
  if (!lattice.ok()) return kNever;
  return Relaxation(sub, lattice, EnergyLimit(limit), memory, forever, ahead).bound();
}

// The most that is known of what all its mappings take by looks at ranges of extents, or the limit.
inline Units bounded_by_ranges(const SolverTables& solver, const Candidate& candidate, Units limit,
                               const CostAhead* ahead) {
  const Subproblem sub(solver, candidate.placement, *candidate.spatial);
  const Deadline forever(std::nullopt);
  ExtentBox box(sub);
  box.narrow_to_fit(sub);
  Units most = 0;
  for (const double vectors : {1.0, 20.0, 400.0}) {
    TableMemory memory(kRoomForAll);
    Lattice lattice(sub, box, vectors, forever);
    if (!lattice.ok()) return limit;
    const Relaxation relaxation(sub, lattice, EnergyLimit(limit), memory, forever, ahead);
    most = std::max(most, std::min(relaxation.bound(), limit));
  }
  return most;
}

}  // namespace tilewright::optimal
