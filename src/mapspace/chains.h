// The chains of factors of one dimension: a bound for every slot, such that
// dividing by them from the innermost slot out, rounding up, ends at 1.
//
// How many iterations are left after some slots, n, is all that the slots
// further out need to know. So the chains are the paths through a graph whose
// nodes are (slot, n, key), where the key says what the other dimensions need
// to know of the path so far: at which memories there is a loop, and how much
// of the fan-outs is used. Counting paths forward gives the number of chains;
// walking back along them, weighted by the counts, gives single chains.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "mapspace/resource.h"
#include "tilewright/arch.h"
#include "tilewright/base.h"

namespace tilewright::mapspace {

// The low bits of a key say at which memories there is a loop.
inline constexpr unsigned kMaxOrderBits = kMaxMemories;

// A slot at which the dimension may have a bound above 1.
struct ChainSlot {
  int slot = 0;
  std::int64_t least = 1, most = 1;
  std::int64_t most_extent = kCountLimit;  // of the tile that the slots up to this one make
  bool remainder = false;                  // bounds need not divide what is left
  std::uint32_t order_bit = 0;  // set in the key by a loop here; 0 if no order depends on it
  std::vector<int> resources;   // that the bound takes from
};

// Chains that are the same to all other dimensions.
struct ChainClass {
  std::uint32_t order_bits = 0;
  std::vector<int> used;  // the class of every resource of the space
  BigUint count;
  std::vector<int> ends;  // nodes of the last step
};

// One way into a node: any bound from `first` to `last`.
struct InEdge {
  int from = 0;
  std::int64_t first = 1, last = 1;
};

class Chains {
 public:
  // `slots` from the innermost out. `own` has a bit per resource that no other
  // dimension uses: whether it is used enough is settled here. Throws Expired.
  Chains(std::int64_t size, std::vector<ChainSlot> slots, const std::vector<Resource>& resources,
         std::uint32_t own, const Deadline* deadline = nullptr);

  const std::vector<ChainSlot>& slots() const { return slots_; }
  // True if the dimension is too large to list what may be left of it; then
  // nothing below can be asked.
  bool too_many() const { return too_many_; }
  // Empty if there is no chain. In a fixed order.
  const std::vector<ChainClass>& classes() const { return classes_; }
  BigUint total() const;

  // The number of paths to a node of a step; step k stands behind k slots.
  const BigUint& count(int step, int node) const { return steps_[at(step)].counts[at(node)]; }
  int node_count(int step) const { return static_cast<int>(steps_[at(step)].counts.size()); }
  // The ways into a node of a step from 1 on.
  std::vector<InEdge> in_edges(int step, int node) const;

  // Writes the i-th chain of a class, a bound per slot of slots().
  void write_chain(const ChainClass& a_class, BigUint index, std::int64_t* bounds) const;
  // All chains of a class, one after the other, in the order of their index.
  std::vector<std::int64_t> list_chains(const ChainClass& a_class) const;

 private:
  // Bounds from `first` to `last` lead from the n with this position in the
  // step before to this step's.
  struct Jump {
    int from = 0, to = 0;
    std::int64_t first = 1, last = 1;
  };
  struct Step {
    std::vector<std::int64_t> left;   // distinct n, in descending order
    std::vector<Jump> jumps;          // into this step, sorted by `to`
    std::vector<int> begin;           // first node of each n, and the end
    std::vector<std::uint64_t> keys;  // per node
    std::vector<BigUint> counts;      // per node
    int position(std::int64_t n) const;
  };

  void make_jumps(int step, const Deadline* deadline);
  void drop_dead_ends();
  void make_nodes(int step, const Deadline* deadline);
  void make_classes(const std::vector<Resource>& resources, std::uint32_t own);
  std::vector<Jump> pieces(const Jump& jump, const ChainSlot& slot) const;
  std::optional<std::uint64_t> advance(std::uint64_t key, const ChainSlot& slot,
                                       std::int64_t bound) const;
  void list_backwards(int step, int node, std::vector<std::int64_t>& chain,
                      std::vector<std::int64_t>& out) const;

  std::vector<ChainSlot> slots_;
  std::vector<Resource> resources_;     // those used here
  std::vector<int> resource_ids_;       // their positions in the space
  std::vector<std::uint64_t> radices_;  // place value of each in the key, above the order bits
  std::vector<Step> steps_;             // slots + 1
  std::vector<ChainClass> classes_;
  bool too_many_ = false;
};

}  // namespace tilewright::mapspace
