#include <fmt/format.h>

#include "report/names.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {

namespace {

// "0.2210", "0.2210 (0.2184 to 0.2236)"
std::string with_interval(double share, const std::optional<Interval>& interval) {
  if (!interval) return ratio_text(share);
  return fmt::format("{} ({} to {})", ratio_text(share), ratio_text(interval->low),
                     ratio_text(interval->high));
}

std::string count_of(const TileShare& share) {
  return (share.estimated ? "about " : "") + readable(share.count);
}

std::string one_layer(const FlexionReport& report, int width) {
  Table table({{"axis", Align::Left},
               {"as described", Align::Left, 5},
               {"|C|", Align::Right, 1},
               {"|A|", Align::Right, 1},
               {"H-F"},
               {"|W|", Align::Right, 2},
               {"|C^w|", Align::Right, 4},
               {"|A^w|", Align::Right, 3},
               {"W-F"}},
              width);
  for (const AxisFlexion& axis : report.flexion.layers.front().axes) {
    table.add({to_string(axis.axis), axis_text(*report.arch.flexibility, axis.axis),
               readable(axis.of_class), readable(axis.supported), ratio_text(axis.hardware()),
               readable(axis.of_workload), count_of(axis.class_both), count_of(axis.both),
               with_interval(axis.workload(), axis.both.estimated)});
  }
  return table.text();
}

std::string hardware_table(const FlexionReport& report, int width) {
  Table table({{"axis", Align::Left},
               {"as described", Align::Left, 2},
               {"|C|", Align::Right, 1},
               {"|A|", Align::Right, 1},
               {"H-F = A/C"}},
              width);
  for (const MeanFlexion& axis : report.flexion.mean) {
    table.add({to_string(axis.axis), axis_text(*report.arch.flexibility, axis.axis),
               mean_count(axis.of_class), mean_count(axis.supported), ratio_text(axis.hardware)});
  }
  return table.text();
}

std::string layer_table(const FlexionReport& report, int width) {
  std::vector<Table::Column> columns = {{"layer", Align::Left}, {"times"}};
  for (const TopsAxis axis : kTopsAxes) {
    const std::string name = to_string(axis);
    columns.insert(
        columns.end(),
        {{name + " |W|", Align::Right, 2}, {name + " |A^w|", Align::Right, 1}, {name + " W-F"}});
  }
  Table table(std::move(columns), width);
  std::int64_t layers = 0;
  for (const LayerFlexion& layer : report.flexion.layers) {
    std::vector<std::string> row = {layer.name, grouped(layer.count)};
    for (const AxisFlexion& axis : layer.axes) {
      row.insert(row.end(),
                 {mean_count(axis.of_workload.value()),
                  (axis.both.estimated ? "about " : "") + mean_count(axis.both.count.value()),
                  with_interval(axis.workload(), axis.both.estimated)});
    }
    table.add(std::move(row));
    layers += layer.count;
  }
  std::vector<std::string> row = {"mean", grouped(layers)};
  for (const MeanFlexion& axis : report.flexion.mean) {
    row.insert(row.end(), {mean_count(axis.of_workload), mean_count(axis.both),
                           with_interval(axis.workload, axis.estimated)});
  }
  table.add(std::move(row));
  return table.text();
}

bool is_estimated(const NetworkFlexion& flexion) {
  for (const LayerFlexion& layer : flexion.layers) {
    for (const AxisFlexion& axis : layer.axes) {
      if (axis.both.estimated || axis.class_both.estimated) return true;
    }
  }
  return false;
}

}  // namespace

std::string flexion_text(const FlexionReport& report, int width) {
  const Flexibility& flexibility = *report.arch.flexibility;
  const std::int64_t pes = parts_of(report.arch, flexibility)->pes;
  std::string text =
      fmt::format("{} on {}: {}\n\n", report.name, report.arch.name, class_of(flexibility, pes));
  if (report.flexion.layers.size() == 1) {
    text += one_layer(report, width);
  } else {
    text +=
        hardware_table(report, width) + "\nW-F = A^w/W by layer:\n\n" + layer_table(report, width);
  }
  text += fmt::format("\nAll axes together: H-F {}, W-F {}{}.\n",
                      ratio_text(report.flexion.joint_hardware),
                      ratio_text(report.flexion.joint_workload),
                      report.flexion.layers.size() == 1 ? "" : ", means over the layers");
  text +=
      "\nC: choices of the most flexible accelerator of this size; A: of this one; W: of the "
      "layer.\nOf tiles, C and A count footprints (elements of each tensor), W and A^w tiles.\n";
  const ConvDim rows =
      flexibility.pairs.empty() ? all_pairs().front().rows : flexibility.pairs.front().rows;
  text += fmt::format("Of shapes, W counts up to the size of {}, the loop on the rows of the {}.\n",
                      letter_of(rows), flexibility.pairs.size() == 1 ? "pair" : "first pair");
  if (is_estimated(report.flexion)) {
    text += "In brackets: 95 % confidence intervals of estimates from samples.\n";
  }
  return text;
}

}  // namespace tilewright::report
