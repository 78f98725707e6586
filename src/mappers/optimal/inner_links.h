// What the links inside the memories outside all fan-outs take at least, if those had all room.
#pragma once

#include <cstdint>

#include "base/deadline.h"
#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

class InnerLinks {
 public:
  explicit InnerLinks(const SolverTables& solver);

  bool can_be_known() const { return outside_ >= 0; }
  // Whether a link starts in the innermost of these memories or further in.
  bool contains(const Link& link) const { return link.parent >= outside_; }
  // The least of these links of a subproblem, with all that is fixed; or the limit. Adds the steps
  // that it takes. Throws Expired.
  Units least(const Subproblem& sub, Units limit, std::int64_t most_bytes, const Deadline& deadline,
              std::uint64_t& steps) const;

 private:
  SolverTables tables_for(const Placement& placement) const;

  const SolverTables& solver_;
  int outside_ = -1;  // the innermost memory outside all fan-outs
};

}  // namespace tilewright::optimal
