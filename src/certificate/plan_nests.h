// The private nests of an einsum of a plan: the least energy of all its executions, for all extents
// that shared loops may leave it, all sets of tensors that are streamed, and all room; where time
// counts, for all cycles and words at ports as well.
//
// With perfect factors the words of a link, in all executions together, follow from the extents
// just inside the loop that moves its tensor. So the lattices of the whole einsum serve all
// extents: up to the loops of the outermost memory they say what everything inside the shared
// memory costs, and which tensors still wait for a moving loop.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "certificate/cover.h"
#include "certificate/plan_extents.h"
#include "certificate/plan_fronts.h"
#include "certificate/plan_points.h"

namespace tilewright::certificate {

// The least energy inside the shared memory, or the limit if that is less; and the least cycles of
// the multipliers and of what is done afterwards. When the time is up, they are only no more than
// that. Throws Expired when it is cancelled.
PlanTotal nest_floor(const PlanSpace& space, const PlanTimes& times, int einsum, Int128 limit,
                     const Deadline& deadline);

class FrameTable;
class Lattice;

template <class Kind>
class NestFronts {
 public:
  // Loops of a plan may cut the dimensions of `cut`. Nests are left out that take the limit or
  // more: inside the shared memory, with what streamed tensors load beyond the least; that least
  // counts where a tensor may also stay on the chip. Throws Expired.
  NestFronts(const PlanSpace& space, const PlanTimes& times, int einsum, std::uint32_t cut,
             NestLimit limit, const Deadline& deadline);

  const ExtentVectors& extents() const { return cuts_; }
  // With loads of streamed tensors, bits of them; those that the shared memory does not keep
  // are always streamed and never named.
  const typename Kind::NestFront& front(std::uint32_t streamed, std::size_t extents) const {
    return fronts_[streamed][extents];
  }

 private:
  // Loops of the outermost memory, from the inside out, up to where the last tensor moves.
  struct Innermost {
    std::vector<std::int64_t> extents;
    std::array<std::int64_t, kMaxTensors> still{};  // irrelevant extents where it moves
    std::uint32_t waiting = 0, before = 0;  // tensors that have not moved yet; and a loop earlier
    std::uint32_t used = 0;                 // dimensions
    int last = -1;
  };

  // The energy inside the shared memory of a nest.
  struct Settled {
    Int128 energy = 0;
    const NestInside* nest = nullptr;
  };

  void add_frame(Cover& cover, const Cell& frame, const Deadline& deadline);
  // Calls visit(extents, nest) for all that is inside the loops of a memory.
  template <typename Visit>
  void for_each_inside(const FrameTable& table, const Lattice& lattice, int memory, Visit visit);
  void add_inside(std::size_t tile, const NestInside& inside);
  void try_tile(std::size_t tile);
  void go_on(const Innermost& loops);
  void try_loops(const Innermost& loops);
  void add_nest(const Innermost& loops, const Settled& inside);
  bool is_of_use(const typename Kind::Nest& nest, std::uint32_t streamed) const;
  Int128 streamed_words(int tensor, std::int64_t irrelevant) const;
  void sweep();

  const PlanSpace& space_;
  const PlanTimes& times_;
  int number_;
  const PlanEinsum& einsum_;
  NestLimit limit_;
  ExtentVectors tiles_, cuts_;
  std::map<std::size_t, std::vector<NestInside>> inside_;  // by tile
  std::optional<PlanPoints> points_;                       // where nests may be uneven
  std::uint32_t shareable_ = 0;
  const std::vector<NestInside>* now_ = nullptr;  // of the tile under way
  std::array<std::int64_t, kMaxTensors> room_{};
  std::vector<Settled> settled_;
  std::vector<std::vector<typename Kind::NestFront>> fronts_;  // by streamed tensors, extents
};

extern template class NestFronts<EnergyAlone>;
extern template class NestFronts<EnergyAndTime>;

}  // namespace tilewright::certificate
