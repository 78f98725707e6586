// Certificates of optimality: a mapping, what it costs, and why no mapping of
// its map-space is better. The checker counts and bounds in whole numbers of its
// own; it shares no code with the fast model or with the solver.
//
// docs/optimal.md has the proof, docs/certificates.md the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/mapspace.h"

namespace tilewright::certificate {

// How it is shown that a frame has nothing better: by a bound that does not look
// at extents, by the least energy over all extents, or by searching the frame.
enum class Closed { ByFloor, ByLattice, ByTree };

// So many frames in a row, closed in the same way.
struct Run {
  Closed how = Closed::ByFloor;
  std::int64_t frames = 0;

  bool operator==(const Run&) const = default;
};

// For every placement, which tensors each memory keeps, all frames: the
// unrollings of all fan-outs. Both in the checker's order.
struct Proof {
  std::vector<std::vector<Run>> placements;

  bool operator==(const Proof&) const = default;
};

inline constexpr int kCertificateVersion = 2;

struct Certificate {
  int version = kCertificateVersion;
  std::string architecture, workload, constraints;  // files in the project's formats
  SpaceKind mapspace = SpaceKind::Perfect;
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

struct Statistics {
  std::int64_t placements = 0, frames = 0;
  std::int64_t by_floor = 0, by_lattice = 0, by_tree = 0;
  std::int64_t nodes = 0;  // of all trees
};

struct Outcome {
  std::vector<Diagnostic> problems;  // empty: verified. The first failing step
  Statistics statistics;
};

// The outcome does not depend on the number of threads.
Outcome check(const Certificate& certificate, int threads = 1);

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
};

struct Proven {
  std::optional<Certificate> certificate;
  std::optional<Mapping> better;     // found on the way: the claim is wrong
  std::vector<Diagnostic> problems;  // why there is neither
  Statistics statistics;
};

// Writes down how the checker closes each frame.
Proven prove(const Claim& claim);

// --- as text --------------------------------------------------------------------

std::string write_certificate(const Certificate& certificate);
// `file` is only the name that complaints carry.
Checked<Certificate> read_certificate(std::string_view text, const std::string& file);

}  // namespace tilewright::certificate
