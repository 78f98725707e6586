// Runs of consecutive einsums of a cascade: which loops they can share, and which tensors pass
// their ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fusion/fronts_leaf.h"
#include "tilewright/cascade.h"

namespace tilewright::fusion {

// Words at the ports of the outermost memory.
struct Words {
  double reads = 0, writes = 0;
};

struct TensorRef {
  int einsum = 0, tensor = 0;

  auto operator<=>(const TensorRef&) const = default;
};

// Prices and sizes of a tensor of an einsum, by names of dimensions.
struct TensorFacts {
  std::vector<int> dims, irrelevant;  // of the einsum; numbers of dimensions of the cascade
  bool output = false;
  std::int64_t room_per_word = 1;
  double load_pj = 0;       // of a word that is loaded, or stored, as a whole tile
  double saved_pj = 0;      // in all, since an output is new at first
  bool comes_back = false;  // an output that is read again where it is added to
  bool handed_on = false;   // may stay on the chip, with no words outside
};

// An intermediate that writer and readers of one group may share.
struct Shared {
  TensorRef writer;
  std::vector<TensorRef> readers;
  std::vector<int> dims;
  int reduces = -1;  // dimension of the cascade along which it is normalised
  std::int64_t state_words = 0;
  bool online = false;
  double rescale_pj = 0;  // of one step more over `reduces`, in all
  bool leaves = false;    // also goes to the outermost memory, once

  int last() const { return readers.back().einsum; }
};

// A run and where its extents and its tensors are in tables.
struct RunFacts {
  int first = 0, last = 0;
  std::vector<int> dims;           // that loops around the whole run may have
  ExtentLattice lattice;           // of these
  std::vector<TensorRef> tensors;  // that are not settled inside the run; a bit each
  std::vector<std::uint32_t> einsum_bits = {};
  std::vector<double> least_pj = {};  // of loading each tensor once; 0 if it may stay on the chip

  int length() const { return last - first + 1; }
  std::uint32_t bits_of(int einsum) const { return einsum_bits[at(einsum - first)]; }
};

class CascadeFacts {
 public:
  // The shared memory is one of the architecture; problems are what cannot be searched.
  static Checked<CascadeFacts> create(const Cascade& cascade, const Architecture& arch,
                                      const std::string& shared, int longest);

  int einsums() const { return static_cast<int>(stacks_.size()); }
  const NestStack& stack(int einsum) const { return stacks_[at(einsum)]; }
  const TensorFacts& tensor(TensorRef ref) const { return tensors_.at(ref); }
  const std::vector<Shared>& shared() const { return shared_; }
  const RunFacts& run(int first, int last) const { return runs_.at({first, last}); }
  bool has_run(int first, int last) const { return runs_.count({first, last}) > 0; }
  std::uint32_t leaf_dims(int einsum) const;  // bits of the einsum's own dimensions
  const std::string& dim_name(int dim) const { return dim_names_[at(dim)]; }
  std::int64_t dim_size(int dim) const { return dim_sizes_[at(dim)]; }
  std::int64_t capacity() const { return stacks_.front().capacity(); }
  double fixed_pj(int einsum) const { return fixed_pj_[at(einsum)]; }

  // True if the writer and all readers are in the run.
  static bool is_inside(const Shared& shared, int first, int last) {
    return shared.writer.einsum >= first && shared.last() <= last;
  }
  // True if an intermediate is read both inside and behind it: as a group of its own it also
  // leaves.
  bool splits_readers(int first, int last) const;
  // The extent of a dimension at a point of a run.
  std::int64_t extent(const RunFacts& run, std::size_t at_extents, int dim) const;
  std::int64_t tile_words(const RunFacts& run, std::size_t extents,
                          const std::vector<int>& dims) const;
  // The energy of loading a tensor whole at this point, over the whole group.
  double load_pj(const RunFacts& run, std::size_t extents, TensorRef ref) const;
  Words load_words(const RunFacts& run, std::size_t extents, TensorRef ref) const;
  // The same where it is loaded but once.
  double least_load_pj(TensorRef ref) const;
  Words least_words(TensorRef ref) const { return words_of(ref, elements(ref)); }
  // What passes of a tensor in all; outputs are new at first.
  Words words_of(TensorRef ref, double passes) const;
  double elements(TensorRef ref) const;
  bool may_be_handed_on(TensorRef ref) const { return tensor(ref).handed_on; }
  // The same point's extents in the lattice of a run inside.
  std::size_t inner_extents(const RunFacts& run, std::size_t extents, const RunFacts& inner) const;

 private:
  int dim_number(const Dimension& dim);
  void add_einsum(const CascadeEinsum& einsum, int number);
  void take_normalising(const Cascade& cascade, Shared& shared);
  void add_shared(const Cascade& cascade);
  std::vector<int> shared_dims(int first, int last) const;
  void add_runs(int longest);
  double loaded(const RunFacts& run, std::size_t extents, TensorRef ref) const;

  std::vector<NestStack> stacks_;
  std::vector<std::vector<int>> dims_of_;  // by einsum
  std::map<TensorRef, TensorFacts> tensors_;
  std::vector<Shared> shared_;
  std::vector<Shared> not_shared_;  // written and read in ways that cannot be fused
  std::map<std::pair<int, int>, RunFacts> runs_;
  std::vector<std::string> dim_names_;
  std::vector<std::int64_t> dim_sizes_;
  std::vector<double> fixed_pj_;
};

}  // namespace tilewright::fusion
