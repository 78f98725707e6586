#include "tilewright/arch.h"

namespace tilewright {

namespace {

// How many blocks there are. Bands are counted like square blocks of their
// height (paper, section 6.5).
std::int64_t block_count(const ShapeFreedom& freedom, std::int64_t pes) {
  return pes / (freedom.unit.rows * freedom.unit.columns);
}

ArrayShape shape_with(const ShapeFreedom& freedom, std::int64_t pes, std::int64_t rows) {
  if (freedom.kind != ShapeFreedom::Kind::Blocks) return {rows, pes / rows};
  return {rows, block_count(freedom, pes) / (rows / freedom.unit.rows) * freedom.unit.columns};
}

}  // namespace

std::vector<ArrayShape> shapes_of(const ShapeFreedom& freedom, std::int64_t pes) {
  if (freedom.kind == ShapeFreedom::Kind::Fixed) return {freedom.unit};
  std::vector<ArrayShape> shapes;
  const std::int64_t count = block_count(freedom, pes);
  for (std::int64_t i = 1; i <= count; ++i) {
    shapes.push_back(shape_with(freedom, pes, i * freedom.unit.rows));
  }
  return shapes;
}

std::vector<ArrayShape> largest_shapes(const ShapeFreedom& freedom, std::int64_t pes) {
  std::vector<ArrayShape> largest;
  // Columns never grow with rows: of several with the same columns the last counts.
  for (const ArrayShape& shape : shapes_of(freedom, pes)) {
    if (!largest.empty() && largest.back().columns <= shape.columns) largest.pop_back();
    largest.push_back(shape);
  }
  return largest;
}

}  // namespace tilewright
