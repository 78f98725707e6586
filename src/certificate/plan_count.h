// What a plan costs, counted by the checker: whether it is one of the space, whether it fits, its
// energy and, where time counts, its cycles.
#pragma once

#include <string>
#include <vector>

#include "certificate/plan_times.h"

namespace tilewright::certificate {

class PlanCounter {
 public:
  PlanCounter(const PlanSpace& space, const PlanTimes& times, const Plan& plan);

  // Why the plan is not one of the space, or does not fit; empty if it is and does.
  const std::string& problem() const { return problem_; }
  PlanTotal total() const;  // of a plan without problems

 private:
  // A loop above an einsum, and the einsums under it.
  struct Loop {
    int dim = 0;
    std::int64_t count = 1;
    EinsumRun run;
  };
  using Extents = std::vector<std::int64_t>;
  // A tensor that stays in the shared memory while these einsums run.
  struct Live {
    EinsumRun run;
    std::int64_t room = 0;
  };

  void complain(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }
  const std::string& name(int einsum) const { return space_.cascade().workload(einsum).name; }
  void read_trees();
  EinsumRun read_node(const PlanNode& node, std::vector<Loop>& above, int& next);
  void check_loops(const PlanNode& node, const EinsumRun& run);
  void check_places(int einsum);
  // The loops of a path that have both einsums under them.
  std::size_t common(int einsum, int other) const;
  EinsumRun run_below(int einsum, std::size_t loops) const;
  // Extents below the first loops of a path.
  Extents below(int einsum, std::size_t loops) const;
  // The loops up to the one that moves the tensor last, of so many; 0 if none does.
  std::size_t moved_by(int einsum, const PlanTensor& tensor, std::size_t loops) const;

  void add_intermediate(const HandedOn& one);
  void add_resident(int einsum, std::size_t tensor);
  void add_nest(int einsum);
  void check_nest(int einsum, const Problem& whole, const Problem& problem,
                  const PrivateNest& nest);
  Count tile_room(int einsum, std::size_t tensor, const Problem& problem, const Mapping& mapping);
  // So many executions of a nest.
  void count_nest(int einsum, const Problem& problem, const Mapping& mapping, Int128 executions);
  void check_room(int einsum, const Problem& problem, const Mapping& mapping);
  bool is_resident(int einsum, std::size_t tensor) const;

  const PlanSpace& space_;
  const PlanTimes& plan_times_;
  const Plan& plan_;
  std::vector<std::vector<Loop>> paths_;
  std::vector<EinsumRun> groups_;  // per einsum: its group
  EinsumRun reading_;              // the group that is read
  std::vector<Live> live_;
  Int128 energy_ = 0;
  std::vector<OpenTime> times_;  // per einsum
  std::string problem_;
};

// The problem with the storage points of a nest, if it has any.
Problem at_points_of(const PrivateNest& nest, const Problem& whole);
// Why a nest cannot be one of the problem at all: it has other levels; and why a mapping of the
// problem, which has storage points or not, is none of the whole one with perfect factors. Empty if
// nothing is wrong.
std::string shape_misfit(const Problem& problem, const PrivateNest& nest);
std::string rules_misfit(const Problem& whole, const Problem& problem, const Mapping& mapping,
                         Among among);

}  // namespace tilewright::certificate
