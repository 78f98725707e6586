// What a plan of a cascade costs, and which one costs least (docs/fusion.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/cascade.h"
#include "tilewright/map.h"
#include "tilewright/model.h"

namespace tilewright {

// A memory as one einsum uses it, over all its executions. Storage points count as the memory
// that they are of.
struct LeafMemory {
  std::string name;
  std::int64_t instances = 0;           // the most that take part
  std::vector<Traffic> total, busiest;  // per tensor of the einsum, loads of residents included
  std::vector<double> energy_pj;        // per tensor
  double leakage_pj = 0;
  std::optional<std::int64_t> read_cycles, write_cycles, shared_cycles;
};

// Room that something takes in a shared memory while a leaf runs.
struct LiveTensor {
  std::string name;
  int einsum = 0;  // that has it
  Placement placement;
  bool is_state = false;  // of a softmax that is done online
  std::int64_t words = 0;
};

// What is live in a memory while a leaf runs, at the execution that needs most of it.
struct LiveRoom {
  std::string memory;
  std::vector<LiveTensor> live;
  std::int64_t words = 0;
};

struct LeafReport {
  std::vector<Execution> executions;
  std::vector<LeafMemory> memories;  // outermost first
  std::int64_t macs = 0;             // recomputed ones included
  std::int64_t compute_cycles = 0;   // with those in which a systolic array fills
  std::int64_t cycles = 0;           // the largest of compute, ports and what is done afterwards
  double compute_pj = 0, network_pj = 0, afterwards_pj = 0;
  std::int64_t afterwards_elements = 0, afterwards_cycles = 0;  // rescaled ones included
  double energy_pj = 0;
  std::string limit;             // what sets the cycles: "compute", "DRAM (reads)"
  std::vector<LiveTensor> live;  // in the memory that the group shares
  std::int64_t live_words = 0;
  std::vector<LiveRoom> elsewhere;  // in others that something of the group is at home in
};

struct PlanEvaluation {
  std::vector<LeafReport> leaves;  // per einsum of the cascade
  double energy_pj = 0;
  std::int64_t cycles = 0;
  // Why it does not fit; empty if it does. The numbers are those it would have.
  std::vector<std::string> misfit;

  double edp() const { return energy_pj * static_cast<double>(cycles); }
};

// Problems are those of the plan, and nests that are missing or of other sizes.
Checked<PlanEvaluation> evaluate_plan(const Cascade& cascade, const Architecture& arch,
                                      const Plan& plan);

// A plan with nests of least energy where it had none: its tree and the places of its tensors
// stay as they are.
struct PlanNests {
  Plan plan;
  std::vector<Diagnostic> problems;  // why nests cannot be looked for
  std::vector<std::string> misfit;   // einsums none of whose nests fits
};
PlanNests find_nests(const Cascade& cascade, const Architecture& arch, const Plan& plan);

// --- the best plan --------------------------------------------------------------
//
// The plan of least energy, latency or another objective over all cuts into groups, trees of shared
// loops around several einsums (any number of loops per dimension), places of tensors and private
// nests; without doing work twice. Where einsums have windows, and where work may be done twice,
// over flat groups instead, or also: all loops are around all einsums, one per dimension at most.

// Where the objective has time, groups have so many einsums at most.
inline constexpr int kLongestTimedGroup = 8;

struct FuseOptions {
  Objective objective = Objective::Energy;
  // What each cycle takes beside energy, in place of an objective: the least sum of both is sought.
  double cycle_pj = 0;
  std::optional<std::string> shared;  // a memory; nothing: the second from the outside
  // Memories that groups may share instead, for the least energy: each group the best one. From the
  // best groups on, tensors are then moved between these memories, one at a time. Parts of networks
  // share one memory: there it must be empty.
  std::vector<std::string> also_shared = {};
  int longest_group = 6;  // einsums of a group, at most
  // Also groups that make whole tiles of an intermediate again, for the least energy.
  bool recompute = false;
  // Also shared loops that leave a remainder, for the least energy: from the best groups without
  // them on, so that nothing is proven.
  bool remainders = false;
  // Nests may be uneven.
  bool uneven_nests = false;
  // The best plan of all einsums in one group, whatever cuts would gain; of trees.
  bool one_group = false;
  bool prunes = true;  // leaves out what cannot pay; answers are the same
  std::optional<double> seconds;
  const std::atomic<bool>* cancelled = nullptr;
};

struct FuseOutcome {
  enum class Status { Found, BadInput, Infeasible };
  enum class Searched { Trees, Flat, TreesAndFlat };
  Status status = Status::BadInput;
  std::vector<Diagnostic> problems;
  Plan plan;
  Searched searched = Searched::Trees;  // groups of these kinds
  bool remainders = false;              // and loops that leave a remainder
  bool recomputes = false;              // flat groups that make tiles again were searched
  bool uneven_nests = false;            // uneven nests were searched, too
  // Memories that groups might share. Of several, all but the second from outside were searched
  // with flat groups; `proven` and the bounds are of plans whose groups have everything in one of
  // them, each.
  std::vector<std::string> shared = {};
  // The energy of the best such plan, before tensors were moved; nothing of one memory.
  std::optional<double> one_memory_pj = {};
  Objective objective = Objective::Energy;
  double energy_pj = 0;                                // of the plan
  double unfused_pj = 0;                               // of the best plan without fusion
  std::optional<std::int64_t> cycles, unfused_cycles;  // the same; where the objective has time
  std::vector<double> group_pj;                        // by group of the plan
  bool proven = false;                                 // no plan of the searched kind is better
  double bound_pj = 0;                                 // no plan has less energy, proven or not
  double value = 0, unfused_value = 0;                 // of the objective
  double bound = 0;                                    // no plan falls below it, proven or not
  double seconds = 0;

  bool found() const { return status == Status::Found; }
};

FuseOutcome fuse(const Cascade& cascade, const Architecture& arch, const FuseOptions& options = {});

// Memories to be shared that the architecture does not have, which fuse() refuses.
std::vector<Diagnostic> unknown_memories(const Architecture& arch, const FuseOptions& options);

// Why an intermediate leaves the chip in the best plan: what stands against one group of all
// einsums from the group that writes it to the last one that reads it.
struct NotFused {
  enum class Reason {
    NotKept,      // the shared memory may not keep it, on behalf of `detail`
    OtherForm,    // it is read with other dimensions than it is written with: `detail`
    LongGroup,    // the group would have more einsums than are allowed
    NoRoom,       // no plan of one group fits; one does with `room_factor` times the room
    NoGain,       // one group takes `more_pj` more
    NoGainFound,  // the search found no better one; how far off it is was not looked into
  };
  std::string tensor;
  int writer = 0, reader = 0;  // the einsum that writes it, and the last one that reads it
  Reason reason = Reason::NoGainFound;
  std::string detail = {};
  double more_pj = 0;
  std::optional<int> room_factor = {};  // nothing: none up to 1024 times
};
// In the order of their writers. Takes what the search has left of the time allowed.
std::vector<NotFused> why_not_fused(const Cascade& cascade, const Architecture& arch,
                                    const FuseOptions& options, const FuseOutcome& outcome);

// The least energy of the einsums one by one where their nests may be uneven. What it gains on the
// best plan without fusion is not gained by fusing.
struct UnevenTotal {
  std::optional<double> pj;  // nothing if an einsum cannot be mapped so
  bool proven = false;
  std::vector<Diagnostic> problems;
};
UnevenTotal unfused_and_uneven(const Cascade& cascade, const Architecture& arch,
                               const Limits& limits = {});

// --- networks -------------------------------------------------------------------

// A part of a network: contractions that hand on what they write, or one alone.
struct FusedPart {
  std::size_t first = 0;  // the first part with the same work; what follows is only there
  bool found = false;
  double unfused_pj = 0, energy_pj = 0;        // of one
  std::int64_t cycles = 0;                     // with the energy of the plan
  std::optional<std::int64_t> unfused_cycles;  // where time counts
  bool proven = false;
  double bound_pj = 0;
  // What is sought: energy, cycles, or energy and a price of each cycle.
  double unfused_value = 0, value = 0, bound = 0;
  std::optional<Plan> plan;  // nothing: every einsum is mapped alone
  FuseOutcome::Searched searched = FuseOutcome::Searched::Trees;  // for the plan
  std::vector<MapOutcome> alone;     // without a plan, by einsum or layer of the part
  std::vector<Diagnostic> problems;  // why there is no plan, or no mapping at all
};

// All parts of a network together, those without a mapping left out.
struct FusedTotals {
  double unfused_pj = 0, energy_pj = 0;
  double unfused_cycles = 0;  // where time counts
  double cycles = 0;
  double unfused_value = 0, value = 0;  // of the objective
  double bound_pj = 0, bound = 0;
  bool proven = true;
  int prices = 0;  // of a cycle that were tried for a product of energy and cycles
};

struct FusedNetwork {
  NetworkParts parts;
  std::vector<FusedPart> outcomes;  // by part
  double seconds = 0;
  Objective objective = Objective::Energy;
  bool uneven_nests = false;  // uneven nests and mappings were searched, too
  FusedTotals totals = {};

  const FusedPart& of(std::size_t part) const { return outcomes[outcomes[part].first]; }
  std::size_t missing() const;  // parts without a mapping
};

// How far fuse_network() is.
struct FuseProgress {
  std::size_t done = 0, distinct = 0;  // parts with work of their own
  std::size_t part = 0;                // the one begun last
  int price = 0;  // of a cycle: how many were tried, this one included; 0: none has to be
};

// How the einsums of a part without a plan are mapped.
MapOptions alone_options(const FuseOptions& options);

// The plan of least energy, latency or product of both of a network: the best plan of every part,
// parts with the same work once. For a product of energy and cycles all parts have the least energy
// + price * cycles, at the same price of a cycle, which is looked for as map_network() does. What
// no plan can be found for is mapped einsum by einsum, as map_network() does it. Parts share the
// time, those with few einsums first: what they leave is there for the others, and in the end for
// those without a proof that may gain most. Outcomes do not depend on `threads`, the number of
// parts that are searched at a time, as long as time does not run out.
FusedNetwork fuse_network(const Network& network, const Architecture& arch,
                          const FuseOptions& options = {}, int threads = 1,
                          const std::function<void(const FuseProgress&)>& on_progress = {});

}  // namespace tilewright
