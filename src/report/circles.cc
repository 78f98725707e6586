#include "report/circles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tilewright::report {

namespace {

constexpr double kPi = std::numbers::pi;

double radius_of(double area) { return std::sqrt(area / kPi); }

// The distances of two centres at which the circles overlap as they should.
struct Range {
  double low = 0, high = 0;

  double at(double fraction) const { return low + fraction * (high - low); }
};

Range distances(double a, double b, double overlap) {
  const double smaller = kPi * std::min(a, b) * std::min(a, b);
  constexpr double kRounding = 1e-9;
  if (overlap >= smaller * (1 - kRounding)) return {0, std::abs(a - b)};
  if (overlap <= 0) return {a + b, 1.2 * (a + b)};
  double low = std::abs(a - b);
  double high = a + b;
  for (int i = 0; i < 100; ++i) {  // far more than a double has digits
    const double middle = (low + high) / 2;
    (overlap_area({0, 0, a}, {middle, 0, b}) > overlap ? low : high) = middle;
  }
  return {low, low};
}

// The sides of a triangle between the centres of C and W, A and W, C and A.
struct Sides {
  double cw = 0, aw = 0, ca = 0;

  // By how much one is longer than the others together.
  double gap() const { return std::max({0.0, cw - aw - ca, aw - cw - ca, ca - cw - aw}); }
};

// Where there is a choice, circles look best neither concentric nor touching.
Sides best_sides(const Range& cw, const Range& aw, const Range& ca) {
  constexpr std::array<double, 7> kFractions = {0.75, 0.9, 0.5, 0.25, 0.1, 1, 0};
  Sides best;
  double least_gap = std::numeric_limits<double>::infinity();
  for (const double x : kFractions) {
    for (const double y : kFractions) {
      for (const double z : kFractions) {
        const Sides sides{cw.at(x), aw.at(y), ca.at(z)};
        if (sides.gap() >= least_gap) continue;
        best = sides;
        least_gap = sides.gap();
      }
    }
  }
  return best;
}

// The largest of C and W becomes a circle of radius 1.
VennAreas to_scale(VennAreas areas) {
  const double unit = kPi / std::max(areas.c, areas.w);
  for (double* area : {&areas.c, &areas.a, &areas.w, &areas.c_and_w, &areas.a_and_w}) {
    *area *= unit;
  }
  return areas;
}

// C and A count footprints, W counts tiles: there is no common scale. W gets as
// large as the overlaps allow.
VennAreas tile_areas(const MeanFlexion& axis) {
  VennAreas areas{axis.of_class, axis.supported, 0, 0, 0};
  // The last one leaves room in A for all of W.
  const std::array<double, 8> sizes = {0.8, 0.6, 0.45, 0.35, 0.25, 0.15, 0.1, 0.8 * axis.hardware};
  for (const double size : sizes) {
    if (size == 0) continue;
    areas.w = size * axis.of_class;
    areas.c_and_w = areas.w * axis.class_workload;
    areas.a_and_w = areas.w * axis.workload;
    // The overlap of a dot is not seen.
    if (areas.a < kDotShare * areas.c) areas.a_and_w = std::min(areas.a_and_w, areas.a);
    if (arrange(to_scale(areas)).exact) return areas;
  }
  return areas;
}

}  // namespace

double overlap_area(const Circle& a, const Circle& b) {
  const double distance = std::hypot(a.x - b.x, a.y - b.y);
  const double smaller = std::min(a.radius, b.radius);
  if (distance >= a.radius + b.radius) return 0;
  if (distance <= std::abs(a.radius - b.radius)) return kPi * smaller * smaller;
  // What they share is the segment of each circle beyond the common chord.
  const auto segment = [&](double mine, double other) {
    const double to_chord = (distance * distance + mine * mine - other * other) / (2 * distance);
    const double angle = std::acos(std::clamp(to_chord / mine, -1.0, 1.0));
    return mine * mine * (angle - std::sin(2 * angle) / 2);
  };
  return segment(a.radius, b.radius) + segment(b.radius, a.radius);
}

Venn arrange(const VennAreas& areas) {
  Venn venn;
  venn.c.radius = radius_of(areas.c);
  venn.a.radius = radius_of(areas.a);
  venn.w.radius = radius_of(areas.w);
  const Sides sides = best_sides(distances(venn.c.radius, venn.w.radius, areas.c_and_w),
                                 distances(venn.a.radius, venn.w.radius, areas.a_and_w),
                                 {0, venn.c.radius - venn.a.radius});
  venn.w.x = sides.cw;
  // Where the third side does not reach, A stays on the line through the others.
  venn.a.x = sides.ca;
  if (sides.cw > 0) {
    const double cosine = (sides.cw * sides.cw + sides.ca * sides.ca - sides.aw * sides.aw) /
                          (2 * sides.cw * std::max(sides.ca, 1e-300));
    venn.a.x = sides.ca * std::clamp(cosine, -1.0, 1.0);
    venn.a.y = std::sqrt(std::max(0.0, sides.ca * sides.ca - venn.a.x * venn.a.x));
  }
  constexpr double kVisible = 1e-6;
  venn.exact = std::abs(overlap_area(venn.a, venn.w) - areas.a_and_w) <=
               kVisible * std::max(areas.w, areas.c);
  return venn;
}

AxisPicture picture_of(const MeanFlexion& axis) {
  const bool tiles = axis.axis == TopsAxis::Tile;
  const VennAreas areas = tiles ? tile_areas(axis)
                                : VennAreas{axis.of_class, axis.supported, axis.of_workload,
                                            axis.class_both, axis.both};
  AxisPicture picture;
  picture.venn = arrange(to_scale(areas));
  picture.class_choices = std::max(areas.c, areas.w) / kPi;
  picture.layer_choices = picture.class_choices;
  if (tiles) picture.layer_choices *= axis.of_workload / areas.w;
  if (areas.w > 0) {
    picture.wanted_both = areas.a_and_w / areas.w;
    picture.drawn_both = overlap_area(picture.venn.a, picture.venn.w) /
                         (kPi * picture.venn.w.radius * picture.venn.w.radius);
  }
  return picture;
}

}  // namespace tilewright::report
