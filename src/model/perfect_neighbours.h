// Neighbours of mappings with perfect factors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/neighbours.h"
#include "model/order_choice.h"
#include "model/perfect_counter.h"

namespace tilewright::model {

// What each memory's order of loops decides.
class OrderChoices {
 public:
  using Choice = Neighbours::Choice;

  void clear() { counts_.fill(0); }
  void clear(const Compiled& compiled, const Mapping& mapping);
  // Adds what an order decides about a link. Links must be added in the order of a plan.
  void add(const Compiled& compiled, const LinkEnds& link, int number);

  std::uint32_t loops(int memory) const { return loops_[at(memory)]; }
  const LoopSets& loops() const { return loops_; }
  std::span<const Choice> at_memory(int memory) const {
    return {choices_[at(memory)].data(), counts_[at(memory)]};
  }

 private:
  LoopSets loops_{};
  std::array<std::size_t, kMaxMemories> counts_{};
  PerMemoryTensor<Choice> choices_{};
};

class PerfectNeighbours {
 public:
  using Choice = Neighbours::Choice;
  using Move = Neighbours::Move;

  // The tables are filled as far as the problem reaches.
  explicit PerfectNeighbours(const Compiled& compiled);
  PerfectNeighbours(const PerfectNeighbours&) = delete;
  PerfectNeighbours& operator=(const PerfectNeighbours&) = delete;

  // The score of a mapping, as PerfectScorer gives it, and what its orders decide if it fits.
  bool score(const Mapping& mapping, OrderChoices& choices, Score& score);
  void settle(int memory, const Choice& choice, int mover, std::uint32_t inside);
  Score score_settled() const { return score_of(ledger_); }

  std::uint32_t start_moves(const Mapping& mapping, const OrderChoices& choices);
  std::int64_t extent(int memory, int dim) const { return extents_[at(memory)][at(dim)]; }
  bool score_moved(const Move& move, Score& score);

 private:
  using Row = PerfectCounter::Row;
  using Tile = PerfectCounter::Tile;
  static constexpr std::size_t kMaxLinks = std::size_t{kMaxMemories} * kMaxTensors;

  // What does not change with orders and moves.
  struct OpenLink {
    PlannedLink link;
    // For a word that enters an instance of the child: words of all instances of the parent and
    // of one, and of all instances of the child.
    std::int64_t served, served_by_one, entering;
    Footprints<std::int64_t> held;
    // Words over a run of a loop that slides a window, by dimension; of those that are known.
    std::array<std::int64_t, kMaxDims> of_runs;
    std::uint32_t known_runs;
    // Of the loop that moves the tile: its memory, -1 if there is none, and its place there.
    int decider, mover_place;
  };
  // What a score is made of. The energies of each tensor in each memory stand in the order in
  // which they are added up.
  struct Ledger {
    struct Energy {
      double read, fill, update, sum;
      void add_up() { sum = read + fill + update; }
    };
    struct Link {
      std::int64_t words;                  // that enter an instance of the child
      std::int64_t reads, updates, fills;  // of the busiest instances
    };
    std::array<Energy, kMaxLinks> energies;
    std::array<Link, kMaxLinks> links;
    std::array<PortSums<std::int64_t>, kMaxMemories> ports;
  };

  // The ports of a memory, and the words that pass each of them while the multipliers work.
  struct Port {
    int memory;
    PortSums<std::int64_t> most;
    std::int64_t most_together = 0;
  };

  void open(OrderChoices& choices);
  void open_ledger();
  void open_link(const PlannedLink& link, OpenLink& open) const;
  std::int64_t iterations_from(int memory, std::uint32_t inside);
  std::int64_t words_of_run(OpenLink& open, const TemporalLoop& moving) const;
  void set_words(Ledger& ledger, int number, std::int64_t words);
  double energy(int memory, std::int64_t words, double each) const;
  Score score_of(const Ledger& ledger) const;

  // A move, and the memories between which it changes something: tiles of those behind `first` up
  // to `last`, iterations of those from `first` to before `last`.
  struct Shift {
    int dim, from, to;
    std::int64_t factor;
    int first, last;
    bool inward() const { return from < to; }
  };
  // What a move changes of the mapping; extents are those of the next memory inside.
  struct Before {
    std::array<std::int64_t, kMaxMemories> extents, steps, iterations;
    std::int64_t bound_from, bound_to;
    std::uint32_t loops_from, loops_to;
  };
  std::uint32_t shared_dims() const;
  void make(const Shift& shift, Before& before);
  void take_back(const Shift& shift, const Before& before);
  bool move_tiles(const Shift& shift);
  void move_tile(const Shift& shift, int memory, int tensor);
  bool has_room(const Shift& shift, int memory) const;
  const Tile& tile_after(const Shift& shift, int memory, int tensor) const;
  void find_mover(OpenLink& open) const;
  bool may_change(const Shift& shift, const OpenLink& open) const;
  Score score_shifted(const Shift& shift);
  void restore(int number);
  std::int64_t words_after(const Shift& shift, const PlannedLink& link) const;

  const Compiled& c_;
  PerfectScorer scorer_;
  PerfectCounter& counter_;
  std::vector<Port> ports_;  // of memories where they are limited
  int link_count_ = 0, moving_count_ = 0, energy_count_ = 0;
  std::array<int, kMaxLinks> moving_links_;  // those that do not end at the compute level
  std::array<int, kMaxMemories> energy_end_;
  std::array<OpenLink, kMaxLinks> links_;
  std::array<std::array<int, kMaxTensors>, kMaxMemories> energy_at_;  // its place in a ledger
  Ledger ledger_, moved_;  // the second has the same but while a move is tried
  // The last answer of iterations_from().
  int asked_memory_ = -1;
  std::uint32_t asked_inside_ = 0;
  std::int64_t answer_ = 0;
  // The mapping whose factors are moved, by memory: the bounds of its loops, extents of its tiles
  // and inside its loops, iterations of its loops with all outside.
  const Mapping* mapping_ = nullptr;
  LoopSets loops_;
  std::array<Row, kMaxMemories> bounds_, extents_, steps_;
  std::array<std::int64_t, kMaxMemories> iterations_;
  PerMemoryTensor<Tile> tiles_;  // after a move, where it changes them
};

}  // namespace tilewright::model
