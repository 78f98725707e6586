// A mapping on its way through the map-space: its factors, with the extents and
// sizes of all tiles kept up to date while factors move.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mappers/quickflow/search_tables.h"

namespace tilewright::quickflow {

// One dimension's bounds in two slots, with the same product as before, or the
// least one above where that leaves a remainder; or its bound in one slot, and what
// is outside gives way.
struct Split {
  static constexpr std::int8_t kGivesWay = -1;
  // The same, but fan-outs outside that must divide take as much as divides what is left now.
  static constexpr std::int8_t kRefills = -2;

  std::int8_t dim = -1;  // none
  std::int8_t slot = 0;
  std::int8_t partner = kGivesWay;
  std::int64_t bound = 1;  // in `slot`
};

// A step to a neighbour: factors of a dimension move; those of a second one
// take their place; or a memory keeps other tensors.
struct Move {
  std::array<Split, 2> splits;
  std::int8_t keeper = -1;  // memory number, or none
  std::uint32_t kept = 0;
};

class Allocation {
 public:
  // The mapping must be in the space; capacities apart.
  Allocation(const SearchTables& tables, const Mapping& mapping);

  const SearchTables& tables() const { return *tables_; }
  const Mapping& mapping() const { return mapping_; }
  Mapping& mapping() { return mapping_; }  // for its orders alone
  std::uint64_t hash() const { return hash_; }

  // Whether a move stays in the space and everything fits. What the outermost
  // keeper of a tensor under a fan-out holds beyond a tile is left to the model.
  bool allows(const Move& move) const;
  void apply(const Move& move);  // one that is allowed
  std::uint64_t hash_after(const Move& move) const;

  bool fits() const;
  // Whether a memory alone has room, were it to keep these tensors, and those outside it others.
  bool has_room(int memory, std::uint32_t kept, std::uint32_t outside) const {
    return has_room(memory, kept, outside, extents_[at(memory)]);
  }
  // The share of all instances in space that have work, over all steps: 1 is full.
  double utilisation() const;
  // How many times more instances constraints want than there are at work.
  double missing_instances() const;

  // How far inside the factors lie: the product of all extents of all tiles.
  double depth() const;

  bool operator==(const Allocation& other) const;

 private:
  // What a move leaves behind: the bounds of its dimensions.
  struct After {
    std::array<Chain, 2> bounds;
    std::array<std::array<std::int64_t, kMaxMemories>, 2> extents;
  };

  Chain chain_after(const Split& split) const;
  std::int64_t largest_divisor(int slot, int dim, std::int64_t left) const;
  std::array<std::int64_t, kMaxMemories> extents_of(int dim, const Chain& bounds) const;
  bool has_instances(const Move& move, const After& after) const;
  bool has_room(const Move& move, const After& after) const;
  // Whether a memory that holds tiles of these extents has room for them.
  bool has_room(int memory, std::uint32_t kept, std::uint32_t outside, const PerDim& extents) const;
  bool has_room_keeping(int memory, std::uint32_t kept) const;

  const SearchTables* tables_;
  Mapping mapping_;
  std::array<PerDim, kMaxMemories> extents_{};  // of the tiles
  std::array<std::int64_t, kMaxSlots> used_{};  // of spatial slots
  std::uint64_t hash_ = 0;
};

}  // namespace tilewright::quickflow
