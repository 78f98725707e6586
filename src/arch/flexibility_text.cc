#include <fmt/format.h>

#include "tilewright/arch.h"

namespace tilewright {

namespace {

constexpr std::string_view kLetters = "KCYXRS";

std::string tile_text(const TileFreedom& tile) {
  if (tile.kind == TileFreedom::Kind::Soft) return "soft";
  std::string parts;
  if (tile.kind == TileFreedom::Kind::Hard) {
    for (const Rational& share : tile.shares) {
      parts += fmt::format("{}{}", parts.empty() ? "" : ":", to_string(share));
    }
    return fmt::format("hard({})", parts);
  }
  for (const ConvDim dim : kAllConvDims) {
    parts +=
        fmt::format("{}{}{}", parts.empty() ? "" : ",", letter_of(dim), tile.fixed[index_of(dim)]);
  }
  return fmt::format("fixed({})", parts);
}

template <typename T>
std::string list_text(const std::vector<T>& values) {
  if (values.empty()) return "all";
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ",") + to_string(value);
  return values.size() == 1 ? text : fmt::format("{{{}}}", text);
}

std::string shape_text(const ShapeFreedom& shape) {
  switch (shape.kind) {
    case ShapeFreedom::Kind::Blocks:
      return fmt::format("blocks({})", to_string(shape.unit));
    case ShapeFreedom::Kind::Bands:
      return fmt::format("bands({})", shape.unit.rows);
    case ShapeFreedom::Kind::Any:
      return "any";
    case ShapeFreedom::Kind::Fixed:
      break;
  }
  return to_string(shape.unit);
}

}  // namespace

char letter_of(ConvDim dim) { return kLetters[index_of(dim)]; }

std::optional<ConvDim> conv_dim_of(char letter) {
  const std::size_t place = kLetters.find(letter);
  if (place == std::string_view::npos) return std::nullopt;
  return static_cast<ConvDim>(place);
}

std::string to_string(TopsAxis axis) {
  constexpr std::array<const char*, 4> kNames = {"tile", "order", "parallel", "shape"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::string to_string(Degree degree) {
  constexpr std::array<const char*, 3> kNames = {"inflexible", "partly flexible", "fully flexible"};
  return kNames[static_cast<std::size_t>(degree)];
}

std::string to_string(ArrayShape shape) { return fmt::format("{}x{}", shape.rows, shape.columns); }

std::string to_string(const ConvOrder& order) {
  std::string text;
  for (const ConvDim dim : order) text += letter_of(dim);
  return text;
}

std::string to_string(ConvPair pair) { return {letter_of(pair.rows), letter_of(pair.columns)}; }

std::string axis_text(const Flexibility& flexibility, TopsAxis axis) {
  switch (axis) {
    case TopsAxis::Tile:
      return tile_text(flexibility.tile);
    case TopsAxis::Order:
      return list_text(flexibility.orders);
    case TopsAxis::Parallel:
      return list_text(flexibility.pairs);
    case TopsAxis::Shape:
      break;
  }
  return shape_text(flexibility.shape);
}

std::string to_string(const Flexibility& flexibility) {
  return fmt::format("T={},O={},P={},S={}", axis_text(flexibility, TopsAxis::Tile),
                     axis_text(flexibility, TopsAxis::Order),
                     axis_text(flexibility, TopsAxis::Parallel),
                     axis_text(flexibility, TopsAxis::Shape));
}

}  // namespace tilewright
