// The best of the groups that flat_candidates.h lists: places of all tensors, and nests.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fusion/flat_candidates.h"

namespace tilewright::fusion {

struct FlatGroup {
  std::optional<Plan>
      plan;             // of the einsums of the group, numbered from 0; nothing: none is better
  double pj = 0;        // of that plan, or what was to beat
  double bound_pj = 0;  // no group has less
};

class FlatGroupSearch {
 public:
  explicit FlatGroupSearch(const FlatTask& task) : task_(task) {}

  // The best of those that take less than `to_beat`. When the deadline passes, what was found
  // until then.
  FlatGroup search(double to_beat, const Deadline& deadline);

 private:
  // A place of a tensor from outside, and what it takes.
  struct Option {
    Placement placement;
    double pj = 0;                   // of its loads; if it is streamed, at least
    std::vector<std::int64_t> room;  // by einsum, in the unit of the capacity
  };
  struct Placed {
    int einsum = 0;
    TensorId tensor{};
    std::vector<Option> options;
  };
  struct Choice {
    double pj = 0;
    std::vector<std::size_t> options;  // by tensor
  };
  void try_candidate(const FlatCandidate& candidate, const Deadline& deadline);
  // Geometries are those of the plans beside them.
  std::vector<double> floors_of(const Geometry& geometry);
  std::vector<Placed> tensors_of(Plan& plan, const Geometry& geometry) const;
  std::vector<Option> options_of(Placement& placement, const Geometry& geometry, int einsum,
                                 TensorId tensor) const;
  void choose(const std::vector<Placed>& tensors, std::vector<std::int64_t>& left, double most_pj,
              Choice& choice, std::vector<Choice>& choices) const;
  void try_plan(Plan& plan, const Geometry& geometry, double pj, const std::vector<double>& floors);
  bool add_nest(Plan& plan, const Geometry& geometry, int einsum, const Execution& execution,
                double& bound_pj);
  void count(const Plan& plan, double bound_pj);

  FlatTask task_;
  FlatGroup best_;
  double unsettled_pj_ = 0;  // of plans whose nests may not be the best, at least
};

}  // namespace tilewright::fusion
