// Certificates of optimality: a mapping, what it costs, and why no mapping of
// its map-space is better. The checker counts and bounds in whole numbers of its
// own; it shares no code with the fast model or with the solver.
//
// docs/optimal.md has the proof, docs/certificates.md the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/cascade.h"
#include "tilewright/mapspace.h"

namespace tilewright::certificate {

// What becomes of a cell, a part of the map-space: it is split, or nothing in it is better
// by a bound that does not look at extents. Cells that cannot be split, the frames, may
// also be closed by the least energy over all extents, or by a search cut by that; by these
// together with the least words of each port; and, with remainders in time, by least energy and
// words over extents that are told apart better.
enum class ProofStep { Split, Floor, Lattice, Tree, Ports, WideTree, Refined };

// The same step for so many cells in a row.
struct Run {
  ProofStep step = ProofStep::Floor;
  std::int64_t cells = 0;

  bool operator==(const Run&) const = default;
};

// The cells of the checker's cover: each is followed by its parts.
using Proof = std::vector<Run>;

inline constexpr int kCertificateVersion = 4;

// The mappings that a claim is about.
enum class Among {
  Even,
  Marked,  // even ones, and uneven ones at the memories that the architecture calls uneven
  All      // even and uneven ones
};

struct Certificate {
  int version = kCertificateVersion;
  std::string architecture, workload, constraints;  // files in the project's formats
  SpaceKind mapspace = SpaceKind::Perfect;
  Among among = Among::Even;
  Objective objective = Objective::Edp;
  std::string mapping;  // a mapping file
  // Exact decimals: the mapping's energy, its cycles, the compute instances that it
  // uses, its value of the objective (pJ, cycles or pJ * cycles), and what no mapping
  // goes below. Where value and bound are equal, no mapping is better by the rest of the
  // objective's key either (see is_better).
  std::string energy_pj;
  Int128 cycles = 0;
  std::int64_t instances = 0;
  std::string value, bound;
  Proof proof;
  // A flexible architecture has, in place of one proof: what it is set to for the mapping, such as
  // "P=CK,S=16x64", and a proof for each of its settings, in the order in which the checker
  // derives them.
  struct OfSetting {
    std::string setting;
    Proof proof;

    bool operator==(const OfSetting&) const = default;
  };
  std::string setting;
  std::vector<OfSetting> settings;

  bool operator==(const Certificate&) const = default;
};

// Such as "even mappings" and "all mappings, even and uneven".
std::string to_string(Among among);

struct Statistics {
  std::int64_t by_floor = 0;
  std::int64_t by_lattice = 0, by_tree = 0;  // with ports or without
  std::int64_t nodes = 0;                    // of all trees

  Statistics& operator+=(const Statistics& more);
  std::int64_t cells() const { return by_floor + by_lattice + by_tree; }
};

struct Outcome {
  std::vector<Diagnostic> problems;  // empty: verified. The first failing step
  Statistics statistics;
};

// The outcome does not depend on the number of threads. A check that is cancelled refuses.
Outcome check(const Certificate& certificate, int threads = 1,
              const std::atomic<bool>* cancelled = nullptr);

// --- making them --------------------------------------------------------------

struct Claim {
  const Problem& problem;
  SpaceKind mapspace = SpaceKind::Perfect;
  std::vector<Constraint> constraints;
  Objective objective = Objective::Edp;
  Mapping mapping;
  // What no mapping goes below, as a decimal; nothing means the mapping's value.
  std::optional<std::string> bound;
  int threads = 1;
  std::optional<double> seconds = {};
  const std::atomic<bool>* cancelled = nullptr;
  Among among = Among::Even;
  std::optional<Problem> apart = {};  // what the mapping is of, if it has storage points
  // What a flexible architecture is set to for the mapping; see Certificate.
  std::string setting = {};
};

struct Proven {
  std::optional<Certificate> certificate;
  std::optional<Mapping> better;     // found on the way: the claim is wrong
  std::optional<Problem> apart;      // what that is a mapping of, if not of the claim's problem
  std::string setting;               // that it needs, of a flexible architecture
  std::vector<Diagnostic> problems;  // why there is neither
  Statistics statistics;
};

// Writes down how the checker covers the map-space.
Proven prove(const Claim& claim);

// --- as text --------------------------------------------------------------------

std::string write_certificate(const Certificate& certificate);
// `file` is only the name that complaints carry.
Checked<Certificate> read_certificate(std::string_view text, const std::string& file);

// --- plans of cascades ------------------------------------------------------------
//
// The best plan over all cuts into groups, trees of shared loops around several einsums, places of
// tensors, and even private nests with perfect factors; work is never done twice (docs/fusion.md).

inline constexpr int kPlanCertificateVersion = 2;

// How it is known that a group takes at least what it has to: by what all its trees take, by all
// its trees; or that these einsums cannot be a group.
enum class GroupStep { Floor, Trees, None };

// What the first einsums of a plan may take; cycles only where the objective has time.
struct PlanLeast {
  std::string energy_pj;
  Int128 cycles = 0;

  bool operator==(const PlanLeast&) const = default;
};

struct PlanCertificate {
  int version = kPlanCertificateVersion;
  std::string architecture, cascade;  // files in the project's formats
  std::string shared;                 // the memory in which intermediates stay
  int longest_group = 1;
  Among nests = Among::Even;  // or all
  Objective objective = Objective::Energy;
  std::string plan;  // a file
  // Exact decimals: the plan's energy, its cycles where the objective has time, its value of the
  // objective, and what no plan goes below. Where value and bound of the latency are equal, no plan
  // as fast takes less energy.
  std::string energy_pj;
  Int128 cycles = 0;
  std::string value, bound;
  // By number of einsums, from one to all but one: whatever the first ones take, it is no less than
  // one of these, or no plan goes on from it below the bound.
  std::vector<std::vector<PlanLeast>> least;
  // By the first einsum of a group: of groups of one, two, ... einsums.
  std::vector<std::vector<GroupStep>> proof;

  bool operator==(const PlanCertificate&) const = default;
};

struct PlanStatistics {
  std::int64_t by_floor = 0, by_trees = 0;  // groups
  std::int64_t points = 0;                  // of fronts, in all trees

  std::int64_t groups() const { return by_floor + by_trees; }
};

struct PlanOutcome {
  std::vector<Diagnostic> problems;  // empty: verified. The first failing step
  PlanStatistics statistics;
};
PlanOutcome check(const PlanCertificate& certificate, const std::atomic<bool>* cancelled = nullptr);

struct PlanClaim {
  const Cascade& cascade;
  const Architecture& arch;
  const Plan& plan;
  int longest_group = 6;
  // When the time is up, the rest of the proof is by floors, and the bound may be lower.
  std::optional<double> seconds = {};
  const std::atomic<bool>* cancelled = nullptr;
  Objective objective = Objective::Energy;
  Among nests = Among::Even;  // or all
};

struct PlanProven {
  // Its bound is below the plan's value if there is a better plan, or the time did not suffice.
  std::optional<PlanCertificate> certificate;
  std::vector<Diagnostic> problems;  // why there is none
  bool is_beyond = false;            // because the checker does not know such plans
  bool in_time = true;               // the whole proof was made
  PlanStatistics statistics;
};
PlanProven prove(const PlanClaim& claim);

std::string write_certificate(const PlanCertificate& certificate);
// Whether a text is to be read as a certificate of a plan, not of a mapping.
bool is_plan_certificate(std::string_view text);
Checked<PlanCertificate> read_plan_certificate(std::string_view text, const std::string& file);

// --- bounds of plans ----------------------------------------------------------------
//
// What no plan takes less energy than, also with windows and with work that is done again: the best
// nests of each einsum inside the shared memory, whatever pieces shared loops leave it, and one
// load of each tensor that does not pass on the chip. What the plan itself takes is not checked.

inline constexpr int kPlanBoundVersion = 1;

struct PlanBound {
  int version = kPlanBoundVersion;
  std::string architecture, cascade;  // files in the project's formats
  std::string shared;                 // the memory in which intermediates stay
  int longest_group = 1;
  std::string plan, energy_pj;     // what a search found, and what it says that it takes
  std::string bound;               // an exact decimal
  std::vector<Certificate> nests;  // on the architecture from the shared memory on

  bool operator==(const PlanBound&) const = default;
};

struct PlanBoundOutcome {
  std::vector<Diagnostic> problems;  // empty: verified. The first failing step
  Statistics statistics;             // of all nests
};
PlanBoundOutcome check(const PlanBound& bound, int threads = 1,
                       const std::atomic<bool>* cancelled = nullptr);

// The nests that a bound needs proofs of, for the least energy; or why there is no bound.
Checked<std::vector<Problem>> nests_to_bound(const Cascade& cascade, const Architecture& arch,
                                             const std::string& shared, int longest_group = 6);

struct PlanBoundClaim {
  const Cascade& cascade;
  const Architecture& arch;
  const Plan& plan;
  double energy_pj = 0;
  int longest_group = 6;
};
// From certificates of these nests, or of bounds of them.
Checked<PlanBound> bound_of(const PlanBoundClaim& claim, std::vector<Certificate> nests);

std::string write_certificate(const PlanBound& bound);
bool is_plan_bound(std::string_view text);
Checked<PlanBound> read_plan_bound(std::string_view text, const std::string& file);

// --- plans of flat groups -----------------------------------------------------------
//
// The plan of least energy of all whose groups have all their shared loops around all their
// einsums, also with windows: one loop per dimension at most, which moves all einsums and leaves no
// remainder, with all places of tensors and even private nests with perfect factors.

inline constexpr int kFlatCertificateVersion = 2;

// What nests of an einsum with these extents take at least: some tensors are streamed through a
// room of the shared memory, all others are resident there.
struct FlatNest {
  std::string einsum;
  std::vector<std::int64_t> extents;
  std::vector<std::string> streamed;
  std::int64_t room = 0;  // in the unit of the shared memory's capacity; 0 if nothing is streamed
  bool old_sums = false;  // sums go on that an earlier execution began
  Certificate proof;      // its inputs follow from what is above

  bool operator==(const FlatNest&) const = default;
};

struct FlatCertificate {
  int version = kFlatCertificateVersion;
  Among among = Among::Even;          // nests, or all
  std::string architecture, cascade;  // files in the project's formats
  std::string shared;                 // the memory in which intermediates stay
  int longest_group = 1;
  std::string plan;
  std::string energy_pj, bound;  // exact decimals: of the plan, and what no plan goes below
  // By the first einsum of a group: what groups of one, two, ... einsums take at least.
  std::vector<std::vector<std::string>> groups;
  std::vector<FlatNest> nests;

  bool operator==(const FlatCertificate&) const = default;
};

struct FlatStatistics {
  std::int64_t by_floor = 0, by_cells = 0;  // groups
  std::int64_t cells = 0;                   // loops in their order, and places of intermediates
  Statistics nests;

  std::int64_t groups() const { return by_floor + by_cells; }
};

struct FlatOutcome {
  std::vector<Diagnostic> problems;  // empty: verified. The first failing step
  FlatStatistics statistics;
};
FlatOutcome check(const FlatCertificate& certificate, int threads = 1,
                  const std::atomic<bool>* cancelled = nullptr);

// A certificate of the best mapping of a nest by energy, or of a bound; nothing if there is none in
// these seconds.
using NestProver =
    std::function<std::optional<Certificate>(const Problem&, std::optional<double> seconds)>;

struct FlatClaim {
  const Cascade& cascade;
  const Architecture& arch;
  const Plan& plan;
  NestProver prove_nest;  // among the nests that the claim is about
  int longest_group = 6;
  Among among = Among::Even;  // nests, or all
  // When the time is up, groups that are not done have their floors, and the bound may be lower.
  std::optional<double> seconds = {};
  const std::atomic<bool>* cancelled = nullptr;
};

struct FlatProven {
  // Its bound is below the plan's energy if there is a better plan, if the time did not suffice, or
  // where a plan has one nest for new sums and old ones.
  std::optional<FlatCertificate> certificate;
  std::vector<Diagnostic> problems;  // why there is none
  bool in_time = true;               // the whole proof was made
};
FlatProven prove_flat(const FlatClaim& claim);

std::string write_certificate(const FlatCertificate& certificate);
bool is_flat_certificate(std::string_view text);
Checked<FlatCertificate> read_flat_certificate(std::string_view text, const std::string& file);

// --- networks -----------------------------------------------------------------------
//
// A network is cut into parts by rules (docs/fusion.md), and each part is mapped on its own;
// energies add up. A certificate has a proof for each part of which there is one, and says what the
// others take without proof.

inline constexpr int kNetworkCertificateVersion = 1;

// An einsum of a part that has other dimensions than the contraction of the network: factors of
// some, as the heads of an attention are, or dimensions whose values the network takes one by one.
struct CutContraction {
  std::string contraction;  // the einsum
  // The einsum's dimensions in place of one, by the name that architectures know this one by.
  std::map<std::string, std::vector<std::string>> factors = {};
  std::vector<std::string> together = {};  // by the names that architectures know

  bool operator==(const CutContraction&) const = default;
};

// A part of a network, or several that are the same work. It has one of these: a proof about its
// plans of trees or of flat groups, a bound of them, proofs about the mappings of its contractions
// one by one, or what the search says.
struct PartCertificate {
  std::int64_t count = 1;  // how often the network has it
  std::optional<PlanCertificate> plan = {};
  std::optional<FlatCertificate> flat = {};
  std::optional<PlanBound> bounded = {};
  std::vector<Certificate> mappings = {};
  struct Stated {
    std::string cascade, plan;  // files; without a plan every contraction is mapped alone
    std::string energy_pj;      // of one

    bool operator==(const Stated&) const = default;
  };
  std::optional<Stated> stated = {};
  std::vector<CutContraction> cuts = {};  // of contractions that it has with other dimensions
  // Why nothing is proven of plans; of mappings, that plans together with others may take less.
  // Empty if the bound of the part is proven.
  std::string unproven = {};

  bool operator==(const PartCertificate&) const = default;
};

struct NetworkCertificate {
  int version = kNetworkCertificateVersion;
  std::string architecture, network;  // files in the project's formats
  std::vector<PartCertificate> parts;
  // Exact decimals: what all parts take, and what no plans of these parts go below; unproven parts
  // count with nothing.
  std::string energy_pj, bound;

  bool operator==(const NetworkCertificate&) const = default;
};

struct PartOutcome {
  enum class Known {
    Optimal,    // no plan takes less
    Bounded,    // no plan goes below its bound
    Unchecked,  // the same, but what its plan takes is what the search says
    Counted,    // the mappings take what is said, but plans of them together may take less
    Stated,     // nothing but what the search says
  };
  std::vector<std::string> contractions;  // their names
  Known known = Known::Stated;
  std::int64_t count = 1;
  std::string energy_pj;  // of all of them
};

struct NetworkOutcome {
  std::vector<Diagnostic> problems;  // empty: verified. The first failing step
  std::string name;                  // of the network
  std::vector<PartOutcome> parts;    // by part
};
// Every proof; that sums follow; and that the parts have each contraction of the network, as often
// as it has it. The outcome does not depend on the number of threads.
NetworkOutcome check(const NetworkCertificate& certificate, int threads = 1,
                     const std::atomic<bool>* cancelled = nullptr);

// Dimensions under the names by which architectures know them: a certificate of a mapping has no
// others.
Workload with_known_names(Workload workload);
// With the sums. Proofs are of this architecture.
NetworkCertificate certificate_of(const Network& network, const Architecture& arch,
                                  std::vector<PartCertificate> parts);
// What a search says of a part.
PartCertificate stated_part(const Cascade& cascade, const std::optional<Plan>& plan,
                            double energy_pj);

std::string write_certificate(const NetworkCertificate& certificate);
bool is_network_certificate(std::string_view text);
Checked<NetworkCertificate> read_network_certificate(std::string_view text,
                                                     const std::string& file);

}  // namespace tilewright::certificate
