// The best of the groups that flat_candidates.h lists: places of all tensors, and nests.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
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

// Gives an einsum of the plan the best nests for its executions. Returns what these take at least,
// whatever the nests are; nothing if none fits. The geometry is that of the plan.
std::optional<double> put_nests(const FlatTask& task, Plan& plan, const Geometry& geometry,
                                int einsum);

class FlatGroupSearch {
 public:
  explicit FlatGroupSearch(const FlatTask& task) : task_(task) {}

  // The best of those that take less than `to_beat`. When the deadline passes, what was found
  // until then.
  FlatGroup search(double to_beat, const Deadline& deadline);
  // What loops that leave a remainder gain on a group, or without one on what was to beat. From its
  // loops on, one dimension at a time is cut otherwise, until none gains any more. So this is no
  // bound, and there may be a better one.
  FlatGroup search_remainders(FlatGroup from, const Deadline& deadline);

 private:
  // A place of a tensor from outside, and what it takes.
  struct Option {
    Placement placement;
    double pj = 0;                   // of its loads; if it is streamed, at least
    Int128 words = 0;                // of its loads, at the outermost memory
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
  // Places that there is room for, those that load least first.
  struct Places {
    std::vector<Placed> tensors;
    std::vector<Choice> choices;
  };
  Places places_within(Plan& plan, const Geometry& geometry, double most_pj) const;
  void look_into_all(FlatCandidates& candidates, const Deadline& deadline);
  void cut_otherwise(const FlatCuts& cuts, std::size_t dim, const FlatCandidates& candidates);
  FlatCuts cuts_of_best() const;
  // Cuts by loops, or a candidate, with what it takes at least.
  struct Open {
    double bound_pj = 0;
    std::size_t number = 0;  // in the order in which they came up
    FlatCuts cuts = {};      // empty: a candidate
    FlatCandidate candidate = {};
    bool placed = false;              // its loads are those that there is room for
    std::vector<double> floors = {};  // of a candidate whose nests were bounded, by einsum

    // The last one in a queue has the lowest bound; of equal ones it is the oldest.
    bool operator<(const Open& other) const {
      return bound_pj != other.bound_pj ? bound_pj > other.bound_pj : number > other.number;
    }
  };
  void open(Open one);
  void look_into(Open one, FlatCandidates& candidates, const Deadline& deadline);
  void list(const Open& of, FlatCandidates& candidates, const Deadline& deadline);
  void try_candidate(const FlatCandidate& candidate, const std::vector<double>& floors,
                     const Deadline& deadline);
  std::vector<Open> promising(const Open& of, FlatCandidates& candidates) const;
  bool add_loads(Open& one) const;
  double add_floors(Open& one, const FlatCandidates& candidates);
  bool add_floor(const FlatCandidates& candidates, int e, std::vector<Execution> executions,
                 double others_pj, double& floor);
  // Geometries are those of the plans beside them.
  std::vector<Placed> tensors_of(Plan& plan, const Geometry& geometry) const;
  std::vector<Option> options_of(Placement& placement, const Geometry& geometry, int einsum,
                                 TensorId tensor) const;
  void choose(const std::vector<Placed>& tensors, std::vector<std::int64_t>& left, double most_pj,
              Choice& choice, std::vector<Choice>& choices) const;
  void try_plan(Plan& plan, const Geometry& geometry, double pj, const std::vector<double>& floors);
  void count(const Plan& plan, double bound_pj);

  const std::vector<Dimension>& last_dims() const {
    return task_.cascade.einsums.back().workload.dims;
  }

  FlatTask task_;
  FlatGroup best_;
  std::vector<Open> open_;  // a heap
  std::set<FlatCuts> seen_;
  bool grows_ = true;  // finer cuts follow
  std::size_t opened_ = 0;
  double unsettled_pj_ = 0;  // of plans whose nests may not be the best, at least
};

}  // namespace tilewright::fusion
