#include <algorithm>
#include <bit>

#include "tilewright/study.h"

namespace tilewright {

namespace {

bool has(TopsAxes axes, TopsAxis axis) { return (axes & axes_of(axis)) != 0; }

ConvOrder order_of(const char* letters) {
  ConvOrder order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = *conv_dim_of(letters[i]);
  return order;
}

}  // namespace

std::string bits_text(TopsAxes axes) {
  std::string text;
  for (const TopsAxis axis : kTopsAxes) text += has(axes, axis) ? '1' : '0';
  return text;
}

Flexibility with_freedom(Flexibility flexibility, TopsAxes axes) {
  if (has(axes, TopsAxis::Tile)) flexibility.tile = TileFreedom{};
  if (has(axes, TopsAxis::Order)) flexibility.orders.clear();
  if (has(axes, TopsAxis::Parallel)) flexibility.pairs.clear();
  if (has(axes, TopsAxis::Shape)) flexibility.shape = {ShapeFreedom::Kind::Any, {1, 1}};
  return flexibility;
}

Flexibility with_some_freedom(Flexibility flexibility, TopsAxes axes, std::int64_t pes) {
  if (has(axes, TopsAxis::Tile)) {
    flexibility.tile = {};
    flexibility.tile.kind = TileFreedom::Kind::Hard;
    flexibility.tile.shares.fill({1, 3});
  }
  if (has(axes, TopsAxis::Order)) {
    // The paper names the first two; of the inputs' it says only what it does.
    flexibility.orders = {order_of("YXKCRS"), order_of("KCRSYX"), order_of("CYXRSK")};
  }
  if (has(axes, TopsAxis::Parallel)) {
    flexibility.pairs = {{ConvDim::C, ConvDim::K}, {ConvDim::Y, ConvDim::X}};
  }
  if (has(axes, TopsAxis::Shape)) {
    constexpr std::int64_t kBand = 16;
    std::int64_t rows = kBand;
    while (rows > 1 && 2 * rows * rows > pes) rows /= 2;
    flexibility.shape = {ShapeFreedom::Kind::Bands, {rows, rows}};
  }
  return flexibility;
}

std::vector<Variant> class_variants(const Flexibility& fixed, std::int64_t pes) {
  std::vector<TopsAxes> order;
  for (int axes = 0; axes <= kEveryAxis; ++axes) order.push_back(static_cast<TopsAxes>(axes));
  std::sort(order.begin(), order.end(), [](TopsAxes a, TopsAxes b) {
    const int more = std::popcount(a) - std::popcount(b);
    return more != 0 ? more < 0 : a > b;
  });
  std::vector<Variant> variants;
  for (const TopsAxes axes : order) {
    variants.push_back(
        {(axes == 0 ? "InFlex-" : "FullFlex-") + bits_text(axes), with_freedom(fixed, axes)});
  }
  variants.push_back({"PartFlex-1111", with_some_freedom(fixed, kEveryAxis, pes)});
  return variants;
}

StudyOptions usual_study() {
  StudyOptions options;
  options.map.space = SpaceKind::Ruby;
  options.map.objective = Objective::Latency;
  return options;
}

}  // namespace tilewright
