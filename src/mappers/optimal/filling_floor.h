// The least energy, in all mappings even and uneven, of the links into the memories outside the
// first fan-out. It does not depend on what is unrolled, so that many subproblems have it in
// common.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

class FillingFloor {
 public:
  explicit FillingFloor(const SolverTables& solver);

  int memory() const { return memory_; }  // the innermost of them; 0 if there are none
  // Paths above `limit` are not looked for: the answer is at most that. Later calls with the same
  // tensors in these memories give what the first one found. May be called from any thread.
  Units least(const Subproblem& sub, Units limit, std::int64_t most_bytes,
              const Deadline& deadline);

 private:
  const SolverTables& solver_;
  int memory_ = 0;
  std::mutex mutex_;
  std::map<std::vector<std::uint32_t>, Units> known_;  // by what the memories keep
};

}  // namespace tilewright::optimal
