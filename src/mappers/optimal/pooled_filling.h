// The least energy of the links into memories, those below fan-outs as well, as if all instances
// of a memory were one that has their room together. Subproblems that unroll the same share of
// what is unrolled over dimensions of each tensor have it in common.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/filling_ahead.h"
#include "mappers/optimal/pooled_tensors.h"

namespace tilewright::optimal {

// Branches of each fan-out, by tensor.
struct TensorBranches {
  using Numbers = std::array<std::array<std::int64_t, kMaxTensors>, kMaxFanouts>;
  Numbers same{};       // that have the same of a tensor, at least
  Numbers different{};  // that have different parts of it, at most
};

class PooledFilling {
 public:
  // Holds for even mappings with perfect factors, where what memories keep is fixed. Branches are
  // looked at when they were asked for so often.
  PooledFilling(const SolverTables& solver, int most_asked);

  // What is too much to be of interest, and how long it may take.
  struct Effort {
    Units limit = kNever;
    Units most = kNever;  // the same of all subproblems
    std::int64_t most_bytes = 0;
    std::uint64_t most_steps = 0;  // with all branches that were asked for before
    const Deadline& deadline;
  };

  bool can_be_known() const { return memory_ > 0; }
  // Whether it has the link of a tensor into a memory.
  bool has_link(int tensor, int memory) const {
    return memory <= memory_ && tensors_->with_link(tensor, memory) >= 0;
  }
  // Whatever is unrolled. 0 if it is not found in time, or in so many bytes.
  Units least(const Effort& effort);
  // With these branches. It is found for those that were asked for often: finding it takes as
  // long as settling some subproblems.
  Units least(const TensorBranches& branches, const Effort& effort);
  // With all that is unrolled in its tiles, if that is known.
  Units least(const TensorBranches& branches, const PerDim& unrolled) const;
  // What is known of states with these branches; nothing if nothing is.
  std::shared_ptr<const FillingAhead> ahead(const TensorBranches& branches) const;

 private:
  using Key = std::vector<std::int64_t>;

  bool is_fixed(int tensor) const;
  SolverTables pooled(const TensorBranches& branches) const;
  TensorBranches any_inside(const TensorBranches& branches, int fanout) const;
  TensorBranches outermost(const TensorBranches& branches) const;
  Key key_of(const TensorBranches& branches) const;

  struct Known {
    Units least = 0;
    bool is_exact = false;  // not only no less
    int asked = 0;
    std::shared_ptr<const FillingAhead> ahead;
  };
  Units find(const TensorBranches& branches, int most_asked, const Effort& effort);
  void keep(std::shared_ptr<const FillingAhead> found, std::int64_t most_bytes, Known& known);

  const SolverTables& solver_;
  int most_asked_;
  int memory_ = 0;  // the innermost of them
  std::optional<PooledTensors> tensors_;
  std::uint64_t steps_ = 0, last_steps_ = 0;  // of all branches, and of the last ones
  std::int64_t bytes_ = 0;                    // of what is kept of them
  std::map<Key, Known> known_;
};

}  // namespace tilewright::optimal
