// The subproblems of a map-space, those of lowest floor first. They are made when their turn
// comes: whole sets of them wait together, with a floor that holds for all of a set.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/home_filling.h"
#include "mappers/optimal/open_part.h"
#include "mappers/optimal/refined_floor.h"
#include "mappers/optimal/states_ahead.h"
#include "mappers/optimal/subproblem.h"
#include "mappers/optimal/tight_bounds.h"

namespace tilewright::optimal {

// A subproblem and what none of its mappings beats.
struct Candidate {
  Placement placement;
  std::shared_ptr<const SpatialBounds> spatial;
  Cost floor;
  int looks = 0;                                     // at it, before
  bool expanded = false;                             // in one of these
  std::uint64_t number = 0;                          // by which the queue knows it
  std::shared_ptr<const CostAhead> ahead = nullptr;  // of its states, if something is known
  std::shared_ptr<const OpenParts> parts = nullptr;  // that are left of it, if that is known
};

// Whether one relaxation bounds all subproblems that differ in the outermost fan-out alone.
bool knows_groups(const SolverTables& solver);

class SubproblemQueue {
 public:
  // Floors know how much memories hold, as soon as someone asked for the filling of outer ones;
  // the queue does after so many sets of subproblems.
  // After searches of so many steps they know how much all instances of memories hold together,
  // too; with certain branches, if these were asked for so often. All of that takes at most so many
  // times as many steps as the searches after them.
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
  struct Refinement {
    OuterFilling* outer = nullptr;
    std::uint64_t plain_sets = 0;
    std::uint64_t unpooled_steps = 0;
    int most_asked = 0;
    std::uint64_t most_effort = 1;
    // After so many subproblems, or searches of so many steps, sets that differ in the outermost
    // fan-out alone have floors of their own.
    std::uint64_t ungrouped = kNoEnd;
    std::uint64_t ungrouped_steps = kNoEnd;
    // Then so many sets are gone into before others, for a mapping.
    int dives = 0;
    // So many have a bound of their own of what goes out of outer memories.
    double many = 16;
    // After so many of these in a row that raise nothing no more are looked for.
    int most_in_vain = 8;
  };

  // Takes at most so many bytes. Subproblems that fit into one of the parts are left out.
  SubproblemQueue(const SolverTables& solver, const Aim& order, std::int64_t most_bytes,
                  const std::vector<Foreknown::Part>& settled = {},
                  const Refinement& refinement = {nullptr, 0, 0, 0, 1, kNoEnd, kNoEnd, 0, 16, 8});

  // The next one that may improve the goal, or nothing. If some are out, which may improve it,
  // nothing is done that takes long. Throws Expired and TooLarge, and then has all that it had
  // before.
  std::optional<Candidate> next(const Goal& goal, const Deadline& deadline,
                                bool are_some_out = false);
  // Every one that was given out is settled, or is put back with what none of its mappings beats.
  void settle(const Candidate& one) { given_.erase(one.number); }
  // So it is with the parts that are left of it, if they are known.
  void put_back(const Candidate& one, const Cost& bound, bool expanded, const Goal& goal,
                OpenParts parts = {});
  // What none of those to come beats; nothing if there are none.
  const Cost* floor() const;
  // Counts the steps that relaxations of a searched subproblem took.
  void add_steps(std::uint64_t steps) { steps_ += steps; }
  std::uint64_t steps() const { return steps_; }
  // The same, with what sets of subproblems and their floors took.
  std::uint64_t work() const { return effort() + home_steps_ + (numbers_ << 9U); }
  // After so much of it there is no next one until the pause is put off.
  void pause_after(std::uint64_t work) { pause_ = work; }
  bool has_paused() const { return work() >= pause_; }
  // After so many there is no next one.
  void end_after(std::uint64_t steps) { most_steps_ = steps; }
  bool has_ended() const { return steps_ >= most_steps_; }
  std::uint64_t made() const { return made_; }  // subproblems whose own floor was found

 private:
  // Where a tensor is kept, with what its links cost at least.
  struct Chain {
    std::uint32_t memories = 0;
    Units energy = 0;
    Loads loads{};
  };
  // All chains of all tensors, under settled spatial bounds.
  struct Chains {
    std::shared_ptr<const SpatialBounds> spatial;
    Placement no_placement;
    std::optional<Subproblem> sub;       // without a placement
    std::vector<std::vector<Chain>> of;  // each tensor, cheapest first
    Int128 least_cycles = 1;
  };
  // First and last of the bounds that a dimension can have in a fan-out, by their place
  // among all of them.
  struct Range {
    std::int32_t first = 0, last = 0;
  };
  // Some of the sets of bounds of the outermost fan-out, by their numbers; none if the end is 0.
  struct Sets {
    std::int32_t first = 0, end = 0;
  };
  // One subproblem, or a set of them: all spatial bounds within ranges, or, once these are
  // settled, all placements that are no cheaper than one of them.
  struct Node {
    Cost floor;
    std::uint64_t number = 0;  // decides between equals
    std::vector<Range> ranges;
    std::shared_ptr<const Chains> chains;
    std::array<std::uint16_t, kMaxTensors> ranks{};  // of each tensor's chain
    std::uint8_t pivot = 0;                          // the first rank that may still grow
    Sets outermost;                          // of its bounds there, if they are settled elsewhere
    int looks = 0;                           // that a single one had
    bool expanded = false;                   // in one of these
    std::shared_ptr<const OpenParts> parts;  // that are left of it then
    bool single = false;
    bool refined = false;  // its floor
    bool pooled = false;   // with the room of all instances of memories
    bool grouped = false;  // by relaxations of a set that differs in the outermost fan-out alone
    Units filling =
        0;  // what goes out of outer memories, at least, if something is known of the set
    std::shared_ptr<const StatesAhead> ahead;  // of these, or of one that it is a part of
  };

  bool comes_later(const Node& a, const Node& b) const;
  void push(Node node, const Goal& goal);
  void push_heap(std::vector<Node>& heap, Node node) const;
  Node pop();
  void end_dive();
  // Raises the floor once more; false if nothing more is known.
  bool raise(Node& node, const Goal& goal, const Deadline& deadline);
  void expand(const Node& node, const Goal& goal);
  bool is_refining() const { return refinement_.outer != nullptr && refinement_.outer->is_asked(); }
  bool is_pooling();
  // Steps of relaxations, where a frame takes as long as so many that are counted.
  std::uint64_t effort() const { return steps_ + (given_out_ << 17U); }
  void refine_if_worth_it(const Goal& goal, const Deadline& deadline) const;
  Cost refined_floor(const Node& node);

  // --- spatial bounds ---------------------------------------------------------
  void start(const Deadline& deadline);
  std::vector<Range> all_ranges() const;
  std::vector<std::vector<std::int64_t>> list_bounds(const Deadline& deadline) const;
  std::vector<std::int64_t> bounds_of(int fanout, int dim, const Deadline& deadline) const;
  // Of dimensions over which sums are taken: other bounds are of use where instances inside the
  // fan-out hold sums of their own.
  void list_tight_bounds();
  // The memories one of which has to keep the output then.
  std::vector<std::uint32_t> keepers_of_sums(const std::vector<Range>& ranges,
                                             const SpatialBounds& spatial) const;
  void split_ranges(const Node& node, const Goal& goal);
  std::optional<std::size_t> next_to_split(const std::vector<Range>& ranges) const;
  bool is_possible(const std::vector<Range>& ranges) const;
  // Leaves out bounds that no choice of an array has; false if none is left.
  bool narrow_to_arrays(std::vector<Range>& ranges) const;
  bool is_settled(const std::vector<Range>& ranges) const;
  bool is_settled(const SpatialBounds& spatial) const;
  Cost floor_of(const std::vector<Range>& ranges);
  template <typename LinksOf>
  Cost floor_with(const std::vector<Range>& ranges, LinksOf links_of);
  Cost pooled_floor(Node& node, const Goal& goal, const Deadline& deadline);
  Cost floor_with_homes(Node& node, const Goal& goal, const Deadline& deadline);
  template <typename LinkEnergy>
  Units least_with_homes(Node& node, Units limit, const LinkEnergy& energies,
                         const Deadline& deadline);
  // Raises what is known of the filling of a set.
  void raise_filling(Node& node, const HomeFilling& home, Units limit, const Deadline& deadline);
  UnrolledRanges unrolled_ranges(const std::vector<Range>& ranges) const;
  // How many tiles each dimension has just outside the innermost memory.
  PerDim least_tiles(const std::vector<Range>& ranges) const;
  Keepers chosen_keepers(const Node& node) const;
  void find_homes(const Goal& goal, const Deadline& deadline);
  // All links together, those to the multipliers as well; with so much more shared of each tensor.
  Units cheapest_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                       const std::vector<Range>& ranges);
  Units most_pooled(const Goal& goal);
  TensorBranches branches_of(const std::vector<Range>& ranges) const;

  // --- sets that differ in the outermost fan-out alone ----------------------------
  // Bounds of the outermost fan-out whose branches share alike.
  struct Outermost {
    UnsettledFanout fanout;
    std::vector<std::vector<std::int32_t>> bounds;  // by dimension, as places among all of them
  };
  // What a relaxation gave, and the limit that it had.
  struct KnownGroup {
    UnsettledFanout fanout;
    Units least = 0, limit = 0;
  };
  using KnownGroups = std::vector<KnownGroup>;
  std::span<const Outermost> among(const Sets& sets) const {
    return std::span(outermost_).subspan(at(sets.first), at(sets.end - sets.first));
  }
  // What stands for all of them.
  UnsettledFanout all_of(const Sets& sets) const;
  std::vector<Sets> parts_of(const Sets& sets) const;
  bool can_be_grouped() const;
  // Begins anew, with all other fan-outs settled first.
  void group(const Goal& goal);
  // Lists all bounds of the outermost fan-out, those that share most first; false if there are
  // too many, or nothing to choose.
  bool list_outermost();
  bool is_group(const Node& node) const;
  bool is_to_be_grouped(const Node& node) const {
    return is_grouping_ && !node.grouped && is_group(node);
  }
  // False if a mirror image of it came before.
  bool begin_group(Node& node);
  void raise_group(Node& node, const Goal& goal, const Deadline& deadline);
  void split_group(const Node& node, const Goal& goal);
  // The least energy of all links, by what is known of others or by a relaxation; kNever if
  // nothing is below a limit. Then it is known what is ahead of the states that are left.
  Units least_of_group(Node& node, Units limit, const Deadline& deadline);
  static Units known_of_group(const KnownGroups& known, const UnsettledFanout& fanout, Units limit);
  KnownGroups& known_inside(const Node& node);
  UnsettledFanout unsettled(const std::vector<Range>& ranges) const;
  // Whether a mirror image of the set came before it; else it will be known.
  bool came_in_mirror(const std::vector<Range>& ranges);
  std::vector<std::uint32_t> image_of(const std::vector<std::uint32_t>& key,
                                      const DimMirror& mirror) const;

  std::shared_ptr<const SpatialBounds> settled(const std::vector<Range>& ranges) const;
  std::vector<PerDim> splits_of(const SpatialBounds& spatial, int fanout, const PerDim& left) const;
  std::int64_t first(const std::vector<Range>& ranges, int f, int d) const {
    return bounds_[place(f, d)][at(ranges[place(f, d)].first)];
  }
  std::int64_t last(const std::vector<Range>& ranges, int f, int d) const {
    return bounds_[place(f, d)][at(ranges[place(f, d)].last)];
  }
  std::size_t place(int f, int d) const { return at(f * solver_.dim_count + d); }

  // --- placements ---------------------------------------------------------------
  Units cheapest_chain(const Subproblem& sub, int tensor, const MoreShared& more) const;
  std::vector<Chain> chains_of(const Subproblem& sub, int tensor) const;
  void start_placements(const Node& node, const Goal& goal);
  void next_placements(const Node& node, const Goal& goal);
  Cost floor_of(const Node& node);
  Candidate candidate(const Node& node) const;
  // Whether a mirror image of a subproblem came before it; else it will be known.
  bool came_in_mirror(const Node& node);

  const SolverTables& solver_;
  Aim order_;
  std::size_t most_bytes_;
  // Parts of a fan-out, by its number, whose subproblems were settled before.
  struct Settled {
    int fanout = 0;
    std::int64_t size_y = 1, size_x = 1;
  };
  std::vector<Settled> settled_;
  Refinement refinement_;
  std::optional<RefinedFloor> refined_;
  std::vector<HomeFilling> homes_;  // by what memories keep
  bool lists_homes_ = false, knows_homes_ = false;
  bool is_started_ = false;
  // What no subproblem is below, without the links that are pooled.
  struct Unpooled {
    Units energy;
    Int128 cycles;
    std::int64_t instances;
  };
  std::optional<Unpooled> unpooled_;
  std::vector<std::vector<std::int64_t>> bounds_;  // by fan-out and dimension, ascending
  std::vector<std::vector<std::int64_t>> tight_;   // the same of some dimensions; none of others
  TightSplits tight_splits_;
  std::unique_ptr<TableMemory> ahead_memory_;  // of states of groups; outlives the nodes
  std::vector<Node> waiting_;                  // a heap
  // The same of one set alone, until a subproblem of it is given out: a good mapping closes more.
  std::vector<Node> dive_;
  bool is_diving_ = false;
  int dives_ = 0;                                // that were begun
  std::map<std::uint64_t, Node> given_;          // out, by their numbers
  std::size_t bytes_of_parts_ = 0;               // of those that wait
  std::set<std::vector<std::uint32_t>> came_;    // subproblems that have mirror images
  std::set<std::vector<std::uint32_t>> groups_;  // the same of sets
  bool knows_groups_, is_grouping_ = false;
  std::vector<Outermost> outermost_;
  std::map<std::vector<std::int32_t>, KnownGroups> known_groups_;  // by bounds inside
  std::uint64_t numbers_ = 0, made_ = 0, steps_ = 0;
  std::uint64_t most_steps_ = kNoEnd, pause_ = kNoEnd;
  std::uint64_t given_out_ = 0;
  std::uint64_t home_steps_ = 0;  // of what was found of homes
  std::uint64_t vain_steps_ = 0;  // of what was found of single sets that were not closed by it
  int vain_fillings_ = 0;         // such looks in a row that raised nothing
};

}  // namespace tilewright::optimal
