#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "report/circles.h"
#include "report/names.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {

namespace {

// Pixels.
constexpr double kPanelWidth = 500;
constexpr double kPanelHeight = 390;
constexpr double kHeader = 50;
constexpr double kBox = 250;  // side of the square that the circles fill
constexpr double kBoxLeft = 20;
constexpr double kBoxTop = 46;
constexpr double kLabels = 300;
constexpr double kDotRadius = 3;

// Presentation attributes hold for viewers that know no style sheets. Fills
// are see-through middle tones, so that they go with light and dark paper.
constexpr const char* kStyle =
    "<style>\n"
    "  text { font-family: Helvetica, Arial, sans-serif; }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    .paper { fill: #16191d; } .ink { fill: #e8eaed; } .thin { stroke: #9aa0a6; }\n"
    "  }\n"
    "</style>\n";

struct Look {
  const char* name;
  const char* colour;
  double opacity;
};
constexpr Look kC{"C", "#5b86c4", 0.22};
constexpr Look kA{"A", "#2f9e6b", 0.35};
constexpr Look kW{"W", "#e0862a", 0.35};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

struct Point {
  double x = 0, y = 0;
};

std::string text_at(Point at, int size, const std::string& text, bool bold = false) {
  return fmt::format(
      "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\"{} "
      "fill=\"#1b1f24\">{}</text>\n",
      at.x, at.y, size, bold ? " font-weight=\"bold\"" : "", escaped(text));
}

std::string line_between(Point from, Point to) {
  return fmt::format(
      "<line class=\"thin\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke=\"#6b7075\" stroke-width=\"0.8\"/>\n",
      from.x, from.y, to.x, to.y);
}

// 1, 2 or 5 times a power of ten, not above the number.
double round_number(double number) {
  const double power = std::pow(10, std::floor(std::log10(number)));
  for (const double digit : {5.0, 2.0}) {
    if (digit * power <= number) return digit * power;
  }
  return power;
}

// "3 orders", "1 order"
std::string counted(double count, std::string what) {
  if (count == 1) what.pop_back();
  return fmt::format("{} {}", mean_count(count), what);
}

// One axis: title, circles, labels with lines to them, a scale, remarks.
class Panel {
 public:
  Panel(const MeanFlexion& axis, const std::string& described, Point origin)
      : axis_(axis), described_(described), origin_(origin), picture_(picture_of(axis)) {
    fit();
  }

  std::string svg() const {
    const std::string title = fmt::format("{}: {}", to_string(axis_.axis), described_);
    std::string out = text_at(at(kBoxLeft, 26), 14, shortened(title), /*bold=*/true);
    return out + circles() + labels() + scale() + remarks();
  }

 private:
  Point at(double x, double y) const { return {origin_.x + x, origin_.y + y}; }

  static std::string shortened(const std::string& text) {
    constexpr std::size_t kLetters = 56;
    return text.size() <= kLetters ? text : text.substr(0, kLetters - 3) + "...";
  }

  bool is_dot(const Circle& circle) const {
    return circle.radius > 0 && circle.radius * circle.radius < kDotShare;
  }

  double pixels(const Circle& circle) const {
    return is_dot(circle) ? kDotRadius : circle.radius * zoom_;
  }

  // The circles fill the box.
  void fit() {
    Point low{1e9, 1e9};
    Point high{-1e9, -1e9};
    for (const Circle* circle : {&picture_.venn.c, &picture_.venn.a, &picture_.venn.w}) {
      low = {std::min(low.x, circle->x - circle->radius),
             std::min(low.y, circle->y - circle->radius)};
      high = {std::max(high.x, circle->x + circle->radius),
              std::max(high.y, circle->y + circle->radius)};
    }
    zoom_ = kBox / std::max(high.x - low.x, high.y - low.y);
    const Point middle = at(kBoxLeft + kBox / 2, kBoxTop + kBox / 2);
    shift_ = {middle.x - zoom_ * (low.x + high.x) / 2, middle.y - zoom_ * (low.y + high.y) / 2};
  }

  Point centre(const Circle& circle) const {
    return {shift_.x + zoom_ * circle.x, shift_.y + zoom_ * circle.y};
  }

  // Small ones on top.
  std::string circles() const {
    const Venn& venn = picture_.venn;
    std::array<std::pair<const Circle*, const Look*>, 3> all = {
        {{&venn.c, &kC}, {&venn.w, &kW}, {&venn.a, &kA}}};
    std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) {
      return one.first->radius > other.first->radius;
    });
    std::string out;
    for (const auto& [circle, look] : all) out += drawn(*circle, *look);
    return out;
  }

  std::string drawn(const Circle& circle, const Look& look) const {
    if (circle.radius == 0) return "";
    const Point middle = centre(circle);
    return fmt::format(
        "<circle class=\"{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\" "
        "fill-opacity=\"{}\" "
        "stroke=\"{}\" stroke-width=\"1.5\"/>\n",
        look.name, middle.x, middle.y, pixels(circle), look.colour,
        is_dot(circle) ? 1 : look.opacity, look.colour);
  }

  // A label, and a line from it to the rim of its circle at an angle.
  std::string label(const Circle& circle, const Look& look, const std::string& text, double y,
                    double degrees) const {
    const Point place = at(kLabels, y);
    std::string out =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                    place.x, place.y - 9, look.colour);
    out += text_at({place.x + 15, place.y}, 13, fmt::format("{} = {}", look.name, text), true);
    if (circle.radius == 0) return out;
    constexpr double kRadians = 0.017453292519943295;
    const Point middle = centre(circle);
    const double radius = pixels(circle);
    const Point rim{middle.x + radius * std::cos(degrees * kRadians),
                    middle.y + radius * std::sin(degrees * kRadians)};
    return out + line_between({place.x - 3, place.y - 4}, rim);
  }

  std::string labels() const {
    const bool tiles = axis_.axis == TopsAxis::Tile;
    const std::string choices = choices_of(axis_.axis);
    const std::string hardware = tiles ? "footprints" : choices;
    std::string out =
        label(picture_.venn.c, kC, counted(axis_.of_class, hardware), kBoxTop + 20, -50);
    out += label(picture_.venn.w, kW, counted(axis_.of_workload, choices), kBoxTop + 52, -10);
    out += label(picture_.venn.a, kA, counted(axis_.supported, hardware), kBoxTop + 84, 10);
    const std::vector<std::string> lines = {"C and W: " + counted(axis_.class_both, choices),
                                            "A and W: " + counted(axis_.both, choices),
                                            "H-F = A/C = " + ratio_text(axis_.hardware),
                                            "W-F = A^w/W = " + ratio_text(axis_.workload)};
    double y = kBoxTop + 120;
    for (const std::string& line : lines) {
      out += text_at(at(kLabels, y), 12, line);
      y += 19;
    }
    return out;
  }

  std::string scale() const {
    constexpr double kSide = 34;  // at most
    const double area = kSide * kSide / (zoom_ * zoom_);
    const double choices = round_number(area * picture_.class_choices);
    const double side = zoom_ * std::sqrt(choices / picture_.class_choices);
    const Point corner = at(kLabels, kBoxTop + 212);
    std::string out = fmt::format(
        "<rect class=\"thin\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
        "fill=\"none\" stroke=\"#6b7075\"/>\n",
        corner.x, corner.y, side, side);
    const bool tiles = axis_.axis == TopsAxis::Tile;
    out += text_at({corner.x + 42, corner.y + 12}, 11,
                   tiles ? mean_count(choices) + " footprints of C, A"
                         : counted(choices, choices_of(axis_.axis)));
    if (!tiles) return out;
    const double of_layer = choices / picture_.class_choices * picture_.layer_choices;
    return out + text_at({corner.x + 42, corner.y + 27}, 11, mean_count(of_layer) + " tiles of W");
  }

  std::string remark() const {
    std::string text;
    if (axis_.axis == TopsAxis::Tile) {
      text += "C and A count footprints (elements of each tensor), W tiles, each to its own scale";
      text += picture_.venn.exact ? ": A/C and A^w/W are right. " : ". ";
    }
    if (axis_.of_workload == 0) text += "W is empty: the layer leaves nothing to choose. ";
    const Venn& venn = picture_.venn;
    std::string dots;
    for (const auto& [circle, look] : {std::pair{&venn.c, &kC}, {&venn.a, &kA}, {&venn.w, &kW}}) {
      if (is_dot(*circle)) dots += (dots.empty() ? "" : " and ") + std::string(look->name);
    }
    if (!dots.empty()) text += "To be seen at all, " + dots + " as a dot, larger than to scale. ";
    if (!venn.exact && !is_dot(venn.a) && !is_dot(venn.w)) {
      text += fmt::format(
          "Three circles cannot show all overlaps: A should have {} of W, and has {} here. ",
          ratio_text(picture_.wanted_both), ratio_text(picture_.drawn_both));
    }
    if (axis_.estimated) text += "A^w is estimated from samples. ";
    return text;
  }

  std::string remarks() const {
    constexpr std::size_t kLetters = 78;
    std::string out;
    double y = kBoxTop + kBox + 36;
    for (const std::string& line : wrapped_lines(remark(), kLetters)) {
      if (!line.empty()) out += text_at(at(kBoxLeft, y), 11, line);
      y += 15;
    }
    return out;
  }

  const MeanFlexion& axis_;
  const std::string& described_;
  Point origin_;
  AxisPicture picture_;
  double zoom_ = 1;  // pixels per unit of the picture
  Point shift_;
};

}  // namespace

std::string venn_svg(const FlexionReport& report) {
  const Flexibility& flexibility = *report.arch.flexibility;
  const std::string title =
      fmt::format("{} on {}: {}", report.name, report.arch.name,
                  class_of(flexibility, parts_of(report.arch, flexibility)->pes));
  const double width = 2 * kPanelWidth;
  const double height = kHeader + 2 * kPanelHeight;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{3}"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height, escaped(title), kStyle);
  out += text_at({kBoxLeft, 28}, 17, title, /*bold=*/true);
  const bool means = report.flexion.layers.size() > 1;
  out += text_at({kBoxLeft, 46}, 11,
                 fmt::format("C: choices of the most flexible accelerator of this size; A: of this "
                             "one; W: of the layer. Areas are to scale.{}",
                             means ? " Means over all layers, W-F of their ratios." : ""));
  for (std::size_t i = 0; i < report.flexion.mean.size(); ++i) {
    const MeanFlexion& axis = report.flexion.mean[i];
    const std::size_t row = i / 2;
    const Point origin{kPanelWidth * static_cast<double>(i % 2),
                       kHeader + kPanelHeight * static_cast<double>(row)};
    const std::string described = axis_text(flexibility, axis.axis);
    out += Panel(axis, described, origin).svg();
  }
  return out + "</svg>\n";
}

}  // namespace tilewright::report
