// What the Venn diagram of an axis shows, and how large.
#pragma once

#include "report/circles.h"
#include "tilewright/flexibility.h"

namespace tilewright::report {

struct AxisPicture {
  Venn venn;                               // the largest radius is 1
  double class_choices = 1;                // of C and A, per unit of area
  double layer_choices = 1;                // of W; others than those of C for tiles alone
  double wanted_both = 0, drawn_both = 0;  // what A has of W
};

// Circles below this share of the picture cannot be seen.
inline constexpr double kDotShare = 2e-4;

AxisPicture picture_of(const MeanFlexion& axis);

}  // namespace tilewright::report
