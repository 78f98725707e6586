// Where individuals can live: the map-space, and what brings bounds back into it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mapspace/flat_space.h"

namespace tilewright::genetic {

class GeneSpace : public FlatSpace {
 public:
  GeneSpace(const Problem& problem, SpaceKind kind, const Restrictions& restrictions);

  // The loops of a memory that constraints leave free to be ordered stand at the
  // positions from `first` up to, but not including, `last`.
  struct OfMemory {
    int slot = 0;
    int first = 0, last = 0;
    std::vector<DimId> outermost, innermost;
  };
  // A tensor that a memory may keep or not.
  struct Choice {
    MemoryId memory{};
    std::uint32_t tensor_bit = 0;
  };

  const std::vector<OfMemory>& memories() const { return memories_; }
  const std::vector<Choice>& choices() const { return choices_; }
  // The dimensions with more than one chain, as far as their own limits tell.
  const std::vector<int>& free_dims() const { return free_dims_; }
  // The spatial slots at which some dimension may be unrolled.
  const std::vector<int>& parallel_slots() const { return parallel_slots_; }
  // The slots in which a dimension may have another bound than the least.
  std::uint32_t open_slots(int dim) const { return dims_[at(dim)].open; }
  // The least bounds that dimensions may have in a slot.
  const std::int64_t* least(int slot) const { return least_.data() + at(slot * dims); }
  // A bit per dimension with more than one chain that may have other bounds in a slot.
  std::uint32_t open_dims(int slot) const { return open_dims_[at(slot)]; }

  // Turns wanted bounds of a dimension into a chain of the space, as close to them as
  // is easily found: what they leave over or lack, the slot `give` takes or gives,
  // and after it the outermost one that can. False if that leads to none.
  bool settle(int dim, int give, Chain& bounds) const;
  // Whether no axis has more instances at work than there are, and every fan-out as
  // many as constraints want. With settled chains, all else of the space is kept to.
  bool holds(const Mapping& mapping) const;
  // The same of a mapping that holds, if it had another chain of a dimension.
  bool holds(const Mapping& mapping, int dim, const Chain& chain) const;
  std::int64_t used(int slot, const Mapping& mapping) const;
  bool keeps_all(const Mapping& mapping) const;  // every tensor somewhere

 private:
  struct Limit {
    std::int64_t least = 1, most = 1;
    int slot = 0;
    bool remainder = false;  // bounds need not divide what is left
    // Tiles of all memories from this slot out to the next one that is listed have no more.
    std::int64_t most_extent = kCountLimit;
  };
  struct OfDim {
    std::uint32_t open = 0;
    int outermost = -1;         // of the open slots
    std::vector<Limit> limits;  // of slots whose bound may be above 1, innermost first
  };

  void add_dim(int dim);
  void add_memory(MemoryId memory);
  Int128 at_work(const Mapping& mapping, int slot, int dim, std::int64_t bound) const;
  static std::int64_t fitting(const Limit& limit, std::int64_t wanted, std::int64_t left);

  std::vector<OfDim> dims_;
  std::vector<std::int64_t> least_;  // [slot][dim]
  std::array<std::uint32_t, kMaxSlots> open_dims_{};
  std::vector<OfMemory> memories_;
  std::vector<Choice> choices_;
  std::vector<int> free_dims_, parallel_slots_;
};

}  // namespace tilewright::genetic
