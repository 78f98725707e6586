// Floors of sets of subproblems that know how much memories hold: the innermost one, and those
// outside the first fan-out. They take longer to find than plain ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mappers/optimal/inner_tiles.h"
#include "mappers/optimal/outer_filling.h"
#include "mappers/optimal/pooled_filling.h"

namespace tilewright::optimal {

// How far dimensions are unrolled by all fan-outs together, at least and at most.
struct UnrolledRanges {
  PerDim first{}, last{};
};

class RefinedFloor {
 public:
  RefinedFloor(const SolverTables& solver, const OuterFilling& outer, int most_asked)
      : solver_(solver), outer_(outer), tiles_(solver), pooled_(solver, most_asked) {}

  // The least energy of all links, those to the multipliers as well, of all subproblems that
  // unroll no less than one, and share at most so much more of each tensor.
  Units least_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                    const UnrolledRanges& ranges);
  // The same by what all instances of memories hold together; with all bounds settled if there are
  // branches.
  bool knows_pooled() const { return pooled_.can_be_known(); }
  Units least_unpooled_links(const Subproblem& sub, const std::vector<MoreShared>& more) const;
  Units least_pooled_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                           const TensorBranches* branches, const PooledFilling::Effort& effort);
  std::shared_ptr<const FillingAhead> ahead(const TensorBranches& branches) const {
    return pooled_.ahead(branches);
  }
  // What the links of a subproblem take at least on top of one load of every element each.
  Units more_than_once(const Subproblem& sub, const Placement& placement);

 private:
  // A link into the innermost memory, and what the others of its chain take.
  struct Chain {
    Units others = 0;
    std::optional<Link> link;  // none if the innermost memory is the tensor's home
  };
  // The ways of a tensor from its keepers outside the first fan-out, if something is known of
  // them, to the multipliers.
  struct Ways {
    std::uint32_t outer = 0;
    Units filling = 0;  // of these keepers
    Units without = 0;  // the cheapest that leave the innermost memory out
    std::vector<Chain> with;
    std::vector<std::pair<Int128, Units>> known;  // of those through it, by reuse
  };
  std::vector<Ways> ways_of(const Subproblem& sub, int tensor, const MoreShared& more) const;
  int pay_outer_links(const Subproblem& sub, int tensor, const MoreShared& more, Ways& ways) const;
  void add_chains(const Subproblem& sub, int tensor, const MoreShared& more, Ways& ways) const;
  Units through(const Subproblem& sub, const MoreShared& more, Ways& ways, Int128 reuse) const;
  // The least of all that is kept in the innermost memory: cost(tensor, reuse) is that of one
  // tensor.
  template <typename CostOf>
  Units with_next_loop(std::uint32_t kept, const UnrolledRanges& ranges, CostOf cost);

  const SolverTables& solver_;
  const OuterFilling& outer_;
  InnerTiles tiles_;
  PooledFilling pooled_;
};

}  // namespace tilewright::optimal
