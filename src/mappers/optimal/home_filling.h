// With remainders: the least energy of what goes out of the memories outside all fan-outs, as if
// all instances of a memory were one that has their room together (docs/optimal.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/filling_bound.h"

namespace tilewright::optimal {

class HomeFilling {
 public:
  // Knows even mappings with remainders, where what memories keep is fixed.
  explicit HomeFilling(const SolverTables& solver);

  bool can_be_known() const { return memory_ > 0; }
  bool is_asked() const { return is_asked_; }
  // What is no less than a limit is of no interest. Takes about so many steps.
  void find(Units limit, std::int64_t most_bytes, std::uint64_t most_steps,
            const Deadline& deadline);
  Units least() const { return least_; }
  // The least energy of all other links, those to the multipliers as well, of all subproblems that
  // unroll no less than one, and share at most so much more of each tensor.
  Units others(const Subproblem& sub, const std::vector<MoreShared>& more) const;

 private:
  void choose_keepers();
  bool knows_tiles(int tensor, int memory) const;
  SolverTables pooled() const;

  const SolverTables& solver_;
  int memory_ = 0;     // the innermost that is filled
  Keepers keepers_{};  // of each tensor, down to the first one below a fan-out
  bool is_asked_ = false;
  Units least_ = 0;
};

}  // namespace tilewright::optimal
