// Certificates of optimality: a mapping, what it costs, and why no mapping of
// its map-space is better. The checker counts and bounds in whole numbers of its
// own; it shares no code with the fast model or with the solver.
//
// docs/optimal.md has the proof, docs/certificates.md the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/mapspace.h"

namespace tilewright::certificate {

// What becomes of a cell, a part of the map-space: it is split, or nothing in it is better
// by a bound that does not look at extents. Cells that cannot be split, the frames, may
// also be closed by the least energy over all extents, or by a search cut by that; and by
// these together with the least words of each port.
enum class ProofStep { Split, Floor, Lattice, Tree, Ports, WideTree };

// The same step for so many cells in a row.
struct Run {
  ProofStep step = ProofStep::Floor;
  std::int64_t cells = 0;

  bool operator==(const Run&) const = default;
};

// The cells of the checker's cover: each is followed by its parts.
using Proof = std::vector<Run>;

inline constexpr int kCertificateVersion = 3;

struct Certificate {
  int version = kCertificateVersion;
  std::string architecture, workload, constraints;  // files in the project's formats
  SpaceKind mapspace = SpaceKind::Perfect;
  bool uneven = false;  // among all mappings, even and uneven; otherwise among even ones
  Objective objective = Objective::Edp;
  std::string mapping;  // a mapping file
  // Exact decimals: the mapping's energy, its cycles, the compute instances that it
  // uses, its value of the objective (pJ, cycles or pJ * cycles), and what no mapping
  // goes below. Where value and bound are equal, no mapping is better by the rest of the
  // objective's key either (see is_better).
  std::string energy_pj;
  std::int64_t cycles = 0, instances = 0;
  std::string value, bound;
  Proof proof;

  bool operator==(const Certificate&) const = default;
};

// What a certificate is about: "even mappings" or "all mappings, even and uneven".
std::string among(const Certificate& certificate);

struct Statistics {
  std::int64_t by_floor = 0;
  std::int64_t by_lattice = 0, by_tree = 0;  // with ports or without
  std::int64_t nodes = 0;                    // of all trees

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
  bool uneven = false;                // the claim is about all mappings, even and uneven
  std::optional<Problem> apart = {};  // what the mapping is of, if it has storage points
};

struct Proven {
  std::optional<Certificate> certificate;
  std::optional<Mapping> better;     // found on the way: the claim is wrong
  std::optional<Problem> apart;      // what that is a mapping of, if it has storage points
  std::vector<Diagnostic> problems;  // why there is neither
  Statistics statistics;
};

// Writes down how the checker covers the map-space.
Proven prove(const Claim& claim);

// --- as text --------------------------------------------------------------------

std::string write_certificate(const Certificate& certificate);
// `file` is only the name that complaints carry.
Checked<Certificate> read_certificate(std::string_view text, const std::string& file);

}  // namespace tilewright::certificate
