#include "mappers/optimal/extent_box.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "mappers/optimal/fit.h"

namespace tilewright::optimal {
namespace {

// Words that a tensor's tile has at least if a dimension has this extent.
std::int64_t least_words(const TensorShape& tensor, int dim, std::int64_t extent) {
  for (const Window& window : tensor.windows) {
    const int position = window.position_of(dim);
    if (position < 0) continue;
    Extents extents{};
    extents.fill(1);
    extents[at(position)] = extent;
    return window.size(extents);
  }
  return contains(tensor.alone, dim) ? extent : 1;
}

// Whether tiles of equal number hold equally many elements in sum, however
// a dimension is cut into them: sizes grow by the same amount with every index.
// In a window m*a + n*b that holds for a if n is 1.
bool grows_evenly(const SolverTables& solver, int dim) {
  for (const TensorShape& tensor : solver.tensors) {
    for (const Window& window : tensor.windows) {
      const int position = window.position_of(dim);
      if (position < 0) continue;
      if (solver.boxes || window.dim_count() != 2) return false;
      if (std::abs(window.signed_coefficient(1 - position)) != 1) return false;
    }
  }
  return true;
}

// Whether a loop of another dimension may move a window of this one by more than a tile, past
// what is unrolled of it: then a tile must be large to overlap with the one before it.
bool is_moved_by_leaps(const Subproblem& sub, int dim) {
  const SolverTables& solver = sub.solver();
  for (const TensorShape& tensor : solver.tensors) {
    for (const Window& window : tensor.windows) {
      if (window.position_of(dim) < 0) continue;
      for (int i = 0; i < window.dim_count(); ++i) {
        const std::int64_t unrolled = sub.unrolled_outside(solver.memory_count, window.dim(i));
        if (unrolled > 1 && unrolled < solver.size(window.dim(i))) return true;
      }
    }
  }
  return false;
}

// Whether instances share what overlaps in windows of this dimension.
bool shares_halos(const Subproblem& sub, int dim) {
  const SolverTables& solver = sub.solver();
  for (const TensorShape& tensor : solver.tensors) {
    for (const Window& window : tensor.windows) {
      if (!tensor.shares_halos || window.position_of(dim) < 0) continue;
      for (int i = 0; i < window.dim_count(); ++i) {
        if (sub.unrolled_outside(solver.memory_count, window.dim(i)) > 1) return true;
      }
    }
  }
  return false;
}

int octave(std::int64_t extent) { return 63 - __builtin_clzll(static_cast<std::uint64_t>(extent)); }

// Extents with equal numbers are close to each other: of each power of two so many leading
// bits count, or with a negative number so many powers of two together.
std::int64_t group(std::int64_t extent, int bits) {
  const int power = octave(extent);
  if (bits < 0) return power >> (-bits);
  const std::int64_t leading = power >= bits ? extent >> (power - bits) : extent << (bits - power);
  return (static_cast<std::int64_t>(power) << bits) + leading;
}

// Ranges of extents that leave the same number of iterations outside, within a range.
std::vector<ExtentRange> classes_of(const ExtentRange& range, std::int64_t size) {
  std::vector<ExtentRange> classes;
  for (std::int64_t least = range.least; least <= range.most;) {
    const std::int64_t left = ceil_div(size, least);
    const std::int64_t most = left == 1 ? range.most : ceil_div(size, left - 1) - 1;
    classes.push_back({least, std::min(most, range.most)});
    least = classes.back().most + 1;
  }
  return classes;
}

int count_classes(const ExtentRange& range, std::int64_t size) {
  int number = 0;
  for (std::int64_t least = range.least; least <= range.most; ++number) {
    const std::int64_t left = ceil_div(size, least);
    least = left == 1 ? range.most + 1 : ceil_div(size, left - 1);
  }
  return number;
}

}  // namespace

bool fits_alone(const Subproblem& sub, int memory, int dim, std::int64_t extent) {
  const SolverTables& solver = sub.solver();
  const MemoryShape& shape = solver.memory(memory);
  if (!shape.room.bounded) return true;
  extent = std::min(extent, solver.size(dim));
  const auto fits = [&](const Room& room, std::int64_t each) {
    for (const int t : members(sub.placement().kept[at(memory)])) {
      const auto& partition = room.partitions[at(t)];
      const Capacity& capacity = partition ? *partition : room.capacity;
      if (capacity.unit == Capacity::Unit::Unlimited) continue;
      const std::int64_t words = least_words(solver.tensor(t), dim, each);
      const std::int64_t bits =
          capacity.unit == Capacity::Unit::Bits ? room.element_bits[at(t)] : 1;
      if (static_cast<Int128>(words) * bits > capacity.amount) return false;
    }
    return true;
  };
  if (!fits(shape.room, extent)) return false;
  return !shape.instance ||
         fits(shape.instance->room, ceil_div(extent, shape.instance->most_beside[at(dim)]));
}

bool needs_all_extents(const Subproblem& sub, int dim) {
  const SolverTables& solver = sub.solver();
  return !grows_evenly(solver, dim) || sub.unrolled_outside(solver.memory_count, dim) > 1 ||
         is_moved_by_leaps(sub, dim) || shares_halos(sub, dim);
}

// Two axes of a fan-out may together pass what is left of a dimension, by less than a factor
// of two, as a loop may.
ExtentBox::ExtentBox(const Subproblem& sub)
    : memories_(sub.solver().memory_count),
      dims_(sub.solver().dim_count),
      sizes_(sub.solver().sizes) {
  ranges_.reserve(at(memories_ * dims_));
  for (int m = 0; m < memories_; ++m) {
    for (int d = 0; d < dims_; ++d) ranges_.push_back({1, times(4, sizes_[at(d)])});
  }
}

void ExtentBox::narrow(int memory, int dim, const ExtentRange& range) {
  ExtentRange& own = ranges_[place(memory, dim)];
  own = {std::max(own.least, range.least), std::min(own.most, range.most)};
}

void ExtentBox::narrow_to_fit(const Subproblem& sub) {
  const SolverTables& solver = sub.solver();
  for (int d = 0; d < dims_; ++d) {
    ExtentRange inner{1, 1};  // just inside the loops of a memory
    for (int m = memories_; m-- > 0;) {
      const BoundLimits& limits = solver.limits(solver.memory(m).slot, d);
      const std::int64_t unrolled =
          sub.unrolled(sub.fanouts_outside(m), sub.fanouts_outside(m + 1), d);
      inner = {times(inner.least, unrolled), times(inner.most, unrolled)};
      narrow(m, d, {times(inner.least, limits.least), times(inner.most, limits.most)});
      if (!fits_alone(sub, m, d, sizes_[at(d)])) narrow(m, d, {1, largest_that_fits(sub, m, d)});
      inner = range(m, d);
    }
    for (int m = 1; m < memories_; ++m) {
      const std::int64_t unrolled =
          sub.unrolled(sub.fanouts_outside(m - 1), sub.fanouts_outside(m), d);
      narrow(m, d, {1, range(m - 1, d).most / unrolled});
    }
  }
}

std::int64_t ExtentBox::largest_that_fits(const Subproblem& sub, int memory, int dim) const {
  std::int64_t fits = 1;
  std::int64_t too_large = sizes_[at(dim)];
  while (fits + 1 < too_large) {
    const std::int64_t middle = fits + (too_large - fits) / 2;
    (fits_alone(sub, memory, dim, middle) ? fits : too_large) = middle;
  }
  return fits;
}

bool ExtentBox::empty() const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [](const ExtentRange& range) { return range.least > range.most; });
}

std::vector<ExtentRange> ExtentBox::parts(int memory, int dim, int most_parts) const {
  std::vector<ExtentRange> parts = classes_of(range(memory, dim), sizes_[at(dim)]);
  for (int bits = 16; bits > -7 && static_cast<int>(parts.size()) > most_parts; --bits) {
    std::vector<ExtentRange> fewer;
    for (const ExtentRange& part : parts) {
      if (!fewer.empty() && group(fewer.back().least, bits) == group(part.least, bits)) {
        fewer.back().most = part.most;
      } else {
        fewer.push_back(part);
      }
    }
    parts = std::move(fewer);
  }
  return parts;
}

int ExtentBox::parts_for(double most_vectors) const {
  PerDim classes{};  // of the memory with most
  for (int d = 0; d < dims_; ++d) {
    for (int m = 1; m < memories_; ++m) {
      classes[at(d)] =
          std::max<std::int64_t>(classes[at(d)], count_classes(range(m, d), sizes_[at(d)]));
    }
  }
  int parts = 2;
  for (bool grows = true; grows; ++parts) {
    double vectors = 1;
    grows = false;
    for (int d = 0; d < dims_; ++d) {
      vectors *= static_cast<double>(std::min<std::int64_t>(classes[at(d)], parts + 1));
      grows = grows || classes[at(d)] > parts;
    }
    if (vectors > most_vectors) break;
  }
  return parts;
}

double ExtentBox::vectors(const Subproblem& sub) const {
  double most = 1;
  std::vector<bool> all;
  for (int d = 0; d < dims_; ++d) all.push_back(needs_all_extents(sub, d));
  for (int m = 1; m < memories_; ++m) {
    double number = 1;
    for (int d = 0; d < dims_; ++d) {
      const ExtentRange& one = range(m, d);
      // Beyond the size there are few.
      const std::int64_t last = std::max(one.least, std::min(one.most, sizes_[at(d)]));
      std::int64_t extents = last - one.least + 1;
      if (!all[at(d)]) {
        extents =
            std::min<std::int64_t>(extents, std::int64_t{2} * count_classes(one, sizes_[at(d)]));
      }
      number *= static_cast<double>(extents);
    }
    most = std::max(most, number);
  }
  return most;
}

// Where the most is the largest multiple of the least. What the innermost memory holds says more of
// the cost than what the others do, and most of it what takes its room.
std::vector<ExtentBox> ExtentBox::halves(const Subproblem& sub) const {
  const Fitting innermost(sub, memories_ - 1);
  std::size_t widest = ranges_.size();
  const auto last_of = [&](std::size_t i) {
    return std::min(ranges_[i].most, std::max(ranges_[i].least, sizes_[i % at(dims_)]));
  };
  double most = 0;
  for (std::size_t i = at(dims_); i < ranges_.size(); ++i) {
    if (last_of(i) == ranges_[i].least) continue;
    const bool is_innermost = i >= at((memories_ - 1) * dims_);
    const bool takes_room = is_innermost && innermost.depends_on(static_cast<int>(i % at(dims_)));
    const double ratio = static_cast<double>(last_of(i)) / static_cast<double>(ranges_[i].least);
    const double square = ratio * ratio;  // a product is the same on every machine
    const double width = takes_room ? square * square : is_innermost ? square : ratio;
    if (width <= most) continue;
    most = width;
    widest = i;
  }
  if (widest == ranges_.size()) return {*this};
  const ExtentRange& whole = ranges_[widest];
  const std::int64_t last = last_of(widest);
  // About the geometric mean; at the start of a class if there is one.
  std::int64_t middle = whole.least;
  while (middle < last &&
         static_cast<Int128>(middle) * middle < static_cast<Int128>(whole.least) * last) {
    middle = std::min(last, middle + std::max<std::int64_t>(1, middle / 16));
  }
  const std::int64_t size = sizes_[widest % at(dims_)];
  const std::int64_t start = ceil_div(size, ceil_div(size, middle));
  const std::int64_t second = start > whole.least ? start : std::max(middle, whole.least + 1);
  std::vector<ExtentBox> both(2, *this);
  both[0].ranges_[widest].most = second - 1;
  both[1].ranges_[widest].least = second;
  return both;
}

}  // namespace tilewright::optimal
