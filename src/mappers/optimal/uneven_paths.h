// The cheapest uneven mappings of a subproblem, as paths from the multipliers out to the
// outermost memory (docs/optimal.md, "Uneven mappings"). With remainders what a path costs is a
// bound of what its mapping does.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/cost.h"
#include "mappers/optimal/extent_tables.h"
#include "mappers/optimal/key_index.h"
#include "mappers/optimal/open_links.h"
#include "mappers/optimal/table_memory.h"
#include "mapspace/loop_nesting.h"

namespace tilewright::optimal {

// One step of a path, from the inside out.
struct PathStep {
  enum class Kind : std::uint8_t { Start, Loop, Place, EndOfMemory };
  std::uint32_t before = 0;  // the step inside it
  Kind kind = Kind::Start;
  std::uint8_t what = 0;   // the dimension of a loop, or the tensor that is placed
  std::int64_t bound = 1;  // of a loop
};

// A step that all paths through a state may take, and what it adds.
struct PathArc {
  std::uint32_t from = 0;   // the number of the state inside
  std::uint32_t loads = 0;  // of ports, by number
  PathStep step;
  Units energy = 0;
  // Room, by the tensor that is placed; of the last step in a memory by all that have no point yet.
  std::int64_t words = 0;
};

// What a memory holds, in the unit of its capacity.
std::int64_t room_of(const SolverTables& solver, int memory);

// Whether there are constraints on a memory's loops beyond their dimensions.
bool is_constrained(const SolverTables& solver, int memory);

class UnevenPaths {
 public:
  struct Options {
    // Whether the words that ports carry count: then paths are kept that no other one beats
    // in energy and every port. Otherwise the energy alone counts.
    bool with_loads = false;
    bool keep_graph = false;  // states and arcs are kept, for a look at all paths
    Units limit = kNever;     // paths that lead to no mapping below it are left out
    // If it is not negative, paths begin here, with any extents: nothing inside counts.
    int innermost = -1;
    // The least energy of all links into the memories up to `filled`, in every mapping.
    Units least_filling = 0;
    int filled = -1;
    std::int64_t most_bytes = 0;
  };
  // A path that has come to its end.
  struct End {
    Units energy = 0;  // without leakage
    Loads loads{};     // if they count
    std::uint32_t last = 0;
  };

  // Where a path is: extents, open links, and of the present memory the tensors that have
  // their storage point and those of them that the next loop must move.
  struct Key {
    std::uint64_t place = 0;  // of the extents
    OpenLinks pending = 0;
    std::uint32_t placed = 0, must_move = 0;  // bit per tensor
    std::uint32_t looped = 0;  // dimensions that are done, where constraints tell loops apart

    bool operator==(const Key&) const = default;
    std::size_t hash() const;
  };
  struct Spot {
    Key key;
    PerDim extents{};
    std::size_t rank = 0;  // of the extents
  };
  // What a path has taken so far. No label of a state is beaten by another one in all parts.
  struct Label {
    // What the tensors placed there, and the memories inside that share it, take of the present
    // memory's room.
    std::int64_t words = 0;
    Units energy = 0;
    std::uint32_t last = 0;   // step
    std::uint32_t loads = 0;  // their number in a list
  };
  struct State {
    Spot spot;
    int memory = 0;  // whose loops come next, or, between two, the one inside
    Units once = 0;  // energy of all that is still to be paid, if it is loaded once
    Units rest = 0;  // the same at least
    std::vector<Label> labels;
    std::vector<PathArc> arcs;  // that lead here, if the graph is kept
  };

  // Throws Expired and TooLarge.
  UnevenPaths(const Subproblem& sub, const Goal& goal, const Options& options,
              const Deadline& deadline);

  const std::vector<End>& ends() const { return ends_; }
  const PathStep& step(std::uint32_t number) const { return steps_[number]; }

  // --- the graph, if it is kept: the first state is where all paths begin ---------
  const State& state(std::uint32_t number) const { return graph_[number]; }
  const std::vector<PathArc>& last_arcs() const { return last_arcs_; }
  const Loads* loads_of(const PathArc& arc) const {
    return arc.loads == kNoLoads ? nullptr : &loads_[arc.loads];
  }

 private:
  static constexpr std::uint32_t kNoLoads = ~std::uint32_t{0};

  // The states of one memory with extents of equal rank and equally many placed tensors. All
  // steps lead from a set to a later one.
  struct Bucket {
    std::deque<State> states;
    KeyIndex numbers;

    // The state with this key, made if there is none.
    State& find_or_add(const Spot& spot);
  };
  // The tensors of the present memory.
  struct Keepers {
    std::uint32_t kept = 0, homes = 0;
    std::array<std::int64_t, kMaxTensors> at_home{};  // words that a home holds anyway
  };
  // What a link costs at the extents that it was asked for.
  struct Prices {
    KeyIndex numbers;
    std::vector<std::pair<std::uint64_t, Units>> known;  // by place
  };
  // What a step adds to all labels of a state.
  struct Toll {
    Units energy = 0;
    Units once = 0;  // what the links that it pays for cost if they are loaded once
    std::int64_t words = 0;
    Loads loads{};
  };

  void begin();
  void follow_all();
  // From the tile of a memory to what is just inside the loops of the next one; false if the
  // fan-outs between cannot unroll it so.
  bool cross_fanouts(int memory, PerDim& extents) const;
  void enter(int memory);
  std::uint32_t unplaced(const State& state) const {
    return keepers_.kept & ~state.spot.key.placed;
  }

  // Room, in the unit of the memory's capacity; kCountLimit if it does not fit its partition.
  std::int64_t room_for(int tensor, const PerDim& extents) const;
  // For all tensors that have no point yet.
  std::int64_t unplaced_room(const Spot& spot) const;
  // What the memories further out that share the room of the present one need at least.
  std::int64_t room_outside(const Spot& spot) const;
  // Lists the open links of a tensor.
  void list_links(int tensor, const Key& key);
  // Pays all open links of a tensor that a loop moves at these extents.
  void pay(int tensor, const Spot& spot, const Key& key, const Mover& mover, Toll& toll);
  Units price(int link, const Spot& spot, const Mover& mover);
  // Sets what is still to be paid in a state.
  void set_rest(State& state);
  // What that is more than if every link is loaded once, as far as the least filling is known.
  Units more_filling(const Key& key) const;

  // Takes a state into the graph if that is kept, and gives it back.
  State& keep(State& state);
  void add_arc(State& to, const Toll& toll, const PathStep& step);
  PathArc arc_of(const Toll& toll, const PathStep& step);
  void follow(const State& state);
  void place(const State& state, int tensor);
  void loop(const State& state, int dim);
  // The same where constraints limit bounds, or say which loops stand inside others.
  void loop_by_rules(const State& state, int dim);
  // Whether constraints allow a storage point of the present memory here.
  bool may_have_point(const Key& key) const;
  // Whether these dimensions may go without a loop at the present memory.
  bool may_be_idle(std::uint32_t dims) const;
  void loop(const State& state, int dim, std::int64_t bound, std::uint32_t moved);
  void end_memory(const State& state);
  void finish(const State& state);

  Bucket& bucket_of(const Spot& spot);
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
  ExtentTables extents_;
  bool counts_loads_;         // of ports
  std::vector<Units> least_;  // of each link
  Units more_filling_ = 0;    // of the memories whose least filling is known

  int memory_ = 0;                      // the present one
  std::optional<LoopNesting> nesting_;  // of the present memory, if constraints are on its loops
  Keepers keepers_;
  std::vector<Bucket> buckets_;
  Bucket entries_;              // just inside the loops of the next memory
  std::vector<Prices> prices_;  // of each link
  std::vector<int> links_;
  std::vector<Loads> loads_;
  std::vector<PathStep> steps_;
  std::vector<End> ends_;
  std::deque<State> graph_;
  std::vector<PathArc> last_arcs_;
  std::uint64_t followed_ = 0;
};

}  // namespace tilewright::optimal
