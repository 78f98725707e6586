// One frame under one placement: what all bounds of it look at.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "certificate/chain.h"
#include "certificate/count.h"

namespace tilewright::certificate {

// The link that fills `child` with a tensor; a child of memory_count() is the
// compute level.
struct LinkPlace {
  int tensor = 0;
  int parent = 0;
  int child = 0;
};

class Context {
 public:
  Context(const Terms& terms, const Rules& rules, const Placement& placement,
          const Unrolling& unrolling, std::vector<std::shared_ptr<const Chain>> chains);

  const Terms& terms() const { return *terms_; }
  const Rules& rules() const { return *rules_; }
  const Problem& problem() const { return *terms_->problem; }
  const Placement& placement() const { return *placement_; }
  const Unrolling& unrolling() const { return *unrolling_; }
  const Chain& chain(int dim) const { return *chains_[at(dim)]; }
  std::int64_t size(int dim) const { return chains_[at(dim)]->size; }
  int memories() const { return problem().memory_count(); }
  int dims() const { return problem().dim_count(); }
  bool is_perfect() const { return rules_->kind == SpaceKind::Perfect; }
  bool is_output(int tensor) const { return tensor + 1 == problem().tensor_count(); }
  bool keeps(int memory, int tensor) const { return contains((*placement_)[at(memory)], tensor); }
  bool is_home(int memory, int tensor) const;
  // The tensors that may have a storage point inside another one of the memory. A home's
  // point is the first one.
  std::uint32_t movable(int memory) const;
  // Whether it shares the room of other memories.
  bool is_part(int memory) const { return problem().memory(MemoryId{memory}).is_part; }
  int place(int fanout) const { return places_[at(fanout)]; }
  bool shares(int fanout, int tensor) const;
  bool shares_halos(int fanout, int tensor) const;

  // Unrolling of a dimension at the fan-outs outside one memory (or the compute
  // level) and inside another; -1 is outside everything.
  std::int64_t unrolled(int dim, int outer, int inner) const {
    if (outer < 0 && inner >= 0) return outside_[at(inner * dims() + dim)];
    return unrolled_between(dim, outer, inner);
  }
  std::int64_t instances(int memory) const { return instances_[at(memory)]; }  // at most so many
  std::int64_t least_instances(int memory) const;  // at least so many take part
  // Counts those alone that a dimension is unrolled over.
  std::int64_t least_instances(int memory, int dim) const {
    return least_[at(memory * dims() + dim)];
  }
  // The same with extents of no more than this outside the outermost fan-out that unrolls it.
  std::int64_t least_instances(int memory, int dim, std::int64_t most) const;
  // That fan-out, of those outside a memory; -1 if there is none.
  int outermost_unrolling(int memory, int dim) const;
  // The largest extent inside a memory's loops with which a dimension takes no more steps than it
  // has to, where all of it is inside, and it is unrolled there and further in alone.
  std::int64_t most_without_waste(int memory, int dim) const;

  const std::vector<LinkPlace>& links() const { return links_; }

  // An upper limit of the elements of the output that the instances of a memory
  // ever hold, and of those of the first instance.
  Int128 held(int memory) const { return held_[at(memory)]; }
  Int128 held_first(int memory) const { return held_first_[at(memory)]; }

 private:
  std::int64_t unrolled_between(int dim, int outer, int inner) const;
  const Fanout& fanout_level(int fanout) const;
  std::int64_t inner_branches(int fanout, int dim) const;
  std::int64_t find_least_instances(int memory, int dim) const;
  void limit_held(int memory);

  const Terms* terms_;
  const Rules* rules_;
  const Placement* placement_;
  const Unrolling* unrolling_;
  std::vector<std::shared_ptr<const Chain>> chains_;
  std::vector<int> places_, y_slots_;    // of the fan-outs
  std::vector<std::int64_t> instances_;  // by memory, and of the compute level
  std::vector<std::int64_t> outside_;    // by these and dimension: what is unrolled outside
  std::vector<std::int64_t> least_;      // ... and how many of these instances take part at least
  std::vector<LinkPlace> links_;         // per tensor from the inside out
  std::vector<Int128> held_, held_first_;
};

}  // namespace tilewright::certificate
