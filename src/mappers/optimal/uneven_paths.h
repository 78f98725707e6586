// The cheapest uneven mappings of a subproblem with perfect factors, as paths from the
// multipliers out to the outermost memory (docs/optimal.md, "Uneven mappings").
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/cost.h"
#include "mappers/optimal/factor_tables.h"
#include "mappers/optimal/open_links.h"
#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

// One step of a path, from the inside out.
struct PathStep {
  enum class Kind : std::uint8_t { Start, Loop, Place, EndOfMemory };
  std::uint32_t before = 0;  // the step inside it
  Kind kind = Kind::Start;
  std::uint8_t what = 0;   // the dimension of a loop, or the tensor that is placed
  std::int64_t bound = 1;  // of a loop
};

class UnevenPaths {
 public:
  struct Options {
    // Whether the words that ports carry count: then paths are kept that no other one beats
    // in energy and every port. Otherwise the energy alone counts.
    bool with_loads = false;
    Units limit = kNever;  // paths that lead to no mapping below it are left out
    std::int64_t most_bytes = 0;
  };
  // A path that has come to its end.
  struct End {
    Units energy = 0;  // without leakage
    Loads loads{};     // if they count
    std::uint32_t last = 0;
  };

  // Throws Expired and TooLarge.
  UnevenPaths(const Subproblem& sub, const Goal& goal, const Options& options,
              const Deadline& deadline);

  const std::vector<End>& ends() const { return ends_; }
  const PathStep& step(std::uint32_t number) const { return steps_[number]; }

 private:
  // Where a path is: extents, open links, and of the present memory the tensors that have
  // their storage point and those of them that the next loop must move.
  struct Key {
    std::uint64_t place = 0;  // of the extents
    OpenLinks pending = 0;
    std::uint32_t placed = 0, must_move = 0;  // bit per tensor

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Spot {
    Key key;
    PerDim extents{};
    std::size_t factors = 0;  // prime factors of all extents
  };
  // What a path has taken so far. No label of a state is beaten by another one in all parts.
  struct Label {
    std::int64_t words = 0;  // of the present memory's room, by the tensors placed there
    Units energy = 0;
    std::uint32_t last = 0;   // step
    std::uint32_t loads = 0;  // their number in a list
  };
  struct State {
    Spot spot;
    std::int64_t unplaced = 0;  // room that the other tensors take at least
    Units rest = 0;             // energy of all that is still to be paid, at least
    std::vector<Label> labels;
  };
  // The states of one memory with equally many prime factors and placed tensors. All steps
  // lead from a set to a later one.
  struct Bucket {
    std::vector<State> states;
    std::unordered_map<Key, std::size_t, KeyHash> numbers;
  };
  // The tensors of the present memory.
  struct Keepers {
    std::uint32_t kept = 0, homes = 0;
    std::array<std::int64_t, kMaxTensors> at_home{};  // words that a home holds anyway
  };
  // What a step adds to all labels of a state.
  struct Toll {
    Units energy = 0;
    std::int64_t words = 0;
    Loads loads{};
  };

  void begin();
  void enter(int memory);
  std::uint32_t unplaced(const State& state) const {
    return keepers_.kept & ~state.spot.key.placed;
  }

  // Room, in the unit of the memory's capacity; kCountLimit if it does not fit its partition.
  std::int64_t room_for(int tensor, const PerDim& extents) const;
  // Lists the open links of a tensor.
  void list_links(int tensor, const Key& key);
  // Pays all open links of a tensor that a loop moves at these extents.
  void pay(int tensor, const Spot& spot, const Key& key, const Mover& mover, Toll& toll);
  Units price(int link, const Spot& spot, const Mover& mover);
  Units least_rest(const Spot& spot);

  void follow(const State& state);
  void place(const State& state, int tensor);
  void loop(const State& state, int dim);
  void loop(const State& state, int dim, std::int64_t bound, std::uint32_t moved);
  void end_memory(const State& state);
  void finish(const State& state);

  State& state_of(const Spot& spot);
  // Takes all labels of a state on, as far as something of interest can come of them.
  void step_to(const State& from, const Spot& spot, const Toll& toll, PathStep step);
  bool is_of_interest(const Label& label, Units rest) const;
  bool is_below(const Label& a, const Label& b) const;  // or equal, in all parts
  // Adds a label unless another one beats it, and gives whether it did.
  bool add(std::vector<Label>& labels, const Label& label) const;
  std::uint32_t record(const PathStep& step);
  std::uint32_t add_loads(std::uint32_t known, const Loads& more);

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Goal& goal_;
  Options options_;
  std::int64_t bytes_left_;
  const Deadline& deadline_;
  FactorTables factors_;
  std::vector<Units> least_;  // of each link

  int memory_ = 0;  // the present one
  Keepers keepers_;
  std::vector<Bucket> buckets_;
  std::vector<State> entries_;  // just inside the loops of the next memory
  std::unordered_map<Key, std::size_t, KeyHash> entry_numbers_;
  std::vector<std::unordered_map<std::uint64_t, Units>> prices_;  // of each link, by place
  std::vector<int> links_;
  std::vector<Loads> loads_;
  std::vector<PathStep> steps_;
  std::vector<End> ends_;
  std::uint64_t followed_ = 0;
};

}  // namespace tilewright::optimal
