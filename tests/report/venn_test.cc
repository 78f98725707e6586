// Venn diagrams: areas and overlaps of the circles, and the picture around them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <regex>

#include "flexibility/setup.h"
#include "report/circles.h"
#include "support/random_problem.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

constexpr double kPi = std::numbers::pi;

double area(const Circle& circle) { return kPi * circle.radius * circle.radius; }

// What two circles share, strip by strip.
double integrated_overlap(const Circle& a, const Circle& b) {
  constexpr int kStrips = 200'000;
  const double width = 2 * a.radius / kStrips;
  double sum = 0;
  for (int i = 0; i < kStrips; ++i) {
    const double x = a.x - a.radius + (i + 0.5) * width;
    const auto half = [&](const Circle& circle) {
      const double square = circle.radius * circle.radius - (x - circle.x) * (x - circle.x);
      return square <= 0 ? -1 : std::sqrt(square);
    };
    if (half(a) < 0 || half(b) < 0) continue;
    const double top = std::min(a.y + half(a), b.y + half(b));
    const double bottom = std::max(a.y - half(a), b.y - half(b));
    sum += std::max(0.0, top - bottom) * width;
  }
  return sum;
}

TEST(Circles, OverlapIsWhatStripsSay) {
  const Circle unit{0, 0, 1};
  for (const double distance : {0.0, 0.2, 0.5, 0.8, 1.2, 1.49, 1.6}) {
    const Circle other{0.6 * distance, 0.8 * distance, 0.5};
    EXPECT_NEAR(overlap_area(unit, other), integrated_overlap(unit, other), 1e-5) << distance;
  }
}

TEST(Circles, AreasAndOverlapsAreAsAsked) {
  tilewright::testing::TestRng rng(3);
  const auto share = [&] { return static_cast<double>(rng.between(0, 1000)) / 1000; };
  int exact = 0;
  for (int i = 0; i < 60; ++i) {
    VennAreas areas;
    areas.c = 1;
    areas.a = 0.02 + 0.98 * share();
    areas.w = 0.02 + 2 * share();
    areas.c_and_w = std::min(areas.c, areas.w) * share();
    areas.a_and_w = std::min(areas.a, areas.c_and_w) * share();
    const Venn venn = arrange(areas);
    EXPECT_NEAR(area(venn.c), areas.c, 1e-9);
    EXPECT_NEAR(area(venn.a), areas.a, 1e-9);
    EXPECT_NEAR(area(venn.w), areas.w, 1e-9);
    EXPECT_NEAR(integrated_overlap(venn.c, venn.w), areas.c_and_w, 1e-4);
    EXPECT_LE(std::hypot(venn.a.x, venn.a.y) + venn.a.radius, venn.c.radius + 1e-9);
    const double difference = std::abs(integrated_overlap(venn.a, venn.w) - areas.a_and_w);
    EXPECT_EQ(venn.exact, difference < 1e-4) << i << " " << difference;
    exact += venn.exact ? 1 : 0;
  }
  EXPECT_GT(exact, 20);
  EXPECT_LT(exact, 60);  // circles cannot do everything
}

MeanFlexion counts(TopsAxis axis, double c, double a, double w, double cw, double aw) {
  MeanFlexion mean;
  mean.axis = axis;
  mean.of_class = c;
  mean.supported = a;
  mean.of_workload = w;
  mean.class_both = cw;
  mean.both = aw;
  mean.hardware = a / c;
  mean.workload = w == 0 ? 1 : aw / w;
  mean.class_workload = w == 0 ? 1 : cw / w;
  return mean;
}

TEST(VennPicture, OrdersHaveOneScale) {
  const AxisPicture picture = picture_of(counts(TopsAxis::Order, 720, 3, 24, 24, 3));
  EXPECT_NEAR(area(picture.venn.c) * picture.class_choices, 720, 1e-6);
  EXPECT_NEAR(area(picture.venn.a) * picture.class_choices, 3, 1e-6);
  EXPECT_NEAR(area(picture.venn.w) * picture.layer_choices, 24, 1e-6);
  EXPECT_NEAR(overlap_area(picture.venn.a, picture.venn.w) * picture.layer_choices, 3, 1e-6);
}

// A third of the buffer for each tensor: shares are right, though tiles and
// footprints have no common scale.
TEST(VennPicture, TilesKeepBothRatios) {
  const AxisPicture picture =
      picture_of(counts(TopsAxis::Tile, 1.8e14, 0.4e14, 3.7e6, 3.6e6, 3.4e6));
  EXPECT_TRUE(picture.venn.exact);
  EXPECT_NEAR(area(picture.venn.a) / area(picture.venn.c), 0.4 / 1.8, 1e-6);
  const double of_w = overlap_area(picture.venn.a, picture.venn.w) / area(picture.venn.w);
  EXPECT_NEAR(of_w, 3.4 / 3.7, 1e-5);
  EXPECT_NEAR(overlap_area(picture.venn.c, picture.venn.w) / area(picture.venn.w), 3.6 / 3.7, 1e-5);
  EXPECT_NEAR(area(picture.venn.w) * picture.layer_choices, 3.7e6, 1);
}

// A small part of the buffer that holds every tile.
TEST(VennPicture, TilesFitInASmallPart) {
  const AxisPicture picture = picture_of(counts(TopsAxis::Tile, 1e14, 1e12, 40, 40, 40));
  EXPECT_TRUE(picture.venn.exact);
  EXPECT_NEAR(overlap_area(picture.venn.a, picture.venn.w), area(picture.venn.w), 1e-9);
}

TEST(VennPicture, EmptySpacesHaveNoArea) {
  const AxisPicture picture = picture_of(counts(TopsAxis::Parallel, 30, 1, 0, 0, 0));
  EXPECT_EQ(picture.venn.w.radius, 0);
  EXPECT_NEAR(area(picture.venn.a) / area(picture.venn.c), 1.0 / 30, 1e-9);
}

// Of the circles with this name, axis by axis.
std::vector<double> radii(const std::string& svg, const std::string& name) {
  const std::regex circle("<circle class=\"" + name + "\"[^>]* r=\"([0-9.]+)\"");
  std::vector<double> found;
  for (auto at = std::sregex_iterator(svg.begin(), svg.end(), circle); at != std::sregex_iterator();
       ++at) {
    found.push_back(std::stod((*at)[1]));
  }
  return found;
}

std::string picture(const Workload& workload, const Architecture& arch) {
  Network network;
  network.name = "a <b> & c";
  network.layers = {{"layer", workload, 1, "", ""}};
  const NetworkFlexion flexion = flexion_of(network, arch).value.value();
  return venn_svg({network.name, arch, flexion});
}

TEST(VennSvg, DrawsEveryAxisToScale) {
  const Architecture arch =
      tilewright::testing::flexible_arch("T=soft,O=KCYXRS,P=CK,S=blocks(4x4)");
  const std::string svg = picture(make_gemm("g", 40, 28, 120), arch);
  const std::vector<double> c = radii(svg, "C");
  const std::vector<double> a = radii(svg, "A");
  const std::vector<double> w = radii(svg, "W");
  ASSERT_EQ(c.size(), 4U);
  ASSERT_EQ(a.size(), 4U);
  ASSERT_EQ(w.size(), 4U);
  EXPECT_NEAR(std::pow(w[1] / c[1], 2), 6.0 / 720, 1e-4);
  EXPECT_NEAR(std::pow(a[2] / c[2], 2), 1.0 / 30, 1e-4);
  EXPECT_NEAR(std::pow(w[3] / c[3], 2), 120.0 / 1024, 1e-4);
  EXPECT_NEAR(std::pow(a[3] / c[3], 2), 64.0 / 1024, 1e-4);
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("C = 720 orders"), std::string::npos);
  EXPECT_NE(svg.find("A = 1 order<"), std::string::npos);
  EXPECT_NE(svg.find("H-F = A/C = 0.0625"), std::string::npos);
}

TEST(VennSvg, KeepsWhatIsTooSmallAsADot) {
  const Architecture arch =
      tilewright::testing::flexible_arch("T=fixed(K1,C1,Y1,X1,R1,S1),P=CK,S=any");
  const std::string svg = picture(make_gemm("g", 40, 28, 100'000'000), arch);
  EXPECT_EQ(radii(svg, "A")[0], 3);  // the only tile
  EXPECT_EQ(radii(svg, "C")[3], 3);  // 1024 shapes, of 10^8 rows
  EXPECT_NE(svg.find("larger than to scale"), std::string::npos);
}

TEST(VennSvg, LeavesOutWhatIsEmpty) {
  const std::string svg =
      picture(make_gemm("g", 40, 1, 1), tilewright::testing::flexible_arch("P=CK"));
  EXPECT_EQ(radii(svg, "W").size(), 3U);
  EXPECT_NE(svg.find("W = 0 pairs"), std::string::npos);
  EXPECT_NE(svg.find("nothing to choose"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::report
