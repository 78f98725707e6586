// How many mappings a flexible architecture has, setting by setting and in all.
#include <fmt/format.h>

#include <algorithm>

#include "report/json_values.h"
#include "report/names.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

using OfSetting = FlexibleSpace::OfSetting;

// "K 2x1, C 1x4": how a fixed tile is unrolled.
std::string unrolled_text(const Workload& workload, const Setting& setting) {
  std::string text;
  for (const Setting::Unrolled& dim : setting.unrolled) {
    text += fmt::format("{}{} {}x{}", text.empty() ? "" : ", ", workload.dim(dim.dim).name,
                        dim.rows, dim.columns);
  }
  return text;
}

std::string settings_table(const FlexibleSpaceReport& report, std::size_t most) {
  std::vector<OfSetting> settings = report.space.settings;
  std::stable_sort(settings.begin(), settings.end(),
                   [](const OfSetting& a, const OfSetting& b) { return a.mappings > b.mappings; });
  Table table({{"setting", Align::Left}, {"mappings"}, {"unrolled", Align::Left, 1}});
  for (std::size_t i = 0; i < std::min(most, settings.size()); ++i) {
    table.add({to_string(settings[i].setting), readable(settings[i].mappings),
               unrolled_text(report.workload, settings[i].setting)});
  }
  return table.text();
}

}  // namespace

std::string flexible_space_text(const FlexibleSpaceReport& report) {
  constexpr std::size_t kShown = 10;
  const FlexibleSpace& space = report.space;
  std::string text =
      fmt::format("{} of {} on {}, {}: {} settings\n", to_string(report.kind), report.workload.name,
                  report.arch.name, to_string(*report.arch.flexibility), space.settings.size());
  if (report.evenness != Evenness::Even)
    text += fmt::format("  {}\n", searched_mappings(report.evenness));
  if (space.settings.size() > kShown) text += fmt::format("  the {} largest:\n", kShown);
  text += settings_table(report, kShown);
  text += fmt::format("\n  mappings of all settings   {}\n  exactly {}\n", readable(space.sum),
                      space.sum.to_string());
  if (space.different) {
    text += fmt::format("  different ones             {}\n  exactly {}\n",
                        readable(*space.different), space.different->to_string());
  } else {
    text += "  different ones             not counted: settings overlap in too many ways\n";
  }
  return text + remarks_text(report.remarks);
}

std::string flexible_space_json(const FlexibleSpaceReport& report) {
  const FlexibleSpace& space = report.space;
  Json settings = array_of(space.settings, [&](const OfSetting& one) {
    return Json{{"rows", one.setting.shape.rows},
                {"columns", one.setting.shape.columns},
                {"parallel", to_string(one.setting.pair)},
                {"order", one.setting.order ? Json(to_string(*one.setting.order)) : Json("any")},
                {"unrolled", unrolled_text(report.workload, one.setting)},
                {"mappings", one.mappings.to_string()}};
  });
  return document("tilewright.flex_space.v1",
                  {{"workload", report.workload.name},
                   {"architecture", report.arch.name},
                   {"flexibility", to_string(*report.arch.flexibility)},
                   {"mapspace", to_string(report.kind)},
                   {"among", searched_mappings(report.evenness)},
                   {"settings", std::move(settings)},
                   {"sum", space.sum.to_string()},
                   {"different", space.different ? Json(space.different->to_string()) : Json()},
                   {"remarks", report.remarks}});
}

}  // namespace tilewright::report
