// What plans of a cascade can be: which einsums may share loops over which dimensions, which
// tensors stay on the chip, and what loads cost; in whole numbers. docs/fusion.md says what a
// plan means, docs/certificates.md which plans a certificate is about.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certificate/count.h"
#include "certificate/rules.h"
#include "tilewright/cascade.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

inline constexpr int kSharedMemory = 1;  // its number, from the outside

// Einsums of a group or under a loop, by their numbers.
struct EinsumRun {
  int first = 0, last = 0;

  int length() const { return last - first + 1; }
  bool has(int einsum) const { return first <= einsum && einsum <= last; }
  bool has(const EinsumRun& other) const { return first <= other.first && other.last <= last; }
  auto operator<=>(const EinsumRun&) const = default;
};

// Their names, for people.
std::string names_of(const Cascade& cascade, const EinsumRun& run);

// An intermediate that may stay on the chip between its writer and readers of one group.
struct HandedOn {
  int writer = 0;
  std::vector<std::pair<int, int>> readers;  // einsums and their tensors, in order
  std::uint32_t dims = 0;                    // bits of dimensions of the cascade
  // Along which it is normalised; -1 for none. Only online it can be done in several steps.
  int reduces = -1;
  bool online = false;
  std::int64_t state_words = 0;  // per remaining index
  // What one step more adds, in all: elements of the readers' sums, and energy.
  std::int64_t rescaled = 0;
  Int128 rescale = 0;
  bool leaves = false;  // also goes to the outermost memory, each element once

  int last() const { return readers.back().first; }
  EinsumRun reach() const { return {writer, last()}; }
};

// A tensor of an einsum.
struct PlanTensor {
  std::uint32_t dims = 0, irrelevant = 0;  // of the cascade, of those that the einsum has
  std::int64_t width = 1;                  // room of an element in the shared memory
  bool shareable = false;                  // the shared memory keeps it
  Int128 word = 0, spared = 0;             // energy of a word that is loaded; less, in all
  int handed_on = -1;                      // number of the intermediate that it is
  // An output; and one whose old sums are read where more is added to them.
  bool is_output = false, comes_back = false;
};

// What a plan or a part of it takes; cycles only where time counts.
struct PlanTotal {
  Int128 energy = 0, cycles = 0;

  PlanTotal& operator+=(const PlanTotal& more) {
    energy = plus(energy, more.energy);
    cycles = plus(cycles, more.cycles);
    return *this;
  }
  friend PlanTotal operator+(PlanTotal a, const PlanTotal& b) { return a += b; }
  bool operator==(const PlanTotal&) const = default;
};

struct PlanEinsum {
  std::shared_ptr<const Problem> problem;
  Rules rules;
  Terms terms;
  Int128 scale = 1;       // from units of the terms to those of the plan
  Int128 afterwards = 0;  // energy per element of the output
  std::vector<int> dims;  // numbers in the cascade
  std::vector<PlanTensor> tensors;
  std::uint32_t all_dims = 0;

  const PlanTensor& output() const { return tensors.back(); }
};

class PlanSpace {
 public:
  // Throws Unverifiable where plans are beyond the checker.
  PlanSpace(const Cascade& cascade, const Architecture& arch, const std::string& shared,
            int longest, Among nests = Among::Even);

  const Cascade& cascade() const { return *cascade_; }
  const Architecture& arch() const { return *arch_; }
  int einsums() const { return static_cast<int>(einsums_.size()); }
  const PlanEinsum& einsum(int number) const { return einsums_[at(number)]; }
  // Intermediates that stay on the chip in a group. If einsums behind it read one, it also leaves.
  std::vector<HandedOn> handed_on(const EinsumRun& group) const;
  // Whether an output goes to the outermost memory in any plan.
  bool always_leaves(const PlanTensor& output) const {
    return output.handed_on < 0 || handed_on_[at(output.handed_on)].leaves;
  }
  std::int64_t size(int dim) const { return sizes_[at(dim)]; }
  int dims() const { return static_cast<int>(sizes_.size()); }
  std::optional<int> find_dim(const std::string& name) const;
  int decimals() const { return decimals_; }
  std::int64_t room() const { return room_; }
  int longest() const { return longest_; }
  Among nests() const { return nests_; }  // even ones, or all

  // Whether these einsums can be a group of a plan.
  bool may_be_group(const EinsumRun& run) const;
  // Whether they can be under one loop, or follow each other in a group.
  bool may_be_run(const EinsumRun& run) const;
  // Dimensions that loops around all of the run may have, as bits; in a group, or in any.
  std::uint32_t shared_dims(const EinsumRun& run, const EinsumRun& group) const;
  std::uint32_t shared_dims(const EinsumRun& run) const {
    return shared_dims(run, {0, einsums() - 1});
  }
  // True if a tensor passes between einsums of the group, on the chip.
  bool is_inside(const EinsumRun& group, int einsum, int tensor) const;
  // True if an output passes on and also leaves; that takes what its least load does.
  bool also_leaves(const EinsumRun& group, int einsum) const;

  // Products over dimensions; extents are by dimension of the cascade.
  std::int64_t product(std::uint32_t dims, const std::vector<std::int64_t>& extents) const;
  std::int64_t elements(const PlanTensor& tensor) const { return product(tensor.dims, sizes_); }
  // Words and energy of loading a tensor, in all, where its tile is taken whole at these extents:
  // once for each step of what is irrelevant to it and lies further out.
  Int128 loaded(const PlanTensor& tensor, const std::vector<std::int64_t>& extents) const;
  Int128 load(const PlanTensor& tensor, const std::vector<std::int64_t>& extents) const {
    return times(tensor.word, loaded(tensor, extents)) - tensor.spared;
  }
  Int128 least_load(const PlanTensor& tensor) const { return load(tensor, sizes_); }
  std::int64_t tile_room(const PlanTensor& tensor, const std::vector<std::int64_t>& extents) const {
    return narrow(Count(product(tensor.dims, extents)) * tensor.width);
  }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }

 private:
  void add_einsum(const CascadeEinsum& einsum);
  void refuse_architecture(const PlanEinsum& einsum) const;
  void refuse_large(const PlanEinsum& einsum) const;
  void take_prices();
  void add_intermediates();
  void add_intermediate(HandedOn one);
  bool is_alike(int writer, int reader, int tensor) const;
  void take_normalising(HandedOn& one) const;

  const Cascade* cascade_;
  const Architecture* arch_;
  std::string shared_;
  int longest_ = 1;
  Among nests_ = Among::Even;
  int decimals_ = 0;
  std::int64_t room_ = 0;
  std::vector<std::string> dim_names_;
  std::vector<std::int64_t> sizes_;
  std::vector<PlanEinsum> einsums_;
  std::vector<HandedOn> handed_on_;        // each with all its readers
  std::vector<EinsumRun> never_together_;  // writers and readers that see a tensor differently
};

}  // namespace tilewright::certificate
