// Counts of mappings with perfect factors, for searches that ask for many: the formulas of
// link.h and footprint.cc without what remainders need, and each product worked out once. For
// problems that may_count_simply().
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "model/counts.h"
#include "model/link.h"
#include "model/link_plan.h"

namespace tilewright::model {

class PerfectCounter {
 public:
  explicit PerfectCounter(const Compiled& compiled);

  // Takes a mapping; false if factors are not perfect.
  bool lay_out(const Mapping& mapping);
  // The score of that mapping, to which the plan belongs; without counts if it does not fit.
  Score score(const LinkPlan& plan) { return count_if_fits(plan) ? sum_up() : misfit(); }

 private:
  friend class PerfectNeighbours;
  static constexpr int kMaxWindows = kMaxDims / 2;
  using Row = PerDim;
  // The words of a tile are the product of its parts.
  struct Tile {
    std::int64_t words;
    std::int64_t alone;
    std::array<std::int64_t, kMaxWindows> windows;
  };

  // What goes through all dimensions is compiled for each number of them: most of the time
  // would go into short loops of unknown length.
  struct Kernels {
    bool (PerfectCounter::*lay_out_rows)() = nullptr;
    void (PerfectCounter::*lay_out_loops)() = nullptr;
  };
  template <int... Less>
  static constexpr std::array<Kernels, kMaxDims + 1> all_kernels(
      std::integer_sequence<int, Less...> all);
  template <int Dims>
  bool lay_out_rows();
  template <int Dims>
  void lay_out_loops();

  // Counts all that the mapping moves; false if it does not fit.
  bool count_if_fits(const LinkPlan& plan);
  Score misfit() const { return {.verdict = verdict_}; }
  void check_fit();
  void count();
  Score sum_up() const;
  // Iterations of a memory's loops and of all outside it.
  std::int64_t iterations_at(int memory) const {
    return iterations_[memory + 1 == c_.memories ? 0 : at(first_outside_[at(memory) + 1])];
  }
  bool has_loops(int slot) const { return extents_[at(slot)] != extents_[at(slot) + 1]; }
  void unroll(int fanout, int slot, std::int64_t& used);
  void lay_out_fanouts();
  void share_fanouts();
  bool fits_axis(int fanout, SlotKind axis, std::int64_t used, std::int64_t size);
  void check_memory(int memory);
  bool fits_plainly(int memory, std::uint32_t kept) const;
  void make_tile(int memory, int tensor);
  static void measure(const FlatTensor& tensor, const Row& extents, Tile& tile);
  std::int64_t words_to_hold(int memory, int tensor) const;
  std::int64_t branches(int fanout, const FlatTensor& tensor) const;
  std::int64_t unrolled_product(int fanout, std::uint32_t dims) const;
  std::int64_t words_of(const PlannedLink& link) const;
  std::int64_t moved_words(const PlannedLink& link, const FlatTensor& tensor,
                           const TemporalLoop& moving) const;
  static std::int64_t words_of_run(const FlatTensor& tensor, const Tile& tile, const Row& extents,
                                   const TemporalLoop& moving, std::int64_t step);
  Words<std::int64_t> output_held(int tensor, int memory) const;
  void count_link(const PlannedLink& link, std::int64_t words, Words<std::int64_t>& held_inside);
  void count_network(const PlannedLink& link, std::int64_t words);

  const Compiled& c_;
  Kernels kernels_;
  const LinkPlan* plan_ = nullptr;
  const Mapping* m_ = nullptr;
  Verdict verdict_;
  int loop_count_ = 0;
  // Filled as far as the problem reaches. Slots without loops have the row of the next one inside.
  std::array<Row, kMaxSlots + 1> rows_;
  std::array<const Row*, kMaxSlots + 1> extents_;
  std::array<Row, kMaxFanouts> unrolled_;
  std::array<std::uint32_t, kMaxFanouts> unrolled_dims_;
  std::array<std::int64_t, kMaxFanouts> used_x_, used_y_;
  std::array<std::int64_t, kMaxFanouts + 1> instances_;  // below the first fan-outs
  // Requests of a fan-out's branches to what is above it, after those that are identical were
  // merged where they can be; and branches that hold different parts of a tensor.
  std::array<std::array<std::int64_t, kMaxTensors>, kMaxFanouts> requests_;
  std::array<TemporalLoop, std::size_t{kMaxMemories} * kMaxDims + 1> loops_;  // innermost first
  std::array<std::int64_t, std::size_t{kMaxMemories} * kMaxDims + 1> iterations_;
  std::array<int, kMaxMemories> first_outside_;
  PerMemoryTensor<Tile> tiles_;
  std::array<std::int64_t, std::size_t{kMaxMemories} * kMaxTensors> words_;  // by link
  Counts<std::int64_t> counts_;
};

// A counter with the plan of links that belongs to what its mappings keep.
class PerfectScorer {
 public:
  explicit PerfectScorer(const Compiled& compiled)
      : compiled_(compiled), plan_(compiled), counter_(compiled) {}

  // False if the mapping is not among those that it knows how to count.
  bool score(const Mapping& mapping, Score& score) {
    if (!lay_out(mapping)) return false;
    score = counter_.score(plan_);
    return true;
  }

 private:
  friend class PerfectNeighbours;

  bool lay_out(const Mapping& mapping) {
    if (!compiled_.may_count_simply() || !counter_.lay_out(mapping)) return false;
    plan_.follow(mapping);
    return plan_.is_simple();
  }

  const Compiled& compiled_;
  LinkPlan plan_;
  PerfectCounter counter_;
};

}  // namespace tilewright::model
