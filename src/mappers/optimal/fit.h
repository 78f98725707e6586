// Which tiles fit a memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mappers/optimal/lattice.h"
#include "mappers/optimal/reached_places.h"
#include "mappers/optimal/vector_sums.h"

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

 private:
  Int128 words_of(int t, const PerDim& extents) const;

  const SolverTables& solver_;
  LevelId level_;
  const Room& room_;
  const std::optional<InstanceShape>& instance_;
  std::uint32_t kept_;
  std::uint32_t whole_ = 0;  // tensors of which all has its home here
};

// Which vectors of extents fit a memory, found when it is asked for. Extents ascend, so that of
// those with equal extents in all dimensions but the last, the first ones fit.
class FittingVectors {
 public:
  FittingVectors(const Subproblem& sub, int memory, ExtentLists extents);

  // Takes the values of the others away; the last dimension is the fastest of the table.
  void leave_out_others(Values& values);
  void leave_out_others(ReachedPlaces& places);

 private:
  static constexpr std::int32_t kUnknown = -1;
  // How many of a row fit.
  std::size_t fitting_of(std::int64_t number);
  std::size_t find_fitting(std::int64_t number) const;

  const SolverTables& solver_;
  Fitting fitting_;
  std::vector<std::int64_t> last_ = {1};  // extents of the last dimension, if there is one
  ExtentLists extents_;                   // of the others
  std::vector<std::size_t> strides_;  // of each dimension in the list below; 0 if it does not count
  std::vector<std::int32_t> known_;   // by the extents of a row
  VectorSums numbers_;                // of all rows in this list
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
