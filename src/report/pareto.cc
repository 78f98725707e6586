#include <fmt/format.h>

#include "report/json_values.h"
#include "report/names.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string claim(const ParetoReport& report) {
  if (report.front.complete && report.front.settings > 0) {
    return fmt::format(
        "proven: among {} of all {} settings, none beats one of these in both energy and cycles "
        "({} "
        "settings were searched in full)",
        searched_mappings(report.evenness), report.front.settings, report.front.settings_searched);
  }
  if (report.front.complete) {
    return fmt::format("proven: among {}, none beats one of these in both energy and cycles",
                       searched_mappings(report.evenness));
  }
  return fmt::format("not all of it ({}): there may be points that beat these",
                     to_string(report.front.stop));
}

Json settings_json(const ParetoFront& front) {
  if (front.settings == 0) return nullptr;
  return {{"settings", front.settings},
          {"settings_searched", front.settings_searched},
          {"of_points", array_of(front.points, [](const ParetoFront::Point& point) {
             return Json(to_string(*point.setting));
           })}};
}

}  // namespace

std::string pareto_text(const ParetoReport& report, int width) {
  const Problem& problem = report.problem;
  std::vector<Table::Column> columns = {{"number"},
                                        {"cycles"},
                                        {"energy"},
                                        {"EDP", Align::Right, 1},
                                        {"utilisation", Align::Right, 2},
                                        {"pJ per MAC", Align::Right, 3}};
  if (report.front.settings > 0) columns.push_back({"setting", Align::Left, 4});
  Table table(columns, width);
  const Int128 macs = multiply_accumulates(problem.workload());
  for (std::size_t i = 0; i < report.front.points.size(); ++i) {
    const Score& score = report.front.points[i].score;
    std::vector<std::string> row = {fmt::format("{}", i + 1),
                                    grouped(score.cycles),
                                    energy(score.energy_pj),
                                    edp(score.edp()),
                                    percent(utilisation(problem.arch(), macs, score.cycles)),
                                    plain(score.energy_pj / static_cast<double>(macs))};
    const auto& setting = report.front.points[i].setting;
    if (report.front.settings > 0) row.push_back(setting ? to_string(*setting) : "-");
    table.add(std::move(row));
  }
  return fmt::format("Energy against latency: {} on {}, {}\n  {}\n\n{}\n{}; {}\n",
                     problem.workload().name, problem.arch().name, to_string(report.space),
                     roles_text(problem.workload()), table.text(), claim(report),
                     duration_text(report.front.seconds)) +
         remarks_text(report.remarks, width);
}

std::string pareto_json(const ParetoReport& report) {
  Json points = array_of(report.front.points, [&](const ParetoFront::Point& point) {
    const Problem& problem = point.apart ? *point.apart : report.problem;
    const Checked<Evaluator> evaluator = Evaluator::compile(problem);
    return evaluation_value({problem, point.mapping, evaluator.value->evaluate(point.mapping)});
  });
  Json json = origin_value(report.command, &report.problem.arch());
  json.update({{"mapspace", to_string(report.space)},
               {"complete", report.front.complete},
               {"among", searched_mappings(report.evenness)},
               {"end", to_string(report.front.stop)},
               {"frames", report.front.frames},
               {"seconds", report.front.seconds},
               {"points", std::move(points)},
               {"remarks", report.remarks}});
  json["settings"] = settings_json(report.front);
  return document("tilewright.pareto.v1", json);
}

}  // namespace tilewright::report
