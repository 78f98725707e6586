// Circles whose areas, and those of their overlaps, are given.
#pragma once

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

}  // namespace tilewright::report
