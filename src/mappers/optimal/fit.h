// Which tiles fit a memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mappers/optimal/lattice.h"
#include "mapping/room.h"

namespace tilewright::optimal {

// Extents of every dimension.
using ExtentLists = std::vector<std::vector<std::int64_t>>;

// The tiles of one memory against its capacity.
class Fitting {
 public:
  Fitting(const SolverTables& solver, int memory, std::uint32_t kept);
  // What the outermost keeper of a tensor holds beyond its tile counts outside all fan-outs, where
  // it is the whole tensor; elsewhere that is for the evaluator to say.
  Fitting(const Subproblem& sub, int memory);

  // The first overflow; `extents` are at most the dimensions' sizes.
  Verdict check(const PerDim& extents) const;
  // Whether it depends on the extent of a dimension.
  bool depends_on(int dim) const;
  // The sums that limit tiles, and the extents of a tensor that count for one of them.
  struct Sum {
    const Room* room = nullptr;
    RoomSum limit;
  };
  std::vector<Sum> sums() const;
  ExtentLists counted(const Sum& sum, int t, ExtentLists extents) const;

 private:
  Int128 words_of(int t, const PerDim& extents) const;
  // Of tiles with these extents, or of the tensor if all of it has its home here.
  Int128 words_together(int t, const PerDim& extents) const {
    return words_of(t, contains(whole_, t) ? solver_.sizes : extents);
  }

  const SolverTables& solver_;
  LevelId level_;
  const Room& room_;
  const std::optional<InstanceShape>& instance_;
  std::uint32_t kept_;
  std::uint32_t whole_ = 0;  // tensors of which all has its home here
};

// The extents of a memory's tiles.
ExtentLists tile_extents(const Lattice& lattice, int memory, int dim_count);

// Whether a memory below fan-outs has room for tiles of these tensors.
bool tile_fits(const SolverTables& solver, int memory, std::uint32_t kept, const PerDim& extents);

// The misfit that needs least, of the vectors that are reached and of which none fits.
std::optional<Verdict> closest_misfit(const Subproblem& sub, const Lattice& lattice, int memory,
                                      const std::vector<bool>& reached);

// A memory that cannot hold even the smallest tiles of the subproblem.
std::optional<Verdict> least_misfit(const Subproblem& sub);

}  // namespace tilewright::optimal
