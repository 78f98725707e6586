// The least cost of a frame, from the multipliers out to the outermost memory
// (docs/optimal.md, "One run at a time"). Costs are what the closings say:
// energies, or words at a port.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/deadline.h"
#include "certificate/capacity_check.h"
#include "certificate/closing.h"
#include "certificate/values.h"

namespace tilewright::certificate {

// Per tensor the innermost memory whose fills still wait for a moving loop; -1
// for none.
using Open = std::array<std::int8_t, kMaxTensors>;
// Sets of tensors that were looked at.
using TensorSets = std::bitset<std::size_t{1} << kMaxTensors>;
// Vectors of classes as one number.
class Grid {
 public:
  explicit Grid(const Context& context);

  std::size_t volume() const { return volume_; }
  std::size_t stride(int dim) const { return strides_[at(dim)]; }
  int classes(int dim) const { return classes_[at(dim)]; }
  int dims() const { return dims_; }
  // The classes of a place.
  void decode(std::size_t place, int* classes) const {
    // Numbers of 32 bits are divided faster.
    auto rest = static_cast<std::uint32_t>(place);
    for (int i = 0; i < digit_count_; ++i) {
      const Digit& digit = digits_[at(i)];
      classes[digit.dim] = static_cast<int>(rest / digit.stride);
      rest %= digit.stride;
    }
  }
  int class_of(std::size_t place, int dim) const {
    return static_cast<int>(place / strides_[at(dim)]) % classes_[at(dim)];
  }
  // Calls visit(place, classes) for every place with a value.
  template <typename Visit>
  void for_each(const Values& values, Visit visit) const {
    std::array<int, kMaxDims> extents{};
    for (const std::uint32_t place : values.places()) {
      decode(place, extents.data());
      visit(std::size_t{place}, extents.data());
    }
  }

 private:
  int dims_;
  std::array<int, kMaxDims> classes_{};
  std::array<std::size_t, kMaxDims> strides_{};
  // Neighbours differ in the dimension that has most classes. The slowest one is first, and those
  // with one class are left out.
  struct Digit {
    std::uint32_t dim = 0, stride = 1;
  };
  std::array<Digit, kMaxDims> digits_{};
  int digit_count_ = 0;
  std::size_t volume_ = 1;
};

// The costs that do not matter.
struct CostLimit {
  std::int64_t all = kNever;  // from this on, none does
  // If given: the same, or less, of mappings with these extents inside the loops of a memory.
  std::function<std::int64_t(int memory, const int* extents)> inside = {};
};

// What a lattice is asked for.
enum class LatticeUse { LeastAlone, Inside };

class Lattice {
 public:
  // `base` is what every mapping of the frame costs. The room outlives the lattice, which has its
  // own if none is given. Throws Expired.
  Lattice(const Context& context, Closings& closings, std::int64_t base, CostLimit limit,
          const Deadline& deadline, SpareRoom* spare = nullptr,
          LatticeUse use = LatticeUse::Inside);

  // The least cost of the frame, or kNever if it reaches the limit.
  std::int64_t least() const { return least_; }
  // A value in units of energy.
  Int128 energy(std::int64_t value) const {
    return static_cast<Int128>(value) << closings_.shift();
  }
  const Context& context() const { return context_; }
  const Grid& grid() const { return grid_; }
  // By what is open: the least cost of all that is inside the loops of a memory. Nothing if only
  // the least was asked for.
  const std::map<Open, StoredValues>& inside(int memory) const { return inside_[at(memory)]; }

  // True if a memory's loops may leave the dimensions of the mask alone.
  bool may_rest(int memory, std::uint32_t dims) const;
  // True if a memory may have a loop of the dimension.
  bool has_loop(int memory, int dim) const { return contains(context_.chain(dim).looped, memory); }
  // The dimensions of a memory's loops as sets from the inside out; only those
  // of one set may change places.
  const std::vector<std::uint32_t>& stages(int memory) const {
    return context_.rules().stages[at(memory)];
  }
  std::uint32_t open_dims(const Open& open) const;
  // Sets of tensors are bits.
  std::uint32_t open_tensors(const Open& open) const;
  // The tensors that a loop moves, among those that are open.
  std::uint32_t moved_by(const Open& open, int dim) const {
    return open_tensors(open) & context_.terms().carriers[at(dim)];
  }
  bool in_window(std::uint32_t tensors, int dim) const {
    return (tensors & context_.terms().windowed[at(dim)]) != 0;
  }
  static Open closed(Open open, std::uint32_t tensors);
  // What a tensor costs if this loop moves it, which is told apart for windows alone.
  std::int64_t own_cost(Closing& closing, int tensor, const int* extents, const Move& move) const;

 private:
  void pass_block(int memory);
  // The same where tensors of the memory may have storage points of their own, out to the
  // next memory.
  void pass_points(int memory);
  // The same of one part of a memory that stands in parts.
  void pass_part(int memory);
  // Leaves out states from which every way out reaches the limit: the next loop
  // moves whatever carries its dimension, and only the others can still save.
  void leave_out_hopeless(int memory);
  struct ClosingList {
    std::array<Closing*, kMaxTensors> all{};
    std::size_t count = 0;
  };
  // The next loop outside: what is paid for whatever its bound, and tensors seen through windows.
  struct WayOut {
    int dim = -1;
    ClosingList paid;
    std::uint32_t windows = 0;
  };
  std::vector<WayOut> ways_out(int memory, const Open& open) const;
  // A state and the limit there.
  struct State {
    std::int64_t value = 0, limit = 0;
    const int* extents = nullptr;
  };
  bool has_hope(int memory, const Open& open, const std::vector<WayOut>& ways,
                const State& state) const;
  bool has_loop_outside(int memory, int dim) const;
  // The least that is paid if a loop of this memory or an outer one moves a window.
  std::int64_t least_move(int memory, const Open& open, int tensor, int dim,
                          const int* extents) const;
  void run(int memory, std::size_t stage, const Open& open, std::uint32_t rest, Values values);
  void close_plainly(int memory, std::size_t stage, const Open& open, std::uint32_t rest,
                     const Values& values);
  void close_windows(int memory, std::size_t stage, const Open& open, std::uint32_t rest,
                     const Values& values);
  // Calls visit(class) for those that a memory's loop leads to from a class; of the outermost
  // memory for those where nothing is left.
  template <typename Visit>
  void for_each_step(int memory, int dim, int from, Visit visit) const;
  Values nothing() const { return {grid_.volume(), *spare_}; }
  // Whether these extents can be inside loops of the present memory: tiles only grow with them.
  bool fits(const int* extents) { return !capacity_->has_limits() || capacity_->fits(extents); }
  void loop(int memory, int dim, Values& values);
  // The same where any loop of the memory is also loops of its prime factors, one in another.
  bool has_free_loops(int memory, int dim) const;
  bool is_last(int memory) const;  // nothing but its loops is left
  void loop_by_primes(int dim, Values& values);
  void leave_memory(int memory);
  // Adds what fan-outs just outside the memory cost where several branches start at one place, of
  // tensors that go past it.
  void pay_for_passing(int memory);
  bool may_meet(int memory, const LinkPlace& link) const;
  void pass_fanout(int fanout);
  void finish();
  // The sum, and what closing all of them costs where no window moves.
  static std::int64_t cost_of(const ClosingList& closings, std::int64_t sum, const int* extents);
  ClosingList closings_of(const Open& open, std::uint32_t tensors, int block) const;
  std::int64_t close_cost(const Open& open, std::uint32_t tensors, int block, const int* extents,
                          const Move& move) const;

  const Context& context_;
  Closings& closings_;
  const Deadline& deadline_;
  Grid grid_;
  CostLimit given_limit_;
  std::int64_t limit_;
  std::int64_t least_ = kNever;
  // It stays where it is when a lattice is moved.
  std::unique_ptr<SpareRoom> own_spare_;
  SpareRoom* spare_;
  std::unique_ptr<CapacityCheck> capacity_;  // of the memory whose block is passed
  std::map<Open, Values> now_, next_;
  std::map<Open, Spots> parts_;  // the room that parts of a memory take so far
  std::vector<std::map<Open, StoredValues>> inside_;
};

}  // namespace tilewright::certificate
