// The ways to set up a fan-out of one row, one of which frames must keep to.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "mappers/optimal/solver_tables.h"
#include "tilewright/map.h"

namespace tilewright::optimal {

class ArrayChoices {
 public:
  // At least one choice, all of the same fan-out.
  ArrayChoices(const SolverTables& solver, const std::vector<ArrayChoice>& choices);

  int fanout() const { return fanout_; }
  // The most that each dimension can be unrolled where no dimension is unrolled less than this;
  // nothing if no choice has these bounds.
  std::optional<PerDim> most_beside(const PerDim& least) const;
  // Whether bounds keep to a choice if and only if their image does.
  bool are_kept_by(const DimMirror& mirror) const;

 private:
  using Shape = std::pair<std::int64_t, std::int64_t>;  // the most of rows, and of columns
  // All shapes that have the same dimensions, as bits, on their rows and columns.
  struct Pair {
    std::uint32_t rows = 0, columns = 0;
    std::vector<Shape> shapes;  // in order

    bool operator==(const Pair&) const = default;
  };

  void add(Pair pair);
  static Pair turned(const Pair& pair);

  int dim_count_;
  int fanout_ = 0;
  std::vector<Pair> pairs_;
};

}  // namespace tilewright::optimal
