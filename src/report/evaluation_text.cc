#include <fmt/format.h>

#include <optional>

#include "report/names.h"
#include "report/speed.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string traffic_table(const Result& r, int width) {
  Table table({{"level", Align::Left},
               {"tensor", Align::Left},
               {"instances", Align::Right, 3},
               {"tile", Align::Right, 1},
               {"fills"},
               {"reads"},
               {"updates"},
               {"reductions", Align::Right, 5},
               {"sharing", Align::Right, 4},
               {"energy"},
               {"share", Align::Right, 2}},
              width);
  for (const MemoryReport& memory : r.evaluation.memories) {
    for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
      const Holding& held = memory.tensors[t];
      if (!held.kept) continue;
      table.add({level_name(r.problem, memory.level), tensor_name(r.problem, t),
                 grouped(memory.instances), grouped(held.tile_words), grouped(held.total.fills),
                 grouped(held.total.reads), grouped(held.total.updates), grouped(held.reductions),
                 plain(held.sharing), energy(held.energy_pj()),
                 share(held.energy_pj(), r.evaluation.score.energy_pj)});
    }
  }
  return table.text();
}

std::string energy_table(const Result& r, int width) {
  std::vector<Table::Column> columns = {{"level", Align::Left}};
  for (const Tensor& tensor : r.problem.workload().tensors) columns.push_back({tensor.name});
  columns.push_back({"leakage", Align::Right, 1});
  columns.push_back({"network", Align::Right, 2});
  for (const char* heading : {"MACs", "sum"}) columns.push_back({heading});
  Table table(columns, width);
  const std::size_t tensors = r.problem.workload().tensors.size();
  const auto add = [&](const std::string& name, const LevelCost& cost) {
    const auto cell = [](double pj) { return pj == 0 ? std::string("-") : energy(pj); };
    std::vector<std::string> row = {name};
    for (const double pj : cost.tensor_pj) row.push_back(cell(pj));
    row.resize(1 + tensors, "-");
    for (const double pj : {cost.leakage_pj, cost.network_pj, cost.mac_pj, cost.sum()}) {
      row.push_back(cell(pj));
    }
    table.add(row);
  };
  for (const LevelCost& cost : level_costs(r)) add(level_name(r.problem, cost.level), cost);
  add("sum", total_cost(r));
  return table.text();
}

std::string fanout_table(const Result& r) {
  std::vector<Table::Column> columns = {{"fan-out", Align::Left}, {"x used"}, {"y used"}};
  for (const Tensor& tensor : r.problem.workload().tensors) columns.push_back({tensor.name});
  Table table(columns);
  for (const FanoutReport& report : r.evaluation.fanouts) {
    const auto& fanout = std::get<Fanout>(r.problem.arch().level(report.level));
    std::vector<std::string> row = {
        fanout.name, fmt::format("{} of {}", grouped(report.used_x), grouped(fanout.x.size)),
        fmt::format("{} of {}", grouped(report.used_y), grouped(fanout.y.size))};
    for (const Int128 words : report.words) row.push_back(grouped(words));
    table.add(row);
  }
  return table.text();
}

std::string time_table(const Result& r) {
  Table table({{"resource", Align::Left}, {"cycles"}, {"busy"}});
  const auto row = [&](const std::string& name, std::optional<std::int64_t> cycles) {
    if (!cycles) return;
    table.add(
        {name, grouped(*cycles),
         share(static_cast<double>(*cycles), static_cast<double>(r.evaluation.score.cycles))});
  };
  row(level_name(r.problem, r.problem.arch().compute_level()) + " (compute)",
      r.evaluation.compute_cycles);
  if (const auto& array = r.problem.systolic()) {
    const std::string changes =
        fmt::format("{} change{} of {}", grouped(r.evaluation.stationary_changes),
                    r.evaluation.stationary_changes == 1 ? "" : "s",
                    r.problem.workload().tensor(array->tensor).name);
    if (array->fill_cycles > 0) row("fill and drain, " + changes, r.evaluation.fill_cycles);
    if (array->preload_cycles > 0) row("preload, " + changes, r.evaluation.preload_cycles);
  }
  for (const MemoryReport& memory : r.evaluation.memories) {
    const std::string level = storage_name(r.problem, memory.level);
    row(level + " reads", memory.read_cycles);
    row(level + " writes", memory.write_cycles);
    row(level + " reads and writes", memory.shared_cycles);
  }
  return table.text();
}

std::string totals(const Result& r) {
  const Evaluation& e = r.evaluation;
  const double macs = static_cast<double>(e.macs);
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("energy", fmt::format("{} ({} pJ per MAC)", energy(e.score.energy_pj),
                             plain(e.score.energy_pj / macs)));
  line("cycles", fmt::format("{}, limited by {}", grouped(e.score.cycles),
                             bottleneck_text(r.problem, e.bottleneck)));
  line("EDP", edp(e.score.edp()));
  line(
      "utilisation",
      fmt::format("{} of all multipliers' cycles; {} of {} compute instances in use",
                  percent(e.utilisation), grouped(e.compute_instances),
                  grouped(physical_instances(r.problem.arch(), r.problem.arch().compute_level()))));
  if (const Int128 useful = useful_macs(r); useful != e.macs) {
    line("useful work",
         fmt::format("{} of the MACs ({} of {}), utilisation {}; the others are padding",
                     percent(useful_share(r)), grouped(useful), grouped(e.macs),
                     percent(utilisation(r.problem.arch(), useful, e.score.cycles))));
  }
  text += speed_lines(r);
  line("area", e.area_um2 > 0 ? area(e.area_um2) : "not given by the architecture");
  return text;
}

}  // namespace

std::string evaluation_text(const Result& r, int width) {
  const Workload& workload = r.problem.workload();
  std::string text = fmt::format(
      "{} on {}\n  {}\n  {}\n  {} ({} MACs), {} accounting\n\n", workload.name,
      r.problem.arch().name, einsum_text(workload), roles_text(workload), sizes_text(workload),
      grouped(r.evaluation.macs), to_string(r.problem.arch().accounting));
  text += "Loop nest\n" + nest_text(r.problem, r.mapping);
  text += "\nTraffic (words, all instances together)\n" + traffic_table(r, width);
  if (!r.evaluation.fanouts.empty()) {
    text += "\nFan-outs (words that all instances take or give)\n" + fanout_table(r);
  }
  text += "\nEnergy\n" + energy_table(r, width);
  text += "\nTime\n" + time_table(r);
  text += "\nTotals\n" + totals(r) + remarks_text(r.remarks, width);
  return text;
}

}  // namespace tilewright::report
