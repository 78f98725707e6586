// The least energy of the links into the memories outside the first fan-out, by what these
// memories keep. It does not depend on what is unrolled, so all subproblems have it in common.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/filling_bound.h"

namespace tilewright::optimal {

class OuterFilling {
 public:
  struct Choice {
    Keepers keepers{};
    Units least = 0;
  };

  // Holds for even mappings, and knows nothing until it is told to find it.
  explicit OuterFilling(const SolverTables& solver);

  // Takes as long as some subproblems do. What is not found in time, or in so many bytes, stays
  // at 0.
  void find(std::int64_t most_bytes, const Deadline& deadline);
  bool is_asked() const { return is_asked_; }
  // Whether it was, and there is something to know.
  bool is_known() const { return is_known_; }

  int memory() const { return memory_; }  // the innermost of these memories
  // All that they can keep.
  const std::vector<Choice>& choices() const { return choices_; }
  Units least(const Placement& placement) const;
  Units least_of_all() const;  // 0 if nothing is known

 private:
  void list_choices();
  // Throws Expired and TooLarge.
  Units least_of(const SolverTables& tables, const Keepers& keepers, std::int64_t most_bytes,
                 const Deadline& deadline) const;

  const SolverTables& solver_;
  int memory_ = 0;
  bool is_asked_ = false, is_known_ = false;
  std::vector<Choice> choices_;
};

}  // namespace tilewright::optimal
