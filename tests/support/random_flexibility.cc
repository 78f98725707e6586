#include "support/random_flexibility.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilewright::testing {
namespace {

Rational reduced(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

TileFreedom random_tile(TestRng& rng, const FlexibilityLimits& limits) {
  TileFreedom tile;
  const auto kind = rng.between(0, limits.shares ? 2 : 1);
  if (kind == 1) {
    tile.kind = TileFreedom::Kind::Fixed;
    for (std::int64_t& size : tile.fixed) size = rng.between(1, limits.largest_tile);
  }
  if (kind == 2) {
    tile.kind = TileFreedom::Kind::Hard;
    const std::array<std::int64_t, 3> parts = {rng.between(1, 5), rng.between(1, 5),
                                               rng.between(1, 5)};
    // Now and then part of the buffer is nobody's.
    const std::int64_t whole = parts[0] + parts[1] + parts[2] + (rng.chance(25) ? 1 : 0);
    for (std::size_t i = 0; i < parts.size(); ++i) tile.shares[i] = reduced(parts[i], whole);
  }
  return tile;
}

ShapeFreedom random_shape(TestRng& rng, std::int64_t pes) {
  using Kind = ShapeFreedom::Kind;
  const Kind kind = rng.pick<Kind>({Kind::Fixed, Kind::Blocks, Kind::Bands, Kind::Any});
  if (kind == Kind::Any) return {kind, {1, 1}};
  std::int64_t rows = rng.between(1, pes);
  if (kind == Kind::Bands) {
    while (rows * rows > pes) rows = rng.between(1, rows - 1);
    return {kind, {rows, rows}};
  }
  if (kind == Kind::Blocks && rng.chance(70)) rows = std::max<std::int64_t>(1, rows / 3);
  std::int64_t columns = rng.between(1, pes / rows);
  if (kind == Kind::Blocks && rng.chance(70)) columns = std::max<std::int64_t>(1, columns / 3);
  return {kind, {rows, columns}};
}

template <typename T, typename Draw>
std::vector<T> distinct(std::int64_t count, Draw draw) {
  std::vector<T> values;
  while (std::cmp_less(values.size(), count)) {
    const T value = draw();
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace

ConvOrder random_conv_order(TestRng& rng) {
  ConvOrder order = kAllConvDims;
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return order;
}

Flexibility random_flexibility(TestRng& rng, const FlexibilityLimits& limits) {
  Flexibility flexibility;
  flexibility.tile = random_tile(rng, limits);
  flexibility.shape = random_shape(rng, limits.pes);
  flexibility.orders = distinct<ConvOrder>(rng.pick<std::int64_t>({0, 1, 1, 2, 4}),
                                           [&] { return random_conv_order(rng); });
  flexibility.pairs = distinct<ConvPair>(rng.pick<std::int64_t>({0, 1, 1, 2, 5, 12}),
                                         [&] { return rng.pick(all_pairs()); });
  return flexibility;
}

}  // namespace tilewright::testing
