// From paths of uneven steps to mappings, and what those cost.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mappers/optimal/descent.h"
#include "mappers/optimal/uneven_paths.h"

namespace tilewright::optimal {

// The energy of a mapping in which memories may stand as storage points.
Energy exact_energy(const SolverTables& solver, const Evaluator& apart, const Mapping& mapping);

class UnevenMappings {
 public:
  explicit UnevenMappings(const Subproblem& sub) : sub_(sub) {}

  // The mapping that steps stand for, innermost first, with its problem if some memory stands as
  // several storage points. Nothing if it does not fit or has more points than there may be.
  std::optional<Found> mapping_of(const std::vector<PathStep>& steps);

 private:
  // A storage point and the loops just inside it, innermost first.
  struct Point {
    std::uint32_t tensors = 0;
    std::vector<std::pair<int, std::int64_t>> loops;

    void add_loop(int dim, std::int64_t bound);
  };
  using Points = std::vector<std::vector<Point>>;  // of each memory, innermost first

  Points points_of(const std::vector<PathStep>& steps) const;
  const std::shared_ptr<const Evaluator>& evaluator_for(const std::vector<StoragePoints>& points);
  bool set_fanouts(const Points& points, const Problem& problem, Mapping& mapping) const;

  const Subproblem& sub_;
  std::map<std::vector<StoragePoints>, std::shared_ptr<const Evaluator>> evaluators_;
};

// The steps of a path, innermost first.
std::vector<PathStep> steps_of(const UnevenPaths& paths, const UnevenPaths::End& end);

}  // namespace tilewright::optimal
