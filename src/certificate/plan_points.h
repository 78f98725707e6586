// Storage points of streamed tensors among the loops of the shared memory, in private nests of a
// plan. From the inside out, tensors may have their points just inside any loop that moves them;
// room and energy that were taken are kept where no other way takes less of everything.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/deadline.h"
#include "certificate/plan_extents.h"
#include "certificate/plan_times.h"

namespace tilewright::certificate {

// A nest up to some loops of the shared memory.
struct NestInside {
  std::int64_t cycles = 0;  // of the multipliers, and of what is done afterwards
  Int128 closed = 0;        // energy, with loads of tensors that have points
  // Per tensor whose links still wait: energy times its irrelevant extents.
  std::array<Int128, kMaxTensors> waiting{};
  std::uint32_t placed = 0;  // streamed tensors that have points
  std::int64_t room = 0;     // that these take
  OpenTime time = {};        // and their words at ports

  // Wherever the tensors of both move.
  bool is_no_worse(const NestInside& other) const;
};

// What a nest that takes so many cycles has to take inside the shared memory to be of no use.
using NestLimit = std::function<Int128(Int128 cycles)>;

class PlanPoints {
 public:
  PlanPoints(const PlanSpace& space, const PlanTimes& times, int einsum, const NestLimit& limit);

  // A nest inside all loops of the shared memory, of these extents.
  void add(const std::vector<std::int64_t>& extents, const NestInside& inside);
  // Visits all nests with a point at least that are of use, by their extents. Throws Expired.
  using Visit = std::function<void(const std::vector<std::int64_t>&, const NestInside&)>;
  void run(const Visit& visit, const Deadline& deadline);

 private:
  void add(std::size_t tile, const NestInside& inside);
  // The nest with a loop around it, just inside which these tensors have their points.
  NestInside behind(const NestInside& inside, int dim, std::uint32_t points,
                    const std::vector<std::int64_t>& extents) const;
  void go_on(const NestInside& inside, const std::vector<std::int64_t>& extents,
             const ExtentVectors::Longer& to);
  bool is_of_use(const NestInside& inside) const;
  std::uint32_t moved_by(int dim) const;

  const PlanSpace& space_;
  const PlanTimes& times_;
  const PlanEinsum& einsum_;
  const NestLimit& limit_;
  ExtentVectors tiles_;
  std::uint32_t shareable_ = 0, loops_ = 0;  // dimensions that the shared memory has loops over
  std::map<std::size_t, std::vector<NestInside>> nests_;  // by extents
};

}  // namespace tilewright::certificate
