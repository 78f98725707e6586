// Flexion for machines: JSON and comma-separated values.
#include <fmt/format.h>

#include "report/json_values.h"
#include "tilewright/report.h"

namespace tilewright::report {

namespace {

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low}, {"high", interval->high}};
}

Json axis_json(const AxisFlexion& axis) {
  return {{"axis", to_string(axis.axis)},
          {"class_space", axis.of_class.to_string()},
          {"accelerator_space", axis.supported.to_string()},
          {"workload_space", axis.of_workload.to_string()},
          {"class_workload_space", axis.class_both.count.to_string()},
          {"accelerator_workload_space", axis.both.count.to_string()},
          {"hardware_flexion", axis.hardware()},
          {"workload_flexion", axis.workload()},
          {"class_interval", interval_json(axis.class_both.estimated)},
          {"interval", interval_json(axis.both.estimated)}};
}

Json mean_json(const MeanFlexion& axis) {
  return {{"axis", to_string(axis.axis)},
          {"class_space", axis.of_class},
          {"accelerator_space", axis.supported},
          {"workload_space", axis.of_workload},
          {"class_workload_space", axis.class_both},
          {"accelerator_workload_space", axis.both},
          {"hardware_flexion", axis.hardware},
          {"workload_flexion", axis.workload},
          {"interval", interval_json(axis.estimated)}};
}

Json joint_json(const JointFlexion& joint) {
  return {{"class_space", joint.of_class.to_string()},
          {"accelerator_space", joint.supported.to_string()},
          {"workload_space", joint.of_workload.to_string()},
          {"class_workload_space", joint.class_both.to_string()},
          {"accelerator_workload_space", joint.both.to_string()},
          {"hardware_flexion", joint.hardware},
          {"workload_flexion", joint.workload},
          {"interval", interval_json(joint.estimated)}};
}

// The shortest text that reads as the same double.
std::string number(double value) { return fmt::format("{}", value); }

std::vector<std::string> limits(const std::optional<Interval>& interval) {
  if (!interval) return {"", ""};
  return {number(interval->low), number(interval->high)};
}

std::string csv_line(std::vector<std::string> cells, const std::optional<Interval>& interval) {
  for (std::string& limit : limits(interval)) cells.push_back(std::move(limit));
  return csv_row(cells);
}

}  // namespace

std::string flexion_json(const FlexionReport& report) {
  const Flexibility& flexibility = *report.arch.flexibility;
  Json layers = array_of(report.flexion.layers, [](const LayerFlexion& layer) -> Json {
    return {{"name", layer.name},
            {"count", layer.count},
            {"axes", array_of(layer.axes, axis_json)},
            {"joint", joint_json(layer.joint)}};
  });
  return document("tilewright.flexion.v1",
                  {{"name", report.name},
                   {"architecture", report.arch.name},
                   {"flexibility", to_string(flexibility)},
                   {"class", class_of(flexibility, parts_of(report.arch, flexibility)->pes)},
                   {"layers", std::move(layers)},
                   {"mean", array_of(report.flexion.mean, mean_json)},
                   {"joint_mean",
                    {{"hardware_flexion", report.flexion.joint_hardware},
                     {"workload_flexion", report.flexion.joint_workload}}}});
}

std::string flexion_csv(const FlexionReport& report) {
  std::string text =
      csv_row({"layer", "count", "axis", "class_space", "accelerator_space", "workload_space",
               "class_workload_space", "accelerator_workload_space", "hardware_flexion",
               "workload_flexion", "low", "high"});
  std::int64_t layers = 0;
  for (const LayerFlexion& layer : report.flexion.layers) {
    layers += layer.count;
    for (const AxisFlexion& axis : layer.axes) {
      text +=
          csv_line({layer.name, fmt::format("{}", layer.count), to_string(axis.axis),
                    axis.of_class.to_string(), axis.supported.to_string(),
                    axis.of_workload.to_string(), axis.class_both.count.to_string(),
                    axis.both.count.to_string(), number(axis.hardware()), number(axis.workload())},
                   axis.both.estimated);
    }
  }
  for (const MeanFlexion& axis : report.flexion.mean) {
    text +=
        csv_line({"mean", fmt::format("{}", layers), to_string(axis.axis), number(axis.of_class),
                  number(axis.supported), number(axis.of_workload), number(axis.class_both),
                  number(axis.both), number(axis.hardware), number(axis.workload)},
                 axis.estimated);
  }
  return text;
}

}  // namespace tilewright::report
