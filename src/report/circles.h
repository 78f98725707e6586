// Circles whose areas, and those of their overlaps, are given, and what they show in the
// Venn diagram of an axis of flexibility.
#pragma once

#include "tilewright/flexibility.h"

namespace tilewright::report {

struct Circle {
  double x = 0, y = 0, radius = 0;
};

double overlap_area(const Circle& a, const Circle& b);

// The areas of three circles C, A and W, of which A lies in C.
struct VennAreas {
  double c = 0, a = 0, w = 0;
  double c_and_w = 0, a_and_w = 0;
};

struct Venn {
  Circle c, a, w;
  // A and W overlap as they should. The other two always do; all three do not
  // always go together.
  bool exact = true;
};

// C stands at the origin, W to the right of it.
Venn arrange(const VennAreas& areas);

// What the diagram of an axis shows, and how large.
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
