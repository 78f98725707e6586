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
  using Tried = Neighbours::Tried;

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
  bool score_moved(const Move& move, Score& score) {
    return try_move(move, score, Wanted::Any) == Tried::Scored;
  }
  Tried score_lower(const Move& move, Score& score) { return try_move(move, score, Wanted::Lower); }

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
    // Where a ledger has the energies of the two ends, and what their words cost there.
    int parent_entry, child_entry;
    double read_pj, update_pj, fill_pj;
    bool in_blocks;  // the words of one of them come in blocks
    bool parent_limited, child_limited;
  };
  // What a move of a factor asks of a link that does not end at the compute level.
  struct MovingLink {
    int number, child;
    std::uint32_t relevant, alone;  // dimensions of its tensor
    std::int64_t words;             // before the move
    // The loop that moves the tile before: its memory, -1 if there is none, its dimension, and
    // those that stand inside it in that memory's order, with loops or without.
    int decider, mover;
    std::uint32_t inside;
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
  void follow_plan();
  void add_moving_link(const PlannedLink& link);
  void open_link(OpenLink& open) const;
  std::int64_t iterations_from(int memory, std::uint32_t inside);
  std::int64_t words_of_run(OpenLink& open, const TemporalLoop& moving) const;
  void set_words(Ledger& ledger, int number, std::int64_t words);
  double energy(const OpenLink& open, int memory, std::int64_t words, double each) const;
  Score score_of(const Ledger& ledger) const;

  // A move, and the memories between which it changes something: tiles of those behind `first` up
  // to `last`, iterations of those from `first` to before `last`.
  struct Shift {
    int dim, from, to;
    std::int64_t factor;
    int first, last;
    bool ends_loop;  // nothing is left of the loop that the factor comes from
    bool inward() const { return from < to; }
    bool changes_tile(int memory) const { return memory > first && memory <= last; }
    // A number from which, or to which, the factor goes.
    std::int64_t shrunk(std::int64_t count) const {
      return inward() ? count / factor : count * factor;
    }
    std::int64_t grown(std::int64_t count) const {
      return inward() ? count * factor : count / factor;
    }
  };
  enum class Wanted { Any, Lower };
  struct Changes {
    int count = 0;
    bool any_lower = false;
    std::array<int, kMaxLinks> links;
    std::array<std::int64_t, kMaxLinks> words;
  };
  std::uint32_t shared_dims() const;
  Shift shift_of(const Move& move) const;
  Tried try_move(const Move& move, Score& score, Wanted wanted);
  bool cannot_lower(const Shift& shift) const;
  void make(const Shift& shift);
  void restore_extents(const Shift& shift);
  bool has_plain_room(int memory) const;
  bool has_room(const Shift& shift) const;
  bool has_room(const Shift& shift, int memory) const;
  Tile tile_after(const Shift& shift, int memory, int tensor) const;
  void find_mover(MovingLink& link) const;
  static bool keeps_mover(const Shift& shift, const MovingLink& link);
  void find_changes(const Shift& shift, Changes& changes) const;
  Score score_changed(const Changes& changes);
  void restore(int number);
  std::int64_t words_after(const Shift& shift, const MovingLink& link) const;
  std::int64_t count_words_after(const Shift& shift, const PlannedLink& link) const;
  std::int64_t bound_after(const Shift& shift, int memory, int dim) const;

  const Compiled& c_;
  PerfectScorer scorer_;
  PerfectCounter& counter_;
  std::vector<Port> ports_;     // of memories where they are limited
  std::uint64_t followed_ = 0;  // the plan that these belong to
  int link_count_ = 0, moving_count_ = 0, energy_count_ = 0;
  std::array<MovingLink, kMaxLinks> moving_links_;
  std::array<int, kMaxMemories> energy_end_;
  std::array<OpenLink, kMaxLinks> links_;
  std::array<std::array<int, kMaxTensors>, kMaxMemories> energy_at_;  // its place in a ledger
  Ledger ledger_, moved_;              // the second has the same but while a move is tried
  std::int64_t cycles_of_ports_ = -1;  // for which the most words were worked out
  // The last answer of iterations_from().
  int asked_memory_ = -1;
  std::uint32_t asked_inside_ = 0;
  std::int64_t answer_ = 0;
  // The mapping whose factors are moved, by memory: its loops, the extents of its tiles, and what
  // of a plain room these take.
  const Mapping* mapping_ = nullptr;
  LoopSets loops_;
  std::array<Row, kMaxMemories> extents_;
  std::array<Int128, kMaxMemories> taken_;
  std::array<std::uint32_t, kMaxDims>
      tensors_with_{};              // by dimension: those that it is relevant to
  LoopSets movers_;                 // by memory: its loops that move some link's tile
  std::uint32_t windowed_ = 0;      // dimensions of windows of any tensor
  std::uint32_t no_intervals_ = 0;  // those of windows whose tiles are no intervals
};

}  // namespace tilewright::model
