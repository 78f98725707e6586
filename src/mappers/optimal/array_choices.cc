#include "mappers/optimal/array_choices.h"

#include <algorithm>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {
namespace {

// Dimensions of size 1 are not among the solver's.
std::uint32_t bits_of(const SolverTables& solver, const std::vector<DimId>& dims) {
  std::uint32_t bits = 0;
  for (int d = 0; d < solver.dim_count; ++d) {
    if (contains(dims, solver.original(d))) bits |= 1U << d;
  }
  return bits;
}

// No shape is larger than what can be unrolled.
std::int64_t most_of(const SolverTables& solver, std::uint32_t dims, std::int64_t instances) {
  std::int64_t most = 1;
  for (const int d : members(dims)) most = times(most, solver.size(d));
  return std::min(most, instances);
}

std::int64_t product_of(std::uint32_t dims, const PerDim& bounds) {
  std::int64_t product = 1;
  for (const int d : members(dims)) product = times(product, bounds[at(d)]);
  return product;
}

std::uint32_t image_of(std::uint32_t dims, const DimMirror& mirror) {
  std::uint32_t image = 0;
  for (const int d : members(dims)) image |= 1U << mirror[at(d)];
  return image;
}

}  // namespace

ArrayChoices::ArrayChoices(const SolverTables& solver, const std::vector<ArrayChoice>& choices)
    : dim_count_(solver.dim_count) {
  while (solver.fanout(fanout_).level != choices.front().fanout) ++fanout_;
  for (const ArrayChoice& choice : choices) {
    const std::uint32_t rows = bits_of(solver, choice.rows);
    const std::uint32_t columns = bits_of(solver, choice.columns);
    add({rows,
         columns,
         {{most_of(solver, rows, choice.most_rows),
           most_of(solver, columns, choice.most_columns)}}});
  }
  for (Pair& pair : pairs_) {
    std::sort(pair.shapes.begin(), pair.shapes.end());
    pair.shapes.erase(std::unique(pair.shapes.begin(), pair.shapes.end()), pair.shapes.end());
  }
}

void ArrayChoices::add(Pair pair) {
  for (Pair& known : pairs_) {
    if (known.rows != pair.rows || known.columns != pair.columns) continue;
    known.shapes.push_back(pair.shapes.front());
    return;
  }
  pairs_.push_back(std::move(pair));
}

std::optional<PerDim> ArrayChoices::most_beside(const PerDim& least) const {
  PerDim most{};
  // Dimensions that share so much room, of which their least bounds take some.
  const auto raise = [&](std::uint32_t dims, std::int64_t room, std::int64_t taken) {
    for (const int d : members(dims)) {
      most[at(d)] = std::max(most[at(d)], room / (taken / least[at(d)]));
    }
  };
  bool is_any = false;
  const std::uint32_t all = (1U << static_cast<unsigned>(dim_count_)) - 1U;
  for (const Pair& pair : pairs_) {
    const std::uint32_t others = all & ~(pair.rows | pair.columns);
    if (product_of(others, least) > 1) continue;
    const std::int64_t rows = product_of(pair.rows, least);
    const std::int64_t columns = product_of(pair.columns, least);
    for (const auto& [most_rows, most_columns] : pair.shapes) {
      if (rows > most_rows || columns > most_columns) continue;
      is_any = true;
      raise(pair.rows, most_rows, rows);
      raise(pair.columns, most_columns, columns);
      raise(others, 1, 1);
    }
  }
  return is_any ? std::optional(most) : std::nullopt;
}

ArrayChoices::Pair ArrayChoices::turned(const Pair& pair) {
  Pair other{pair.columns, pair.rows, {}};
  for (const auto& [rows, columns] : pair.shapes) other.shapes.emplace_back(columns, rows);
  std::sort(other.shapes.begin(), other.shapes.end());
  return other;
}

// Bounds do not tell rows from columns.
bool ArrayChoices::are_kept_by(const DimMirror& mirror) const {
  return std::all_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
    const Pair image{image_of(pair.rows, mirror), image_of(pair.columns, mirror), pair.shapes};
    return contains(pairs_, image) || contains(pairs_, turned(image));
  });
}

}  // namespace tilewright::optimal
