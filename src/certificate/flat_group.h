// Einsums of a flat group: who hands on to whom, and which loops move what. All shared loops of
// such a group are around all its einsums and move all of them, one per dimension at most.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/plan_space.h"
#include "tilewright/cascade.h"

namespace tilewright::certificate {

// Throws Unverifiable where windows of a cascade, or what is done afterwards, are beyond the count
// of flat groups.
void refuse_flat_cascade(const Cascade& cascade);

class FlatGroup {
 public:
  FlatGroup(const Cascade& cascade, const EinsumRun& run);

  const Cascade& cascade() const { return *cascade_; }
  const EinsumRun& run() const { return run_; }
  const Workload& workload(int einsum) const { return cascade_->workload(einsum); }

  struct Reader {
    int einsum = 0, tensor = 0;
  };
  // Those that read an einsum's output in the group.
  const std::vector<Reader>& readers(int einsum) const { return of(einsum).readers; }
  bool hands_on(int einsum) const { return !readers(einsum).empty(); }
  // An output that is handed on and also goes to the outermost memory.
  bool also_leaves(int einsum) const { return of(einsum).also_leaves; }
  // Whether a tensor comes from the outermost memory or goes there.
  bool is_outside(int einsum, int tensor) const { return of(einsum).outside[at(tensor)]; }
  bool is_output(int einsum, int tensor) const {
    return tensor + 1 == workload(einsum).tensor_count();
  }
  // The rank of the output that a dimension is; -1: it is summed over.
  int output_rank(int einsum, int dim) const { return of(einsum).output_ranks[at(dim)]; }

  // Dimensions of the last einsum that there may be a loop over.
  const std::vector<int>& loop_dims() const { return loop_dims_; }
  // Bits of dimensions of the last einsum: loops over them move the dimension, or the tensor.
  std::uint32_t moved_by(int einsum, int dim) const { return of(einsum).dims_moved_by[at(dim)]; }
  std::uint32_t tensor_moved_by(int einsum, int tensor) const {
    return of(einsum).tensors_moved_by[at(tensor)];
  }

 private:
  struct Einsum {
    std::vector<Reader> readers;
    bool also_leaves = false;
    std::vector<bool> outside;      // by tensor
    std::vector<int> output_ranks;  // by dimension
    std::vector<std::uint32_t> dims_moved_by, tensors_moved_by;
  };
  const Einsum& of(int einsum) const { return einsums_[at(einsum - run_.first)]; }
  void add_readers(int einsum);
  void add_moved(int einsum);
  bool may_have_loop(int einsum, int dim) const;

  const Cascade* cascade_;
  EinsumRun run_;
  std::vector<Einsum> einsums_;
  std::vector<int> loop_dims_;
};

}  // namespace tilewright::certificate
