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
#include <functional>
#include <map>
#include <vector>

#include "base/deadline.h"
#include "certificate/cover.h"
#include "certificate/plan_extents.h"
#include "certificate/plan_fronts.h"
#include "certificate/plan_times.h"

namespace tilewright::certificate {

// What a nest that takes so many cycles has to take inside the shared memory to be of no use.
using NestLimit = std::function<Int128(Int128 cycles)>;

// The least energy inside the shared memory, or the limit if that is less; and the least cycles of
// the multipliers and of what is done afterwards. When the time is up, they are only no more than
// that. Throws Expired when it is cancelled.
PlanTotal nest_floor(const PlanSpace& space, const PlanTimes& times, int einsum, Int128 limit,
                     const Deadline& deadline);

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
  // What lies inside the shared memory, up to its edge.
  struct Inside {
    std::int64_t cycles = 0;  // of the multipliers, and of what is done afterwards
    Int128 closed = 0;
    // Per tensor whose links still wait: energy times its irrelevant extents.
    std::array<Int128, kMaxTensors> waiting{};
  };
  // Loops of the outermost memory, from the inside out, up to where the last tensor moves.
  struct Innermost {
    std::vector<std::int64_t> extents;
    std::array<std::int64_t, kMaxTensors> still{};  // irrelevant extents where it moves
    std::uint32_t waiting = 0, before = 0;  // tensors that have not moved yet; and a loop earlier
    std::uint32_t used = 0;                 // dimensions
    int last = -1;
  };

  // The energy inside the shared memory, and the cycles.
  struct Settled {
    Int128 energy = 0;
    std::int64_t cycles = 0;
  };

  void add_frame(Cover& cover, const Cell& frame, const Deadline& deadline);
  void add_inside(std::size_t tile, const Inside& inside);
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
  std::map<std::size_t, std::vector<Inside>> inside_;  // by tile
  std::uint32_t shareable_ = 0;
  const std::vector<Inside>* now_ = nullptr;  // of the tile under way
  std::array<std::int64_t, kMaxTensors> room_{};
  std::vector<Settled> settled_;
  std::vector<std::vector<typename Kind::NestFront>> fronts_;  // by streamed tensors, extents
};

extern template class NestFronts<EnergyAlone>;
extern template class NestFronts<EnergyAndTime>;

}  // namespace tilewright::certificate
