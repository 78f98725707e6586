#include "report/venn_areas.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace tilewright::report {

namespace {

// The largest of C and W becomes a circle of radius 1.
VennAreas to_scale(VennAreas areas) {
  const double unit = std::numbers::pi / std::max(areas.c, areas.w);
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

AxisPicture picture_of(const MeanFlexion& axis) {
  const bool tiles = axis.axis == TopsAxis::Tile;
  const VennAreas areas = tiles ? tile_areas(axis)
                                : VennAreas{axis.of_class, axis.supported, axis.of_workload,
                                            axis.class_both, axis.both};
  AxisPicture picture;
  picture.venn = arrange(to_scale(areas));
  picture.class_choices = std::max(areas.c, areas.w) / std::numbers::pi;
  picture.layer_choices = picture.class_choices;
  if (tiles) picture.layer_choices *= axis.of_workload / areas.w;
  if (areas.w > 0) {
    picture.wanted_both = areas.a_and_w / areas.w;
    picture.drawn_both = overlap_area(picture.venn.a, picture.venn.w) /
                         (std::numbers::pi * picture.venn.w.radius * picture.venn.w.radius);
  }
  return picture;
}

}  // namespace tilewright::report
