// With remainders: the least energy of what goes out of the memories outside all fan-outs, as if
// all instances of a memory were one that has their room together (docs/optimal.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/filling_bound.h"
#include "mappers/optimal/tiles_ahead.h"

namespace tilewright::optimal {

class HomeFilling {
 public:
  // Knows even mappings with remainders in which these memories keep each tensor.
  HomeFilling(const SolverTables& solver, const Keepers& all);

  const Keepers& all_keepers() const { return all_; }
  // Whether something can be known of a memory below a fan-out.
  bool knows_below() const { return memory_ > 0 && is_below_; }
  // What is no less than a limit is of no interest. Found once, or a part of it at a time.
  void find(const FillingEffort& effort, const Deadline& deadline);
  // By the tiles of the memory just inside the outermost one alone: of all these links, and of
  // those from the outermost one.
  struct ByTiles {
    Units all = 0, outermost = 0;
    std::uint64_t steps = 0;
  };
  ByTiles least_by_tiles(std::size_t most_boxes, const Deadline& deadline) const {
    return bound_by_tiles(pooled(0, any_bounds()), most_boxes, deadline);
  }
  void set_limits(Units limit, std::int64_t most_bytes);
  Units least() const { return least_; }
  // The same of links from the outermost memory alone, as far as its tiles tell.
  Units least_of_outermost() const { return least_of_outermost_; }
  // The least, or the limit, of those alone that unroll dimensions so far, found in a few looks;
  // adds the steps that it takes.
  Units least_with(const SpatialBounds& ranges, Units limit, const Deadline& deadline,
                   std::uint64_t& steps) const;
  // By what is still to be paid from states, if that is known.
  const std::shared_ptr<const TilesAhead>& ahead() const { return ahead_; }
  // Tensors whose links into the innermost memory are among those that count.
  std::uint32_t filled_inside() const { return filled_inside_; }
  // The least if the links of some of them count for nothing. What is not known yet is found if
  // that is allowed; adds the steps that it takes.
  Units least_without(std::uint32_t tensors, bool may_find, const Deadline& deadline,
                      std::uint64_t& steps);
  // The sum of all other links, those to the multipliers as well: link_energy(link) is that of one.
  template <typename LinkEnergy>
  Units others(const LinkEnergy& link_energy) const {
    Units energy = 0;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      int parent = -1;
      for (const int m : members(all_[at(t)])) {
        if (parent >= 0 && !contains(keepers_[at(t)], m)) {
          energy = sum(energy, link_energy(link_between(solver_, t, parent, m)));
        }
        parent = m;
      }
      const Link last = link_between(solver_, t, parent, solver_.memory_count);
      energy = sum(energy, link_energy(last));
    }
    return energy;
  }

 private:
  void choose_keepers();
  void choose_memory();
  bool knows_tiles(int tensor, int memory) const;
  SpatialBounds any_bounds() const;
  void pool(MemoryShape& memory, const SpatialBounds& ranges) const;
  SolverTables pooled(std::uint32_t free, const SpatialBounds& ranges) const;
  // look(subproblem, extents) of these memories, with the extents of the one just inside the
  // outermost one, if these are known.
  template <typename Result, typename Look>
  Result with_tiles(const SolverTables& pooled, Result nothing, Look look) const;
  void find_ahead(const SolverTables& pooled, const Deadline& deadline);
  ByTiles bound_by_tiles(const SolverTables& pooled, std::size_t most_boxes,
                         const Deadline& deadline) const;

  const SolverTables& solver_;
  int memory_ = 0;  // the innermost that is filled
  bool is_below_ = false;
  Keepers all_;        // of each tensor
  Keepers keepers_{};  // the same down to the first one below a fan-out
  std::uint32_t filled_inside_ = 0;
  Units least_ = 0, least_of_outermost_ = 0;
  std::shared_ptr<const TilesAhead> ahead_;
  std::map<std::uint32_t, Units> known_;  // by the tensors that count for nothing
  Units limit_ = kNever;
  std::int64_t most_bytes_ = 0;
};

// One for each choice of what memories keep, if something can be known of every choice, and there
// are not too many; else none.
std::vector<HomeFilling> home_fillings(const SolverTables& solver);

}  // namespace tilewright::optimal
