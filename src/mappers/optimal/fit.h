// Which tiles fit a memory.
#pragma once

#include <optional>
#include <vector>

#include "mappers/optimal/lattice.h"

namespace tilewright::optimal {

// For every vector of outer extents of a memory's axes, the last dimension
// fastest. What the outermost keeper of a tensor holds beyond its tile counts outside all
// fan-outs, where it is the whole tensor; elsewhere that is for the evaluator to say.
std::vector<bool> fitting_vectors(const Subproblem& sub, const Lattice& lattice, int memory);

// Whether a memory below fan-outs has room for tiles of these tensors.
bool tile_fits(const SolverTables& solver, int memory, std::uint32_t kept, const PerDim& extents);

// The misfit that needs least, of the vectors that are reached and of which none fits.
std::optional<Verdict> closest_misfit(const Subproblem& sub, const Lattice& lattice, int memory,
                                      const std::vector<bool>& reached);

// A memory that cannot hold even the smallest tiles of the subproblem.
std::optional<Verdict> least_misfit(const Subproblem& sub);

}  // namespace tilewright::optimal
