// Several contractions mapped as one. A Cascade is a list of einsums in which later ones read
// what earlier ones write. A Plan cuts it into groups; a group is a tree of shared temporal
// loops whose leaves are einsums, each with a private nest, an ordinary Mapping of the einsum
// with the sizes that its loops leave. docs/fusion.md states what a plan means.
//
// Einsums are named by their place in the cascade, from 0 on. Dimensions have one name and one
// size throughout. A tensor that one einsum writes and a later one reads is an intermediate; its
// ranks are matched by position, so that the reader may see it through a window, T[c,2*p+r].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/base.h"
#include "tilewright/mapping.h"
#include "tilewright/workload.h"

namespace tilewright {

// --- cascades -----------------------------------------------------------------

// What is done to the elements of an einsum's output before anybody reads them.
struct Afterwards {
  std::string function;  // such as "softmax"; for the reader alone
  // The dimension along which it reduces (softmax, norms). Loops over it cannot be shared with
  // the readers, unless it can be done online.
  std::optional<std::string> reduces;
  // Words of state per remaining index, where it can be done online: each further step of the
  // shared loops over `reduces` rescales the reader's output once.
  std::optional<std::int64_t> online_words;
  double energy_pj = 0;                        // per element, and per element rescaled
  std::optional<Rational> elements_per_cycle;  // nothing: without limit

  bool operator==(const Afterwards&) const = default;
};

struct CascadeEinsum {
  Workload workload;  // its name is the einsum's
  std::optional<Afterwards> then;
  // Somebody outside the cascade reads its output, too: it goes to the outermost memory even where
  // einsums hand it on.
  bool leaves = false;

  bool operator==(const CascadeEinsum&) const = default;
};

struct Cascade {
  std::string name, source;
  std::vector<CascadeEinsum> einsums;   // each behind those whose output it reads
  std::vector<NetworkSize> sizes = {};  // what it was read with; no part of the value

  int einsum_count() const { return static_cast<int>(einsums.size()); }
  const Workload& workload(int einsum) const { return einsums[at(einsum)].workload; }
  std::optional<int> find_einsum(const std::string& einsum_name) const;
  bool operator==(const Cascade& other) const {
    return name == other.name && source == other.source && einsums == other.einsums;
  }
};

struct IntermediateReader {
  int einsum = 0;
  TensorId tensor{};  // of that einsum

  bool operator==(const IntermediateReader&) const = default;
};

struct Intermediate {
  std::string name;
  int writer = 0;
  std::vector<IntermediateReader> readers;  // in order, one at least

  bool operator==(const Intermediate&) const = default;
};
// In the order of their writers.
std::vector<Intermediate> intermediates_of(const Cascade& cascade);

// What is wrong with a cascade and with which einsum: sizes that differ, tensors written twice,
// ranks that do not match. Empty if it is sound.
struct CascadeProblem {
  int einsum = 0;
  std::string message, hint;
};
std::vector<CascadeProblem> problems_of(const Cascade& cascade);

// --- plans --------------------------------------------------------------------

// A temporal loop outside the shared memory. Its count is 2 at least and divides what is left of
// the dimension; or the loop is the only one over it, and its first piece is shorter than the
// others.
struct SharedLoop {
  std::string dim;  // of the last einsum under the loop
  std::int64_t count = 1;
  // The length of all pieces but the first, which is what is left; 0: pieces are equal.
  std::int64_t tile = 0;

  bool operator==(const SharedLoop&) const = default;
};
// As in files of plans: "m 4", or "m by 50".
std::string to_string(const SharedLoop& loop);

// Loops around everything below them, outermost first; then a leaf (an einsum), or nodes that
// are done from left to right in every iteration. Loops of a leaf are around it alone. The leaves
// of a group are consecutive einsums in the order of the cascade.
struct PlanNode {
  std::vector<SharedLoop> loops = {};
  std::vector<PlanNode> children = {};  // empty: a leaf
  int einsum = -1;                      // of a leaf
  // A whole group shares this memory; empty: that of the plan.
  std::string shared = {};

  bool is_leaf() const { return children.empty(); }
  bool operator==(const PlanNode&) const = default;
};

// Where a tensor of a leaf is. The path of a leaf is the list of the loops above it, outermost
// first.
struct Placement {
  enum class Kind : std::uint8_t {
    Streamed,  // its tiles come and go through the private nest
    Local,     // whole in the shared memory for one execution of the leaf; an intermediate: below
               // all loops that its writer shares with its readers
    Kept,      // its tile below the first `depth` loops of the path stays in the shared memory
  };
  Kind kind = Kind::Streamed;
  int depth = 0;
  // The memory that a local or kept tensor is at home in; empty: the one that its group shares.
  std::string home = {};

  bool operator==(const Placement&) const = default;
};

// A mapping of a leaf's einsum with the sizes of an execution, on leaf_problem() of these, or on
// that problem with storage points.
struct PrivateNest {
  Problem problem;
  Mapping mapping;
};

struct PlanLeaf {
  // Per tensor of the einsum. That of an intermediate stands with its writer: Local or Kept in a
  // group of several; what its readers have is not looked at.
  std::vector<Placement> tensors;
  // One for each of executions_of() the leaf; found by their sizes.
  std::vector<PrivateNest> nests = {};
};

struct Plan {
  std::string shared;            // the memory that groups share which name no other
  std::vector<PlanNode> groups;  // trees; together they have the einsums in order
  std::vector<PlanLeaf> leaves;  // per einsum of the cascade
};

// Every einsum a group of its own, no loop, everything streamed, no nests yet.
Plan unfused(const Cascade& cascade, const std::string& shared);
// The memory that plans share by default: the second from outside. Nothing if there is none.
std::optional<std::string> default_shared_memory(const Architecture& arch);

// A loop of a path, and the leaves under it.
struct PathLoop {
  SharedLoop loop;
  int first = 0, last = 0;  // einsums of its run

  bool operator==(const PathLoop&) const = default;
};
// The loops above an einsum, outermost first.
std::vector<PathLoop> path_of(const Plan& plan, int einsum);
// The einsums of the group that an einsum is in.
struct EinsumRange {
  int first = 0, last = 0;

  bool has(int einsum) const { return first <= einsum && einsum <= last; }
  bool operator==(const EinsumRange&) const = default;
};
EinsumRange group_of(const Plan& plan, int einsum);
// The memory that the group of an einsum shares.
const std::string& shared_of(const Plan& plan, int einsum);

// Executions of a leaf that have the same sizes. With windows whose overlap is kept, the first
// tile is larger than the others.
struct Execution {
  std::vector<std::int64_t> extents;  // per dimension of the einsum
  std::int64_t count = 1;             // of all executions in the whole plan
  std::int64_t first_touches = 1;     // of these: the elements of the output are all new
};
// What is wrong with a plan apart from its nests, and where; empty if it can be executed.
struct PlanProblem {
  std::string message;
  std::optional<int> einsum = {};  // whose leaf it is about
  std::optional<int> loop = {};    // of the path of that einsum

  bool operator==(const PlanProblem&) const = default;
};
std::vector<PlanProblem> located_problems_of(const Cascade& cascade, const Plan& plan);
// The messages alone, each once.
std::vector<std::string> problems_of(const Cascade& cascade, const Plan& plan);
// The executions of a leaf, each size once, the largest first. The plan has no problems.
std::vector<Execution> executions_of(const Cascade& cascade, const Plan& plan, int einsum);

// The tensors of a leaf that are whole in a shared memory while it runs, a bit for each: what is
// not streamed.
std::uint32_t residents_of(const Cascade& cascade, const Plan& plan, int einsum);
// A memory, and the tensors of a leaf that are at home in it, a bit for each.
struct Home {
  std::string memory;
  std::uint32_t residents = 0;

  auto operator<=>(const Home&) const = default;
};
// The memory that the group of a leaf shares, then all others that something of the group is at
// home in, by their names; with the residents of this leaf.
std::vector<Home> homes_of(const Cascade& cascade, const Plan& plan, int einsum);
// The problem of a private nest: the einsum with these extents, on the architecture in which
// residents are at home in their memories, outside the shared capacity of these: memories outside
// let them pass. Problems say why there is none, such as a memory that keeps no residents.
Checked<Problem> leaf_problem(const Workload& workload, const Architecture& arch,
                              const std::vector<Home>& homes,
                              const std::vector<std::int64_t>& extents);
// The same with all residents in one memory.
Checked<Problem> leaf_problem(const Workload& workload, const Architecture& arch,
                              const std::string& shared, std::uint32_t residents,
                              const std::vector<std::int64_t>& extents);

// --- cascades of networks -------------------------------------------------------

// Contractions of a network that hand on what they write: through elementwise operators, norms
// and softmax, transposes, and reshapes. Where these split or join axes, such as the heads of an
// attention, dimensions of the einsums are cut into factors.
struct NetworkPart {
  Cascade cascade;                          // of one einsum: there is nothing to fuse it with
  std::vector<std::size_t> operators = {};  // of the network's graph, by einsum
  std::int64_t count = 1;                   // how often the network has it
  // By einsum, if some have dimensions that were cut, or that the network takes one by one: the
  // layers of the network, and how often one of these parts has them. Otherwise empty.
  std::vector<Layer> layers = {};
};
// Why what a contraction writes goes to the outermost memory, although others read it.
struct NetworkCut {
  std::size_t op = 0;  // the contraction
  std::string reason;
  bool handed_on = false;  // some contractions of its part get it on the chip, too

  bool operator==(const NetworkCut&) const = default;
};
struct NetworkParts {
  std::vector<NetworkPart> parts;  // in the order of their first einsums
  std::vector<NetworkCut> cuts;    // in the order of the graph
};
// Operators beside contractions move no words here, as in map_network(). Of a network without a
// graph every layer is a part. Blocks with few repetitions are unrolled, so that these hand on what
// they write; parts that come out alike are one.
NetworkParts parts_of(const Network& network);
// On an architecture with rules about loops no dimension is cut: its rules are for whole ones.
NetworkParts parts_of(const Network& network, const Architecture& arch);

}  // namespace tilewright
