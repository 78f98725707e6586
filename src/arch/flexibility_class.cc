#include "tilewright/arch.h"

namespace tilewright {

namespace {

Degree degree_of_list(std::size_t listed, std::int64_t all) {
  if (listed == 0 || static_cast<std::int64_t>(listed) == all) return Degree::Full;
  return listed == 1 ? Degree::Inflexible : Degree::Partial;
}

Degree degree_of_tile(const TileFreedom& tile) {
  switch (tile.kind) {
    case TileFreedom::Kind::Fixed:
      return Degree::Inflexible;
    case TileFreedom::Kind::Hard:
      return Degree::Partial;
    case TileFreedom::Kind::Soft:
      break;
  }
  return Degree::Full;
}

Degree degree_of_shape(const ShapeFreedom& shape, std::int64_t pes) {
  if (shape.kind == ShapeFreedom::Kind::Fixed) return Degree::Inflexible;
  const auto shapes = static_cast<std::int64_t>(shapes_of(shape, pes).size());
  if (shapes <= 1) return Degree::Inflexible;
  return shapes == pes ? Degree::Full : Degree::Partial;
}

}  // namespace

Degree degree_of(const Flexibility& flexibility, TopsAxis axis, std::int64_t pes) {
  switch (axis) {
    case TopsAxis::Tile:
      return degree_of_tile(flexibility.tile);
    case TopsAxis::Order:
      return degree_of_list(flexibility.orders.size(), kAllOrders);
    case TopsAxis::Parallel:
      return degree_of_list(flexibility.pairs.size(), kAllPairs);
    case TopsAxis::Shape:
      break;
  }
  return degree_of_shape(flexibility.shape, pes);
}

std::string class_of(const Flexibility& flexibility, std::int64_t pes) {
  std::string bits;
  bool partial = false;
  for (const TopsAxis axis : kTopsAxes) {
    const Degree degree = degree_of(flexibility, axis, pes);
    bits += degree == Degree::Inflexible ? '0' : '1';
    partial = partial || degree == Degree::Partial;
  }
  if (bits == "0000") return "InFlex-0000";
  return (partial ? "PartFlex-" : "FullFlex-") + bits;
}

std::vector<ConvPair> all_pairs() {
  std::vector<ConvPair> pairs;
  for (const ConvDim rows : kAllConvDims) {
    for (const ConvDim columns : kAllConvDims) {
      if (rows != columns) pairs.push_back({rows, columns});
    }
  }
  return pairs;
}

}  // namespace tilewright
