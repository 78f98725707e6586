// What every mapping of a cell costs at least whose unrolling is not settled
// (docs/optimal.md, "The frames, lowest floor first").
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/branch_starts.h"
#include "certificate/count.h"
#include "certificate/cover.h"

namespace tilewright::certificate {

class RangeBound {
 public:
  RangeBound(const Terms& terms, const Rules& rules);

  Cost floor(const Cover& cover, const Cell& cell);

  // From here on, until the next call, of this cell.
  void look_at(const Cover& cover, const Cell& cell);
  int fanouts() const { return static_cast<int>(places_.size()); }
  // With links that cost so much.
  Cost cost_with(Int128 links) const;
  // If there is a reuse, no word that comes to the child serves more multiplications than that.
  Int128 link_energy(int tensor, int parent, int child, Int128 reuse = 0) const;

 private:
  // All words on a link, or those that arrive at a fan-out: branches of the fan-outs
  // from number `first` on, inside the parent and outside the child, share.
  Int128 words(int tensor, int parent, int child, int first) const;
  Int128 most_held(int memory) const;
  Int128 fill_words(int tensor, int parent, int child, int first) const;
  // The words of multiplications that each word serves so many of, at most, in one instance.
  Int128 reused_words(int tensor, int parent, int child, int first, Int128 reuse) const;
  Int128 compute_words(int tensor, int parent, int first) const;
  bool takes_own_steps(int tensor, int dim) const;
  std::uint32_t settled_dims() const;
  Int128 cheapest_chain(int tensor) const;
  Int128 cycles() const;
  Int128 least_changes() const;
  // Those of the ports of the outermost memory, whatever the cell.
  Int128 home_cycles() const;
  // At least so many instances are in use inside the fan-outs outside a memory.
  std::int64_t instances(int memory) const;

  bool is_perfect() const { return rules_->kind == SpaceKind::Perfect; }
  bool is_output(int tensor) const { return tensor + 1 == problem().tensor_count(); }
  bool shares(int fanout, int tensor) const;
  bool shares_halos(int fanout, int tensor) const;
  const Problem& problem() const { return *terms_->problem; }
  std::int64_t size(int dim) const { return problem().workload().dims[at(dim)].size; }
  std::int64_t least(int fanout, int dim) const { return cover_->least(*cell_, fanout, dim); }
  std::int64_t most(int fanout, int dim) const { return cover_->most(*cell_, fanout, dim); }
  // So many branches of a fan-out, at most, get a word of a tensor together; as a fraction.
  struct Share {
    Int128 over = 1, under = 1;
  };
  Share compact(Share share) const;
  // Settled dimensions may take their own steps, and then count for nothing.
  Share most_shared(int fanout, int tensor, bool inside_halo, bool own_steps = true) const;
  Starts least_starts_of(const Window& window, int fanout, bool single) const;
  bool is_single(const Window& window, int fanout, int tensor) const;

  const Terms* terms_;
  const Rules* rules_;
  std::vector<int> places_;  // of the fan-outs
  std::vector<const Fanout*> fanouts_;
  std::vector<Int128> elements_;  // per tensor
  Int128 home_cycles_ = 0;
  // The present cell, and the cover that it belongs to.
  const Cover* cover_ = nullptr;
  const Cell* cell_ = nullptr;
  std::uint32_t settled_ = 0;  // dimensions whose factors are all known, as bits
};

}  // namespace tilewright::certificate
