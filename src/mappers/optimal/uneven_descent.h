// All paths of a subproblem that may lead to something of interest, one by one: with remainders
// what a path costs is a bound, and its mapping has to be looked at.
#pragma once

#include <vector>

#include "mappers/optimal/uneven_mapping.h"

namespace tilewright::optimal {

class UnevenDescent {
 public:
  // The paths keep their graph. What is found goes to the goal, and is added to a list.
  UnevenDescent(const Subproblem& sub, const UnevenPaths& paths, Goal& goal,
                std::vector<Found>& found, const Deadline& deadline);

  // False if it gave up after so many steps. Throws Expired.
  bool run(std::uint64_t most_steps);
  std::uint64_t evaluated() const { return evaluated_; }

 private:
  // The steps outside the present state, as far as they are alike to what follows inside.
  struct Outside {
    Units energy = 0;
    std::int64_t words = 0;          // of the present memory's room that is taken outside
    std::uint32_t looped = 0;        // dimensions of the loops out to the next point
    const PathArc* loop = nullptr;   // the innermost loop, if nothing but points is inside it
    const PathArc* point = nullptr;  // the innermost step, if it is a point
  };

  void descend(const PathArc& arc, const Outside& outside);
  Outside after(const PathArc& arc, const Outside& outside) const;
  // Whether a step into another memory stays in the same room.
  bool shares_room(const PathArc& arc) const;
  // Whether another path, of the same mapping or of one that is as good, stands for this one.
  bool is_superfluous(const PathArc& arc, const Outside& outside) const;
  bool is_superfluous_point(const PathArc& arc, const Outside& outside) const;
  bool is_superfluous_loop(const PathArc& arc, const Outside& outside) const;
  // The least energy of all paths that go on inside; kNever if none fits.
  Units least(const PathArc& arc, const Outside& outside) const;
  bool is_of_interest(Units energy) const;
  void evaluate();

  const Subproblem& sub_;
  const SolverTables& solver_;
  const UnevenPaths& paths_;
  Goal& goal_;
  std::vector<Found>& found_;
  const Deadline& deadline_;
  UnevenMappings mappings_;
  std::vector<bool> is_ordered_;  // memories in which constraints order loops
  Loads loads_;                   // of the steps outside and of the multipliers
  std::vector<PathStep> steps_;   // outermost first
  std::uint64_t most_steps_ = 0, visited_ = 0, evaluated_ = 0;
};

}  // namespace tilewright::optimal
