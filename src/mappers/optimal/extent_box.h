// Boxes of extents: for the tile of each memory a range for every dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

class ExtentBox {
 public:
  // All extents that a subproblem has.
  explicit ExtentBox(const Subproblem& sub);

  const ExtentRange& range(int memory, int dim) const { return ranges_[place(memory, dim)]; }
  // Leaves out extents that cannot be reached, or whose tiles do not fit.
  void narrow_to_fit(const Subproblem& sub);
  bool empty() const;
  // Keeps what lies in the range, too.
  void narrow(int memory, int dim, const ExtentRange& range);

  // The range of a memory and a dimension in pieces, `most_parts` at the most if that is not
  // too few. Extents that leave the same number of iterations outside stay together.
  std::vector<ExtentRange> parts(int memory, int dim, int most_parts) const;
  // In how many pieces ranges may be cut for about so many vectors of them.
  int parts_for(double most_vectors) const;
  // How many vectors of extents there may be at the widest place.
  double vectors(const Subproblem& sub) const;

  // Two boxes that have the same extents together; no second one if there is one vector alone.
  std::vector<ExtentBox> halves(const Subproblem& sub) const;
  std::size_t bytes() const { return sizeof(ExtentBox) + ranges_.size() * sizeof(ExtentRange); }

 private:
  std::int64_t largest_that_fits(const Subproblem& sub, int memory, int dim) const;
  std::size_t place(int memory, int dim) const { return at(memory * dims_ + dim); }

  int memories_, dims_;
  PerDim sizes_;
  std::vector<ExtentRange> ranges_;  // by memory and dimension
};

// Whether a memory can hold what it keeps if a dimension has this extent and the others 1.
bool fits_alone(const Subproblem& sub, int memory, int dim, std::int64_t extent);

// Whether of several extents that leave the same number of iterations all are to be looked
// at, or the least is as good as any.
bool needs_all_extents(const Subproblem& sub, int dim);

}  // namespace tilewright::optimal
