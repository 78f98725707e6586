// The least energy of the links into memories, those below fan-outs as well, as if all instances
// of a memory were one that has their room together. Subproblems that unroll the same share of
// what is unrolled over dimensions of each tensor have it in common.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/filling_bound.h"

namespace tilewright::optimal {

// Branches of each fan-out, by tensor.
struct TensorBranches {
  using Numbers = std::array<std::array<std::int64_t, kMaxTensors>, kMaxFanouts>;
  Numbers same{};       // that have the same of a tensor, at least
  Numbers different{};  // that have different parts of it, at most
};

class PooledFilling {
 public:
  // Of even mappings with perfect factors, where what memories keep is fixed. Branches are looked
  // at when they were asked for so often.
  PooledFilling(const SolverTables& solver, int most_asked);

  // What is too much to be of interest, and how long it may take.
  struct Effort {
    Units limit = kNever;
    std::int64_t most_bytes = 0;
    std::uint64_t most_steps = 0;  // with all branches that were asked for before
    const Deadline& deadline;
  };

  bool can_be_known() const { return memory_ > 0; }
  // The links that it has: those into these memories.
  const Keepers& keepers() const { return keepers_; }
  // Whatever is unrolled. 0 if it is not found in time, or in so many bytes.
  Units least(const Effort& effort);
  // With these branches. It is found for those that were asked for often: finding it takes as
  // long as settling some subproblems.
  Units least(const TensorBranches& branches, const Effort& effort);

 private:
  using Key = std::vector<std::int64_t>;

  void choose_keepers();
  bool knows_tiles(int tensor, int memory) const;
  SolverTables pooled(const TensorBranches& branches) const;
  TensorBranches any_inside(const TensorBranches& branches, int fanout) const;
  Key key_of(const TensorBranches& branches) const;
  Units find(const TensorBranches& branches, int most_asked, const Effort& effort);

  const SolverTables& solver_;
  int most_asked_;
  int memory_ = 0;  // the innermost of them
  Keepers keepers_{};
  std::uint64_t steps_ = 0, last_steps_ = 0;  // of all branches, and of the last ones
  struct Known {
    Units least = 0;
    bool is_exact = false;  // not only no less
    int asked = 0;
  };
  std::map<Key, Known> known_;
};

}  // namespace tilewright::optimal
