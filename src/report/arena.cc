#include <fmt/format.h>

#include "report/json_values.h"
#include "report/names.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

using Run = Bout::Run;

// The bouts on one architecture.
Arena part_of(const Arena& arena, std::size_t arch) {
  Arena part;
  for (const Bout& bout : arena.bouts) {
    if (bout.arch == arch) part.bouts.push_back(bout);
  }
  return part;
}

std::size_t proven_bouts(const Arena& arena) {
  std::size_t count = 0;
  for (const Bout& bout : arena.bouts) count += bout.proven ? 1 : 0;
  return count;
}

std::string per_bout(double seconds, const Standing& standing) {
  return duration_text(seconds / static_cast<double>(standing.bouts));
}

std::string standings_text(const ArenaReport& report, const Arena& arena, int width) {
  Table table({{"mapper", Align::Left},
               {"found"},
               {"mean"},
               {"worst"},
               {"within 1 %"},
               {"time per layer", Align::Right, 1},
               {"mappings per layer", Align::Right, 2}},
              width);
  for (std::size_t m = 0; m < report.mappers.size(); ++m) {
    const Standing standing = standing_of(arena, m, report.options.objective);
    if (standing.bouts == 0) continue;
    const bool any = standing.found > 0;
    const std::uint64_t seen = standing.seen / standing.bouts;
    table.add({std::string(report.mappers[m]->name),
               fmt::format("{} of {}", standing.found, standing.bouts),
               any ? fmt::format("{:.3f}", standing.mean) : "-",
               any ? fmt::format("{:.3f}", standing.worst) : "-",
               fmt::format("{}", standing.within_percent), per_bout(standing.seconds, standing),
               grouped(static_cast<std::int64_t>(seen))});
  }
  return table.text();
}

std::string value_cell(const ArenaReport& report, const Run& run) {
  return run.found() ? fmt::format("{}", value_of(report.options.objective, run.score)) : "";
}

std::string ratio_cell(const ArenaReport& report, const Bout& bout, const Run& run) {
  if (!run.found() || !bout.best) return "";
  return fmt::format("{}", value_of(report.options.objective, run.score) / *bout.best);
}

// Whose layer it is: the first cells of every row.
std::vector<std::string> place_cells(const ArenaReport& report, const Bout& bout,
                                     std::size_t mapper) {
  const Network& network = report.networks[bout.network];
  return {report.archs[bout.arch].name, network.name, network.layers[bout.layer].name,
          std::string(report.mappers[mapper]->name)};
}

Json steps_json(const ArenaReport& report, const Bout& bout, const Run& run) {
  Json steps = Json::array();
  for (const SearchResult::Step& step : run.steps) {
    const double value = value_of(report.options.objective, step.score);
    steps.push_back({{"mappings_seen", step.seen},
                     {"mappings_valid", step.valid},
                     {"value", value},
                     {"ratio", bout.best ? Json(value / *bout.best) : Json(nullptr)}});
  }
  return steps;
}

Json run_json(const ArenaReport& report, const Bout& bout, std::size_t m) {
  const Run& run = bout.runs[m];
  const bool found = run.found();
  const double value = found ? value_of(report.options.objective, run.score) : 0;
  return {{"mapper", report.mappers[m]->name},
          {"found", found},
          {"value", found ? Json(value) : Json(nullptr)},
          {"ratio", found && bout.best ? Json(value / *bout.best) : Json(nullptr)},
          {"energy_pj", found ? Json(run.score.energy_pj) : Json(nullptr)},
          {"cycles", found ? Json(run.score.cycles) : Json(nullptr)},
          {"seconds", run.seconds},
          {"mappings_seen", run.seen},
          {"steps", steps_json(report, bout, run)}};
}

Json bout_json(const ArenaReport& report, const Bout& bout) {
  const Network& network = report.networks[bout.network];
  Json runs = Json::array();
  for (std::size_t m = 0; m < report.mappers.size(); ++m) {
    runs.push_back(run_json(report, bout, m));
  }
  return {{"architecture", report.archs[bout.arch].name},
          {"network", network.name},
          {"layer", network.layers[bout.layer].name},
          {"best", optional_json(bout.best)},
          {"proven", bout.proven},
          {"runs", std::move(runs)}};
}

Json standing_json(const ArenaReport& report, std::size_t m) {
  const Standing standing = standing_of(report.arena, m, report.options.objective);
  const bool any = standing.found > 0;
  return {{"mapper", report.mappers[m]->name},
          {"layers", standing.bouts},
          {"found", standing.found},
          {"within_1_percent", standing.within_percent},
          {"mean_ratio", any ? Json(standing.mean) : Json(nullptr)},
          {"worst_ratio", any ? Json(standing.worst) : Json(nullptr)},
          {"seconds", standing.seconds},
          {"mappings_seen", standing.seen}};
}

}  // namespace

std::string arena_text(const ArenaReport& report, int width) {
  const std::size_t bouts = report.arena.bouts.size();
  std::string text = fmt::format(
      "{} layers, lowest {} in {}; of {} the optimum is proven{}\n\n", bouts,
      title_of(report.options.objective), to_string(report.options.space),
      proven_bouts(report.arena) == bouts ? "all" : fmt::format("{}", proven_bouts(report.arena)),
      proven_bouts(report.arena) == bouts ? "" : ", the others are held against the best found");
  text += standings_text(report, report.arena, width);
  for (std::size_t a = 0; report.archs.size() > 1 && a < report.archs.size(); ++a) {
    text += fmt::format("\n{}\n", report.archs[a].name);
    text += standings_text(report, part_of(report.arena, a), width);
  }
  return text +
         "\n  mean (geometric) and worst are of value over optimum, where something was found; "
         "each mapper has one thread\n";
}

std::string arena_json(const ArenaReport& report) {
  Json standings = Json::array();
  for (std::size_t m = 0; m < report.mappers.size(); ++m) {
    standings.push_back(standing_json(report, m));
  }
  Json layers = Json::array();
  for (const Bout& bout : report.arena.bouts) layers.push_back(bout_json(report, bout));
  return document("tilewright.arena.v1", {{"objective", to_string(report.options.objective)},
                                          {"space", to_string(report.options.space)},
                                          {"seed", seed_of(report.options)},
                                          {"standings", std::move(standings)},
                                          {"layers", std::move(layers)}});
}

std::string arena_csv(const ArenaReport& report) {
  std::string text = csv_row({"architecture", "network", "layer", "mapper", "value", "ratio",
                              "optimum_proven", "energy_pj", "cycles", "seconds", "mappings_seen"});
  for (const Bout& bout : report.arena.bouts) {
    for (std::size_t m = 0; m < report.mappers.size(); ++m) {
      const Run& run = bout.runs[m];
      std::vector<std::string> cells = place_cells(report, bout, m);
      cells.push_back(value_cell(report, run));
      cells.push_back(ratio_cell(report, bout, run));
      cells.emplace_back(bout.proven ? "yes" : "no");
      cells.push_back(run.found() ? fmt::format("{}", run.score.energy_pj) : "");
      cells.push_back(run.found() ? fmt::format("{}", run.score.cycles) : "");
      cells.push_back(fmt::format("{:.6f}", run.seconds));
      cells.push_back(fmt::format("{}", run.seen));
      text += csv_row(cells);
    }
  }
  return text;
}

std::string convergence_csv(const ArenaReport& report) {
  std::string text = csv_row({"architecture", "network", "layer", "mapper", "mappings_seen",
                              "mappings_valid", "value", "ratio"});
  for (const Bout& bout : report.arena.bouts) {
    for (std::size_t m = 0; m < report.mappers.size(); ++m) {
      for (const SearchResult::Step& step : bout.runs[m].steps) {
        const double value = value_of(report.options.objective, step.score);
        std::vector<std::string> cells = place_cells(report, bout, m);
        for (std::string cell :
             {fmt::format("{}", step.seen), fmt::format("{}", step.valid), fmt::format("{}", value),
              bout.best ? fmt::format("{}", value / *bout.best) : std::string()}) {
          cells.push_back(std::move(cell));
        }
        text += csv_row(cells);
      }
    }
  }
  return text;
}

}  // namespace tilewright::report
